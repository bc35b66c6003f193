import NIOCore
import NIOEmbedded
import Testing

@testable import CoreFixtures
@testable import HTTPServer

@Suite struct TurnQueueTests {
    /// A connection with work for a number of turns, each of which takes `seconds` seconds.
    private final class Connection: TurnTaking {
        let connectionContext: ConnectionContext
        let clock: ManualClock
        var turn = TurnBudget()
        var left: Int
        let seconds: Double
        private(set) var turns = 0

        init(_ connectionContext: ConnectionContext, _ clock: ManualClock, work: Int, seconds: Double) {
            (self.connectionContext, self.clock, left, self.seconds) = (connectionContext, clock, work, seconds)
        }

        func takeTurn() {
            turn.turnBegan()
            turns += 1
            left -= 1
            clock.advance(seconds: seconds)
            if left > 0 { begin() }
        }

        func begin() {
            turn.spendPart(bytes: 1 << 30)
            #expect(defersRest())
        }
    }

    private let clock = ManualClock()
    private let loop = EmbeddedEventLoop()
    private let connectionContext: ConnectionContext

    init() { connectionContext = ConnectionContext(limits: ConnectionLimits(), clock: clock.clock, loop: loop) }

    private func connection(work: Int, seconds: Double = 0) -> Connection {
        let connection = Connection(connectionContext, clock, work: work, seconds: seconds)
        connection.begin()
        return connection
    }

    @Test func `each connection gets one turn in a round, and no turn before the end of the pause`() {
        let (first, second) = (connection(work: 3), connection(work: 1))
        loop.run()
        #expect(first.turns == 0)
        for round in 1...3 {
            loop.advanceTime(by: .nanoseconds(Int64(TurnQueue.shortestPause)))
            loop.run()
            #expect(first.turns == round && second.turns == 1)
        }
        loop.advanceTime(by: .seconds(1))
        #expect(first.turns == 3 && connectionContext.turns.count == 0)
    }

    @Test func `a round ends after its time, and the next begins with the rest`() {
        let connections = (0..<5).map { _ in connection(work: 2, seconds: 0.0015) }
        var turns: [[Int]] = []
        for _ in 0..<5 {
            connectionContext.turns.takeRound()
            turns.append(connections.map(\.turns))
        }
        #expect(turns == [[1, 1, 0, 0, 0], [1, 1, 1, 1, 0], [2, 1, 1, 1, 1], [2, 2, 2, 1, 1], [2, 2, 2, 2, 2]])
        #expect(connectionContext.turns.count == 0)
    }

    @Test func `the pause after a round is as long as the round`() {
        let slow = connection(work: 3, seconds: 0.01)
        loop.advanceTime(by: .milliseconds(1))
        #expect(slow.turns == 1)
        loop.run()
        loop.advanceTime(by: .milliseconds(9))
        #expect(slow.turns == 1)
        loop.advanceTime(by: .milliseconds(1))
        #expect(slow.turns == 2)
    }
}

@Suite struct TurnBudgetTests {
    /// The number of `spend` calls before the budget is spent.
    private func count(_ spend: (inout TurnBudget) -> Void) -> Int {
        var budget = TurnBudget()
        var count = 0
        while !budget.isSpent {
            spend(&budget)
            count += 1
        }
        return count
    }

    @Test func `a turn has room for four small requests, 128 small parts or 128 KiB`() {
        #expect(count { $0.spendRequest(bytes: 100) } == 4)
        #expect(count { $0.spendPart(bytes: 1) } == 128)
        #expect(count { $0.spendPart(bytes: 65_536) } == 2)
        #expect(count { $0.spendRequest(bytes: 65_536) } == 2)
    }

    @Test func `the end of a read fills the budget, but not while work waits`() {
        var budget = TurnBudget()
        budget.spendPart(bytes: 1 << 20)
        budget.readEnded()
        #expect(!budget.isSpent)
        budget.spendPart(bytes: 1 << 20)
        let first = budget.deferRest()
        let second = budget.deferRest()
        #expect(first && !second)
        budget.readEnded()
        #expect(budget.isSpent && budget.isDeferred)
        budget.turnBegan()
        #expect(!budget.isSpent && !budget.isDeferred)
    }
}
