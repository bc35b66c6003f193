import Testing

@testable import Routing
@testable import SystemFixtures

/// The cost of a match in visited nodes, which does not depend on the load of the machine.
@Suite struct RouteCostTests {
    private static func routes(_ count: Int) -> [RouteDefinition] {
        (0..<count).map { number in
            switch number % 4 {
            case 0: RouteDefinition(pattern: "/v1/resource\(number)")
            case 1: RouteDefinition(pattern: "/v1/resource\(number)/{id}/items/{item}")
            case 2: RouteDefinition(pattern: "/v1/resource\(number)/{id}/{rest=**}", methods: ["GET", "POST"])
            default: RouteDefinition(pattern: "/app\(number)/**")
            }
        }
    }

    private static let few = Result { try RouteTable(routes(10)) }
    private static let many = Result { try RouteTable(routes(10_000)) }

    private static func visits(_ table: RouteTable, _ path: String) -> Int {
        var visits = 0
        _ = table.routed(path, visits: &visits)
        return visits
    }

    @Test(arguments: [
        "/v1/resource4", "/v1/resource5/x/items/y", "/v1/resource6/x/y/z", "/app7/x", "/v1/none", "/none",
        "/v1/resource5/x/no",
    ])
    func `ten thousand routes take as many steps as ten`(path: String) throws {
        let few = try Self.few.get()
        let many = try Self.many.get()
        #expect(Self.visits(few, path) == Self.visits(many, path))
        #expect(Self.visits(many, path) <= 6)
    }

    @Test func `lookups of ten thousand literals probe few slots`() throws {
        let table = try Self.many.get()
        #expect(table.trie.longestProbe <= 32)
    }

    @Test func `no path takes more steps than the bound of the table`() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<5 {
            let (table, _) = try RouteTableDifferentialTests.table(&random, routes: 200)
            let bound = table.trie.worstCase().visits
            for _ in 0..<200 {
                // A path with empty segments may be matched in both of its forms.
                let path = RouteTableDifferentialTests.path(&random)
                #expect(Self.visits(table, path) <= 2 * bound)
                #expect(Self.visits(table, NaiveRouter.merged(path)) <= bound)
            }
        }
    }

    @Test func `the bound of a table without overlap is its depth`() throws {
        #expect(try Self.many.get().trie.worstCase().visits == 6)
    }

    @Test func `the bound includes failed branches`() throws {
        let table = try routeTable("/a/{x}/c", "/{y}/b/d")
        #expect(table.trie.worstCase().visits == 7)
        #expect(Self.visits(table, "/a/b/d") == 6)
    }
}
