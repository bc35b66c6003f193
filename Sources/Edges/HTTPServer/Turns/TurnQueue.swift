import GatewayCore
import NIOCore

/// A connection that works in turns.
package protocol TurnTaking: AnyObject {
    var front: ConnectionContext { get }
    var turn: TurnBudget { get set }
    /// Continues the work that was deferred.
    func takeTurn()
}

extension TurnTaking {
    /// Whether the budget is spent; then the rest of the work waits for the next turn.
    package func defersRest() -> Bool {
        guard turn.isSpent else { return false }
        if turn.deferRest() { front.turns.add(self) }
        return true
    }
}

/// The connections of one event loop that have exceeded their ``TurnBudget``. In each round they get another budget, one after the other, until
/// the round has taken its time; the rest are first in the next round.
///
/// NIO runs all tasks that are ready, also those that tasks add, before it looks at the sockets again. A round is therefore never followed by another
/// at once, but by a pause as long as the round and its writes took: deferred work takes about half of the loop's time at most.
final class TurnQueue {
    /// The shortest pause, in nanoseconds.
    static let shortestPause: UInt64 = 50_000
    /// The longest, for a clock that jumps.
    private static let longestPause: UInt64 = 100_000_000
    /// The time after which a round gives no more turns, in nanoseconds: no socket is read meanwhile. About 16 whole budgets.
    static let roundTime: UInt64 = 2_000_000

    private let loop: (any EventLoop)?
    private let clock: GatewayClock
    private var waiting = CircularBuffer<any TurnTaking>()
    private var isInRound = false

    /// - Parameter loop: nil: rounds are taken by ``takeRound()`` alone, in tests.
    init(loop: (any EventLoop)?, clock: GatewayClock) {
        self.loop = loop
        self.clock = clock
    }

    /// How many connections wait for the next round.
    var count: Int { waiting.count }

    func add(_ connection: any TurnTaking) {
        waiting.append(connection)
        if waiting.count == 1, !isInRound { schedule(after: Self.shortestPause) }
    }

    /// Gives each connection that waits its turn, as far as the time of a round goes.
    func takeRound() {
        let began = clock.monotonic()
        isInRound = true
        var due = waiting.count
        while due > 0, let connection = waiting.popFirst() {
            connection.takeTurn()
            due -= 1
            if clock.monotonic() > began &+ Self.roundTime { break }
        }
        isInRound = false
        guard !waiting.isEmpty, let loop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        // Behind the writes of this round, which a task of its own hands to the kernel.
        loop.execute { bound.value.schedule(since: began) }
    }

    private func schedule(since began: UInt64) {
        let now = clock.monotonic()
        schedule(after: max(Self.shortestPause, now > began ? now - began : 0))
    }

    private func schedule(after pause: UInt64) {
        guard let loop else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .nanoseconds(Int64(min(pause, Self.longestPause)))) { bound.value.takeRound() }
    }
}
