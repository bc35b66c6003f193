import GatewayCore
import NIOCore

/// A connection that processes its work in turns.
package protocol TurnTaking: AnyObject {
    var connectionContext: ConnectionContext { get }
    var turn: TurnBudget { get set }
    /// Continues the work that was deferred.
    func takeTurn()
}

extension TurnTaking {
    /// Returns whether the budget is spent. The remaining work is then deferred to the next turn.
    package func defersRest() -> Bool {
        guard turn.isSpent else { return false }
        if turn.deferRest() { connectionContext.turns.add(self) }
        return true
    }
}

/// The connections of one event loop that have exceeded their ``TurnBudget``. In each round they receive new budgets in
/// order, until the time of the round is over. The remaining ones are first in the next round.
///
/// NIO runs all ready tasks, including those added meanwhile, before it polls the sockets. Each round is therefore
/// followed by a pause as long as the round and its writes took. Deferred work takes at most about half of the loop's
/// time.
final class TurnQueue {
    /// The minimum pause, in nanoseconds.
    static let shortestPause: UInt64 = 50_000
    /// The maximum pause in nanoseconds, in case the clock jumps.
    private static let longestPause: UInt64 = 100_000_000
    /// The maximum time of a round in nanoseconds, during which no socket is read. About 16 full budgets.
    static let roundTime: UInt64 = 2_000_000

    private let loop: (any EventLoop)?
    private let clock: GatewayClock
    private var waiting = CircularBuffer<any TurnTaking>()
    private var isInRound = false

    /// Creates a queue. The loop is `nil` in tests, which call ``takeRound()`` themselves.
    init(loop: (any EventLoop)?, clock: GatewayClock) {
        self.loop = loop
        self.clock = clock
    }

    /// The number of connections that wait for the next round.
    var count: Int { waiting.count }

    func add(_ connection: any TurnTaking) {
        waiting.append(connection)
        if waiting.count == 1, !isInRound { schedule(after: Self.shortestPause) }
    }

    /// Gives each waiting connection its turn, within the time of a round.
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
        // Runs after the writes of this round, which a separate task flushes.
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
