/// The work that one connection may do before its event loop serves other connections.
///
/// The unit is about a microsecond. A request costs 32, a part of a body (a chunk, or the bytes of one read) 1, and
/// each KiB 1. The budget is refilled at the end of a socket read. A connection that exceeds it waits for its next turn
/// in the ``TurnQueue``.
package struct TurnBudget: Sendable {
    package static let units = 128
    static let unitsPerRequest = 32

    private var left = TurnBudget.units
    /// Whether the remaining work is deferred to the next turn.
    package private(set) var isDeferred = false

    var isSpent: Bool { left <= 0 }

    package init() {}

    package mutating func spendRequest(bytes: Int) {
        left &-= Self.unitsPerRequest &+ bytes >> 10
    }

    package mutating func spendPart(bytes: Int) {
        left &-= 1 &+ bytes >> 10
    }

    /// Refills the budget after all bytes of one read were processed or buffered.
    package mutating func readEnded() {
        if !isDeferred { left = Self.units }
    }

    /// Defers the remaining work. Returns whether it was not deferred before.
    mutating func deferRest() -> Bool {
        defer { isDeferred = true }
        return !isDeferred
    }

    /// Starts the next turn.
    package mutating func turnBegan() {
        isDeferred = false
        left = Self.units
    }
}
