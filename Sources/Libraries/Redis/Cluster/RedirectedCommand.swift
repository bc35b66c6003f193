/// A command in a Redis Cluster, which is sent again after redirects until its deadline. It belongs to the event loop
/// of its link.
final class RedirectedCommand {
    private let link: RedisLink
    private let command: RedisCommand
    private var machine: RedirectMachine
    private let receiver: any RedisReceiver
    private let ticket: UInt64
    /// The host that was asked last.
    private var host = ""
    /// The connection of the link that was asked last, `nil` for the next node of a slot that is being moved.
    private var attempt: Int?
    private var last: ClusterRedirect?

    /// - Parameters:
    ///   - command: One command, whose keys have the prefix.
    ///   - deadline: The time of the last attempt.
    init(_ command: RedisCommand, deadline: UInt64, ticket: UInt64, to receiver: any RedisReceiver, on link: RedisLink)
    {
        (self.command, self.receiver, self.ticket, self.link) = (command, receiver, ticket, link)
        machine = RedirectMachine(deadline: deadline)
    }

    /// Sends the command. It fails at once without a connection, unless the link follows its slot.
    func start() {
        guard let failure = sendToOwner() else { return }
        // A link that follows its slot is ready again within milliseconds.
        if case .notConnected = failure, link.isFollowingSlot { return perform(machine.notSent(at: link.now)) }
        fail(failure)
    }

    /// Sends a command of a pipeline that was redirected, and waits for a connection.
    ///
    /// - Parameter redirect: The redirect of this command. `nil` if there was none.
    func restart(after redirect: ClusterRedirect?) {
        last = redirect
        if let redirect { perform(machine.received(redirect, at: link.now)) } else { send(asking: nil) }
    }

    private func perform(_ action: RedirectMachine.Action) {
        switch action {
        case .deliver: break
        case .resend(let target, let pause): link.after(pause) { self.send(asking: target) }
        case .fail: fail(.notConnected(RedisProblem(last == .down ? .clusterDown : .slotMoved)))
        }
    }

    private func send(asking target: RedisEndpoint?) {
        guard !link.isStopped else { return fail(.closed) }
        switch target.map(ask) ?? sendToOwner() {
        case nil: break
        case .notConnected?: perform(machine.notSent(at: link.now))
        case .some(let failure): fail(failure)
        }
    }

    private func sendToOwner() -> RedisFailure? {
        (host, attempt) = (link.readyHost, link.attempt)
        return link.transmit(command, ticket: 0, timeout: timeout, to: self)
    }

    private func ask(_ target: RedisEndpoint) -> RedisFailure? {
        (host, attempt) = (target.host, nil)
        return link.asking.link(to: target).transmit(command.asking(), ticket: 0, timeout: timeout, to: self)
    }

    private var timeout: UInt64 { link.time(until: machine.deadline) }

    /// Reports a failure on a later turn of the event loop.
    private func fail(_ failure: RedisFailure) {
        link.later { [receiver, ticket] in receiver.failed(failure, ticket: ticket) }
    }
}

extension RedirectedCommand: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        guard let redirect = ClusterRedirect(reply, host: host) else {
            return receiver.received(reply, ticket: self.ticket)
        }
        last = redirect
        link.handle(redirect, attempt: attempt)
        perform(machine.received(redirect, at: link.now))
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        receiver.failed(failure, ticket: self.ticket)
    }
}
