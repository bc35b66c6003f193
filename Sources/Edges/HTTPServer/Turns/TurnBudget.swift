/// The work that one connection may do before its event loop turns to the others.
///
/// The unit is about a microsecond: a request costs 32, a part of a body (a chunk, or the bytes of one read) 1, and each KiB 1. The budget is full
/// again when a read of the socket ends. A connection that exceeds it waits for its next turn in the ``TurnQueue``.
package struct TurnBudget: Sendable {
    package static let units = 128
    static let unitsPerRequest = 32

    private var left = TurnBudget.units
    /// The rest of the work waits for the next turn.
    package private(set) var isDeferred = false

    var isSpent: Bool { left <= 0 }

    package init() {}

    mutating func spendRequest(bytes: Int) {
        left &-= Self.unitsPerRequest &+ bytes >> 10
    }

    package mutating func spendPart(bytes: Int) {
        left &-= 1 &+ bytes >> 10
    }

    /// Everything that one read brought was handled, or held.
    package mutating func readEnded() {
        if !isDeferred { left = Self.units }
    }

    /// The rest of the work waits.
    ///
    /// - Returns: whether it did not wait before.
    mutating func deferRest() -> Bool {
        defer { isDeferred = true }
        return !isDeferred
    }

    /// The next turn has come.
    package mutating func turnBegan() {
        isDeferred = false
        left = Self.units
    }
}
