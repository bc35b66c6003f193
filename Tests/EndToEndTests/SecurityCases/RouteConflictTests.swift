import Testing

@testable import SystemFixtures

/// Conflicting or ambiguous routes are rejected at start.
struct RouteConflictTests {
    /// The rows represent each kind of conflict. `SecurityCasesRoutingTests` and `BrokenRouteTests` have all of them.
    static let conflicts: [(what: String, routes: [String])] = [
        ("the same twice", ["path: /x, upstream: api", "path: /x, auth: none, upstream: api"]),
        ("an escape", ["path: /a, upstream: api", "path: /%61, auth: none, upstream: api"]),
        (
            "one method of several",
            [
                "path: /x, methods: [GET, PUT], upstream: api", "path: /x, methods: [put], auth: none, upstream: api",
            ]
        ),
    ]

    @Test(.tags(.b21), arguments: conflicts)
    func `conflicting routes are a configuration error`(row: (what: String, routes: [String])) async throws {
        let run = try await load(row.routes)
        #expect(run.exitCode == 1, "\(row.what): \(run.output)")
        #expect(run.errors.contains("gatehouse.yaml:\(3 + row.routes.count):"), "\(row.what): \(run.errors)")
    }

    @Test(arguments: [
        [], ["auth: none, upstream: api"], ["path: /x, upstream: api, auth: false"],
        ["path: '/.gatehouse/x', auth: none, upstream: api"],
    ])
    func `B-16: an ambiguous route is a configuration error`(routes: [String]) async throws {
        #expect(try await load(routes).exitCode == 1, "\(routes)")
    }

    private func load(_ routes: [String]) async throws -> CommandRun {
        let head = "identity: { firebase: { project: demo } }\n" + CheckTests.upstreams + "routes:"
        return try await CommandRun.check(
            head + (routes.isEmpty ? " []\n" : "\n" + routes.map { "  - { \($0) }\n" }.joined()))
    }
}
