/// The state machine of one command, or one pipeline, in a Redis Cluster. Times are nanoseconds of a monotonic clock.
///
/// After a redirect of one command of a pipeline, this command and those after it are executed again, one by one, so
/// that a later command never precedes an earlier one. A later command that was executed is executed twice.
struct RedirectMachine {
    enum Action: Equatable {
        /// Deliver the reply to the receiver.
        case deliver
        /// Deliver the reply. Then send the command of this index to the owner of the slot.
        case deliverAndSend(Int)
        /// Ignore the reply.
        case ignore
        /// Send the command of this index: after `ASKING` to a node, or to the owner of the slot after a pause.
        case resend(Int, asking: RedisEndpoint?, after: UInt64)
        /// The time is over: report that the slot is not served.
        case fail
    }

    /// The pause before the second attempt, which doubles.
    static let firstPause: UInt64 = 5_000_000
    /// The maximum pause.
    static let maximumPause: UInt64 = 200_000_000
    /// The maximum number of attempts without a pause, so that nodes that refer to each other are not asked in a loop.
    static let maximumHops = 3

    /// The number of commands.
    let count: Int
    /// The time of the last attempt.
    let deadline: UInt64
    /// The number of delivered replies.
    private(set) var delivered = 0
    /// The number of replies of the pipeline that are still ignored. `nil` before the first redirect.
    private var ignored: Int?
    private var redirect: ClusterRedirect?
    private var attempts = 0

    init(count: Int, deadline: UInt64) {
        (self.count, self.deadline) = (count, deadline)
    }

    /// Handles a reply. `redirect` is `nil` if the command was executed.
    mutating func received(_ redirect: ClusterRedirect?, at now: UInt64) -> Action {
        if let rest = ignored, rest > 0 {
            ignored = rest - 1
            return rest == 1 ? resend(at: now) : .ignore
        }
        guard let redirect else {
            delivered += 1
            attempts = 0
            return ignored == nil || delivered == count ? .deliver : .deliverAndSend(delivered)
        }
        self.redirect = redirect
        if ignored == nil {
            ignored = count - delivered - 1
            if ignored != 0 { return .ignore }
        }
        return resend(at: now)
    }

    /// Handles a command that could not be sent, because there is no connection for the moment.
    mutating func notSent(at now: UInt64) -> Action {
        if ignored == nil { ignored = 0 }
        redirect = .tryAgain
        return resend(at: now)
    }

    /// Handles the loss of the connection while replies are ignored. `nil` if the loss concerns the receiver.
    mutating func lostRest(at now: UInt64) -> Action? {
        guard let rest = ignored, rest > 0 else { return nil }
        ignored = 0
        return resend(at: now)
    }

    private mutating func resend(at now: UInt64) -> Action {
        attempts += 1
        var target: RedisEndpoint?
        if case .ask(let endpoint)? = redirect { target = endpoint }
        var pause: UInt64 = 0
        if target == nil || attempts > Self.maximumHops {
            pause = min(Self.firstPause << UInt64(min(attempts - 1, 16)), Self.maximumPause)
        }
        guard now.adding(pause) < deadline else { return .fail }
        return .resend(delivered, asking: target, after: pause)
    }
}
