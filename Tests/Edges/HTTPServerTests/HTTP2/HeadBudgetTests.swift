import Testing

@testable import HTTPServer

@Suite struct HeadBudgetTests {
    @Test(
        arguments: [
            ([100], [true]), ([101], [true]), ([60, 40], [true, true]), ([60, 41], [true, false]),
            ([60, 41, 40], [true, false, true]), ([101, 0], [true, false]),
            ([101, 1, -101, 1], [true, false, true, true]),
            ([60, 40, 1, -60, 60], [true, true, false, true, true]), ([50, .max], [true, false]),
        ] as [([Int], [Bool])])
    func `heads are held up to the limit, and one of any size`(steps: [Int], expected: [Bool]) {
        var budget = HeadBudget(100)
        let results = steps.map { step in
            guard step < 0 else { return budget.take(step) }
            budget.release(-step)
            return true
        }
        #expect(results == expected)
    }

    @Test func `a hundred streams may hold heads of 10 KiB`() {
        let limits = HTTP2Limits()
        #expect(limits.streams * HTTP2Limits.headBytesPerStream == 1_024_000)
    }
}
