package import Logging

/// A filter of logged lookup events, as a pure value: each kind of failure at most once a minute, and a recovery only
/// after a logged failure.
package struct FailureLog: Sendable {
    /// The minimum interval between equal events, in nanoseconds.
    static let interval: UInt64 = 60_000_000_000

    private var loggedAt: [LookupFailure.Kind: UInt64] = [:]
    private var overloadLoggedAt: UInt64?
    private var isFailureLogged = false
    /// The number of failures since the last success.
    private var failuresInARow = 0
    /// The kind of the last failure. `nil` after a success.
    package private(set) var current: LookupFailure.Kind?

    package init() {}

    /// Records a failure and returns the event to log, if any.
    package mutating func failed(_ failure: LookupFailure, now: UInt64) -> LookupEvent? {
        failuresInARow += 1
        current = failure.kind
        if let last = loggedAt[failure.kind], now < last &+ Self.interval { return nil }
        loggedAt[failure.kind] = now
        isFailureLogged = true
        return .failing(failure)
    }

    /// Records a success and returns the event to log, if any.
    package mutating func succeeded() -> LookupEvent? {
        defer { (failuresInARow, current, isFailureLogged) = (0, nil, false) }
        return isFailureLogged ? .recovered(failures: failuresInARow) : nil
    }

    mutating func overloaded(now: UInt64) -> LookupEvent? {
        if let last = overloadLoggedAt, now < last &+ Self.interval { return nil }
        overloadLoggedAt = now
        return .overloaded
    }
}

/// A logged event of lookups. It contains no tokens and no user identifiers.
package enum LookupEvent: Sendable, Equatable {
    /// A call failed.
    case failing(LookupFailure)
    /// A call succeeded after this many consecutive failures.
    case recovered(failures: Int)
    /// A lookup was rejected because of a limit.
    case overloaded
}

/// The log messages of one service's lookups.
package struct LookupMessages: Sendable {
    let failing: Logger.Message
    /// For failures that only a change of the configuration resolves.
    let misconfigured: Logger.Message
    let recovered: Logger.Message
    let overloaded: Logger.Message

    package init(
        failing: Logger.Message, misconfigured: Logger.Message? = nil, recovered: Logger.Message,
        overloaded: Logger.Message
    ) {
        self.failing = failing
        self.misconfigured = misconfigured ?? failing
        self.recovered = recovered
        self.overloaded = overloaded
    }
}

extension LookupEvent {
    package func write(to logger: Logger, _ messages: LookupMessages, metadata: Logger.Metadata) {
        var metadata = metadata
        switch self {
        case .failing(let failure):
            metadata["reason"] = "\(failure.kind.rawValue)"
            metadata["detail"] = "\(failure.detail)"
            let isOurs = failure.kind == .ownCredentials || failure.kind == .invalidURL
            logger.log(
                level: isOurs ? .error : .warning, isOurs ? messages.misconfigured : messages.failing,
                metadata: metadata)
        case .recovered(let failures):
            metadata["failures"] = "\(failures)"
            logger.notice(messages.recovered, metadata: metadata)
        case .overloaded: logger.warning(messages.overloaded, metadata: metadata)
        }
    }
}
