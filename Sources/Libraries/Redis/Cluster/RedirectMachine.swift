/// The state machine of one command in a Redis Cluster. Times are nanoseconds of a monotonic clock.
struct RedirectMachine {
    enum Action: Equatable {
        /// Deliver the reply to the receiver.
        case deliver
        /// Send the command again: after `ASKING` to a node, or to the owner of the slot after a pause.
        case resend(asking: RedisEndpoint?, after: UInt64)
        /// The time is over: report that the slot is not served.
        case fail
    }

    /// The pause before the second attempt, which doubles.
    static let firstPause: UInt64 = 5_000_000
    /// The maximum pause.
    static let maximumPause: UInt64 = 200_000_000
    /// The maximum number of attempts without a pause, so that nodes that refer to each other are not asked in a loop.
    static let maximumHops = 3

    /// The time of the last attempt.
    let deadline: UInt64
    private var attempts = 0

    init(deadline: UInt64) {
        self.deadline = deadline
    }

    /// Handles a reply. `redirect` is `nil` if the command was executed.
    mutating func received(_ redirect: ClusterRedirect?, at now: UInt64) -> Action {
        guard let redirect else { return .deliver }
        attempts += 1
        var target: RedisEndpoint?
        if case .ask(let endpoint) = redirect { target = endpoint }
        var pause: UInt64 = 0
        if target == nil || attempts > Self.maximumHops {
            pause = min(Self.firstPause << UInt64(min(attempts - 1, 16)), Self.maximumPause)
        }
        guard now.adding(pause) < deadline else { return .fail }
        return .resend(asking: target, after: pause)
    }

    /// Handles a command that could not be sent, because there is no connection for the moment.
    mutating func notSent(at now: UInt64) -> Action {
        received(.tryAgain, at: now)
    }
}

/// The state machine of the first attempt of a pipeline in a Redis Cluster.
///
/// After a redirect of one command, this command and those after it are executed again, so that a later command never
/// precedes an earlier one. A later command that was executed is executed twice.
struct PipelineMachine {
    enum Action: Equatable {
        /// Deliver the reply to the receiver.
        case deliver
        /// Ignore the reply.
        case ignore
        /// Execute the commands without a delivered reply again. The first of them was redirected.
        case repeatRest(after: ClusterRedirect)
    }

    /// The number of commands.
    let count: Int
    /// The number of delivered replies.
    private(set) var delivered = 0
    private var redirect: ClusterRedirect?
    /// The number of replies after the redirect that are still ignored.
    private var ignored = 0

    init(count: Int) {
        self.count = count
    }

    /// Handles a reply. `redirect` is `nil` if the command was executed.
    mutating func received(_ redirect: ClusterRedirect?) -> Action {
        if let first = self.redirect {
            ignored -= 1
            return ignored == 0 ? .repeatRest(after: first) : .ignore
        }
        guard let redirect else {
            delivered += 1
            return .deliver
        }
        self.redirect = redirect
        ignored = count - delivered - 1
        return ignored == 0 ? .repeatRest(after: redirect) : .ignore
    }

    /// Handles the loss of the connection. `nil` if the loss concerns the receiver, because there was no redirect.
    func lost() -> Action? {
        redirect.map { .repeatRest(after: $0) }
    }
}
