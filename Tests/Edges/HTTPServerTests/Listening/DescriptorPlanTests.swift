import HTTPServer
import Testing

@Suite struct DescriptorPlanTests {
    /// One upstream of 100 connections, 2 workers, one listener: 2 * (100 + 3 + 1) + 64 + 64 beside the clients.
    private func plan(connections: Int = 1000, available: Int) throws(DescriptorPlan.Shortage) -> DescriptorPlan {
        try DescriptorPlan(
            connections: connections, upstreamConnections: 100, adminConnections: 64, workers: 2, listeners: 1,
            available: available)
    }

    @Test func whereThereIsEnoughTheLimitHolds() throws {
        let plan = try plan(available: 1336)
        #expect(plan.needed == 1336)
        #expect(plan.connections == 1000)
        #expect(!plan.isShort)
    }

    @Test(arguments: [(1335, 999), (1024, 688), (400, 64)])
    func whereThereIsLessTheClientsGetTheRest(available: Int, connections: Int) throws {
        let plan = try plan(available: available)
        #expect(plan.connections == connections)
        #expect(plan.isShort)
    }

    @Test(arguments: [399, 64, 0]) func withTooFewClientsItDoesNotStart(available: Int) throws {
        let error = try #require(throws: DescriptorPlan.Shortage.self) { try plan(available: available) }
        #expect(error.description.contains("may open \(available) files and needs 1336"))
        #expect(error.description.contains("LimitNOFILE="))
    }

    @Test func whoWantsFewGetsThem() throws {
        #expect(try plan(connections: 4, available: 340).connections == 4)
        #expect(throws: DescriptorPlan.Shortage.self) { try plan(connections: 4, available: 339) }
    }

    @Test func withoutABoundThereIsEnough() throws {
        #expect(try plan(connections: 1_000_000, available: .max).connections == 1_000_000)
    }

    @Test func theLimitOfTheProcessIsRaisedOnce() {
        let limit = DescriptorLimit.raise()
        #expect(limit >= 256)
        #expect(DescriptorLimit.raise() == limit)
    }
}
