import NIOCore

/// A connection that works in turns.
protocol TurnTaking: AnyObject {
    var front: ServerFront { get }
    var turn: TurnBudget { get set }
    /// Continues the work that was deferred.
    func takeTurn()
}

extension TurnTaking {
    /// Whether the budget is spent; then the rest of the work waits for the next turn.
    func defersRest() -> Bool {
        guard turn.isSpent else { return false }
        if turn.deferRest() { front.turns.add(self) }
        return true
    }
}

/// The connections of one event loop that have exceeded their ``TurnBudget``. In each round, each of them gets another budget.
///
/// NIO runs all tasks that are ready, also those that tasks add, before it looks at the sockets again. A round is therefore never followed by another
/// at once, but by a pause as long as the round and its writes took: deferred work takes about half of the loop's time at most.
final class TurnQueue {
    /// The shortest pause, in nanoseconds.
    static let shortestPause: UInt64 = 50_000
    /// The longest, for a clock that jumps.
    private static let longestPause: UInt64 = 100_000_000

    private let loop: (any EventLoop)?
    private let clock: GatewayClock
    private var waiting: [any TurnTaking] = []
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

    /// Gives each connection that waits its turn.
    func takeRound() {
        let began = clock.monotonic()
        isInRound = true
        let due = waiting
        waiting = []
        for connection in due { connection.takeTurn() }
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
