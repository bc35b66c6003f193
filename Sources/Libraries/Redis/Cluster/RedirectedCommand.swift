/// A command, or a pipeline, in a Redis Cluster, which is sent again after redirects until its deadline. It belongs to
/// the event loop of its link.
final class RedirectedCommand {
    private let link: RedisLink
    private let command: RedisCommand
    private lazy var commands = command.separated()
    private var machine: RedirectMachine
    private let receiver: any RedisReceiver
    private let ticket: UInt64
    /// The host that was asked last.
    private var host = ""
    /// The connection of the link that was asked last, `nil` for the next node of a slot that is being moved.
    private var attempt: Int?
    private var last: ClusterRedirect?

    /// - Parameters:
    ///   - command: The command, whose keys have the prefix.
    ///   - deadline: The time of the last attempt.
    init(_ command: RedisCommand, deadline: UInt64, ticket: UInt64, to receiver: any RedisReceiver, on link: RedisLink)
    {
        (self.command, self.receiver, self.ticket, self.link) = (command, receiver, ticket, link)
        machine = RedirectMachine(count: command.count, deadline: deadline)
    }

    func start() {
        guard let failure = sendToOwner(command) else { return }
        // A link that follows its slot is ready again within milliseconds.
        if case .notConnected = failure, link.isFollowingSlot { return perform(machine.notSent(at: link.now)) }
        fail(failure)
    }

    private func perform(_ action: RedirectMachine.Action) {
        switch action {
        case .deliver, .ignore: break
        case .deliverAndSend(let index): send(index, asking: nil)
        case .resend(let index, let target, let pause): link.after(pause) { self.send(index, asking: target) }
        case .fail: fail(notServed)
        }
    }

    private func send(_ index: Int, asking target: RedisEndpoint?) {
        guard !link.isStopped else { return fail(.closed) }
        let failure = target.map { ask($0, commands[index]) } ?? sendToOwner(commands[index])
        switch failure {
        case nil: break
        case .notConnected?: perform(machine.notSent(at: link.now))
        case .some(let failure): fail(failure)
        }
    }

    private func sendToOwner(_ command: RedisCommand) -> RedisFailure? {
        (host, attempt) = (link.readyHost, link.attempt)
        return link.transmit(command, ticket: 0, timeout: timeout, to: self)
    }

    private func ask(_ target: RedisEndpoint, _ command: RedisCommand) -> RedisFailure? {
        (host, attempt) = (target.host, nil)
        return link.asking.link(to: target).transmit(command.asking(), ticket: 0, timeout: timeout, to: self)
    }

    private var timeout: UInt64 {
        let now = link.now
        return machine.deadline > now ? machine.deadline - now : 0
    }

    private var notServed: RedisFailure {
        let problem = RedisProblem(last == .down ? .clusterDown : .slotMoved)
        // Of a pipeline, a part may have been executed.
        return machine.count == 1 ? .notConnected(problem) : .connectionLost(problem)
    }

    /// Reports a failure on a later turn of the event loop.
    private func fail(_ failure: RedisFailure) {
        link.later { [receiver, ticket] in receiver.failed(failure, ticket: ticket) }
    }
}

extension RedirectedCommand: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        let redirect = ClusterRedirect(reply, host: host)
        let action = machine.received(redirect, at: link.now)
        switch action {
        case .deliver, .deliverAndSend: receiver.received(reply, ticket: self.ticket)
        case .ignore, .resend, .fail: break
        }
        if let redirect {
            last = redirect
            link.handle(redirect, attempt: attempt)
        }
        perform(action)
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        if let action = machine.lostRest(at: link.now) { return perform(action) }
        receiver.failed(failure, ticket: self.ticket)
    }
}
