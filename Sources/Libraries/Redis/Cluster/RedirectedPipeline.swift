/// A pipeline in a Redis Cluster, whose commands are executed again after a redirect of one of them until its
/// deadline. It belongs to the event loop of its link.
///
/// They are executed in runs, each after the last reply of the run before. A run is one command, or reads of different
/// records, whose order does not matter: otherwise a pipeline of 1,000 reads would take 1,000 round trips while a slot
/// is being moved. A pipeline of independent commands has only such runs from its start, so that none of its commands
/// is executed twice.
final class RedirectedPipeline {
    /// The maximum number of commands of a run, and so of replies that are kept until the earlier ones.
    static let maximumRun = 100
    /// The ticket of the first attempt. The tickets of the later ones are the indices of their commands.
    private static let firstAttempt = UInt64.max

    private let link: RedisLink
    private let pipeline: RedisCommand
    private lazy var commands = pipeline.separated()
    private let deadline: UInt64
    private let receiver: any RedisReceiver
    private let ticket: UInt64
    private var machine: PipelineMachine
    /// The host and the connection of the first attempt.
    private var host = ""
    private var attempt = 0
    /// The end of the current run.
    private var end = 0
    /// The index of the next reply to deliver.
    private var next = 0
    private var kept: [Int: RetainedReply] = [:]
    private var keptSize = 0
    private var hasFailed = false

    /// - Parameters:
    ///   - pipeline: At least two commands, whose keys have the prefix.
    ///   - deadline: The time of the last attempt.
    init(
        _ pipeline: RedisCommand, deadline: UInt64, ticket: UInt64, to receiver: any RedisReceiver, on link: RedisLink
    ) {
        (self.pipeline, self.receiver, self.ticket, self.link) = (pipeline, receiver, ticket, link)
        self.deadline = deadline
        machine = PipelineMachine(count: pipeline.count)
    }

    func start() {
        (host, attempt) = (link.readyHost, link.attempt)
        if pipeline.isIndependent, link.isReady || link.isFollowingSlot { return execute(from: 0) }
        let timeout = link.time(until: deadline)
        guard let failure = link.transmit(pipeline, ticket: Self.firstAttempt, timeout: timeout, to: self) else {
            return
        }
        if case .notConnected = failure, link.isFollowingSlot { return execute(from: 0) }
        link.later { [receiver, ticket] in receiver.failed(failure, ticket: ticket) }
    }

    private func execute(from start: Int, after redirect: ClusterRedirect? = nil) {
        next = start
        end = Self.endOfRun(from: start, of: commands, areIndependent: pipeline.isIndependent)
        for index in start..<end {
            RedirectedCommand(commands[index], deadline: deadline, ticket: UInt64(index), to: self, on: link)
                .restart(after: index == start ? redirect : nil)
        }
    }

    /// Returns the index after the last command of a run.
    ///
    /// A record that occurs twice begins another run, so that the later reply is not older than the earlier one.
    static func endOfRun(from start: Int, of commands: [RedisCommand], areIndependent: Bool) -> Int {
        let limit = min(start + maximumRun, commands.count)
        if areIndependent { return limit }
        var keys: Set<ArraySlice<UInt8>> = []
        var end = start
        while end < limit, let key = commands[end].keyOfRecordRead, keys.insert(key).inserted { end += 1 }
        return max(end, start + 1)
    }
}

extension RedirectedPipeline: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        guard ticket != Self.firstAttempt else { return receivedFirst(reply) }
        guard !hasFailed else { return }
        guard Int(ticket) == next else { return keep(reply, Int(ticket)) }
        deliver(reply)
        while !hasFailed, let earlier = kept.removeValue(forKey: next) { earlier.read(deliver) }
        if !hasFailed, next == end, end < pipeline.count { execute(from: next) }
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        guard ticket != Self.firstAttempt else {
            if let action = machine.lost() { return perform(action) }
            return receiver.failed(failure, ticket: self.ticket)
        }
        fail(failure)
    }

    private func receivedFirst(_ reply: RedisReply) {
        let redirect = ClusterRedirect(reply, host: host)
        let action = machine.received(redirect)
        if let redirect { link.handle(redirect, attempt: attempt) }
        if action == .deliver { receiver.received(reply, ticket: ticket) }
        perform(action)
    }

    private func perform(_ action: PipelineMachine.Action) {
        guard case .repeatRest(let redirect) = action else { return }
        // The link follows its slot first.
        link.later { self.execute(from: self.machine.delivered, after: redirect) }
    }

    private func deliver(_ reply: RedisReply) {
        next += 1
        receiver.received(reply, ticket: ticket)
    }

    private func keep(_ reply: RedisReply, _ index: Int) {
        let copy = RetainedReply(reply)
        keptSize += copy.size
        guard keptSize <= link.maximumReplySize else { return fail(.connectionLost(RedisProblem(.replyTooLarge))) }
        kept[index] = copy
    }

    /// Reports a failure. A part of the pipeline may have been executed.
    private func fail(_ failure: RedisFailure) {
        guard !hasFailed else { return }
        (hasFailed, kept) = (true, [:])
        let failure: RedisFailure =
            switch failure {
            case .notConnected(let problem): .connectionLost(problem)
            case .overloaded: .timedOut
            case .timedOut, .connectionLost, .closed: failure
            }
        receiver.failed(failure, ticket: ticket)
    }
}
