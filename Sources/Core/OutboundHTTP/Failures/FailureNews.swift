/// Which failures of somebody who is asked are news, as a pure value: a kind at most once in a while, and a recovery only from what was told.
package struct FailureNews {
    /// How long a kind of failure is not logged again, in monotonic nanoseconds.
    package static let interval: UInt64 = 60_000_000_000

    private var toldAt: [AskingFailure.Kind: UInt64] = [:]
    private var isToldFailing = false
    /// Failures since the last good answer.
    private(set) var inARow = 0
    /// The kind of the last one; nil after a good answer.
    package private(set) var current: AskingFailure.Kind?

    package init() {}

    /// Whether to tell it.
    package mutating func failed(_ failure: AskingFailure, now: UInt64) -> Bool {
        inARow += 1
        current = failure.kind
        if let last = toldAt[failure.kind], now < last &+ Self.interval { return false }
        toldAt[failure.kind] = now
        isToldFailing = true
        return true
    }

    /// The failures in a row that ended, where that is to be told.
    package mutating func succeeded() -> Int? {
        defer {
            inARow = 0
            current = nil
            isToldFailing = false
        }
        return isToldFailing ? inARow : nil
    }
}
