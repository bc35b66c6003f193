import Testing

@testable import HTTPServer

@Suite struct TurnBudgetTests {
    /// How often `spend` may be called before the budget is spent.
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
