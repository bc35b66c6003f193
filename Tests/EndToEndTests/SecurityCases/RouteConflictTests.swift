import Testing

@testable import SystemFixtures

/// What cannot be meant is refused before anything is served.
struct RouteConflictTests {
    static let conflicts: [(what: String, routes: [String])] = [
        ("the same twice", ["path: /x, upstream: api", "path: /x, auth: none, upstream: api"]),
        ("another capture's name", ["path: '/a/{x}', upstream: api", "path: '/a/{y}', auth: none, upstream: api"]),
        ("two spellings of the rest", ["path: /a/**, upstream: api", "path: '/a/{r=**}', auth: none, upstream: api"]),
        ("a trailing slash", ["path: /x, upstream: api", "path: /x/, auth: none, upstream: api"]),
        ("an escape", ["path: /a, upstream: api", "path: /%61, auth: none, upstream: api"]),
        (
            "a host's case",
            [
                "path: /x, host: a.example, upstream: api", "path: /x, host: A.Example, auth: none, upstream: api",
            ]
        ),
        (
            "one host of several",
            [
                "path: /x, host: [a.example, b.example], upstream: api",
                "path: /x, host: b.example, auth: none, upstream: api",
            ]
        ),
        (
            "one method of several",
            [
                "path: /x, methods: [GET, PUT], upstream: api", "path: /x, methods: [put], auth: none, upstream: api",
            ]
        ),
        (
            "HEAD by GET",
            [
                "path: /x, methods: [GET], upstream: api", "path: /x, methods: [get], auth: none, upstream: api",
            ]
        ),
        (
            "a third far away",
            [
                "path: /x, upstream: api", "path: /y, upstream: api", "path: /x, auth: none, upstream: api",
            ]
        ),
    ]

    @Test(.tags(.b21), arguments: conflicts)
    func `conflicting routes are a configuration error`(row: (what: String, routes: [String])) async throws {
        let run = try await load(row.routes)
        #expect(run.exitCode == 1, "\(row.what): \(run.output)")
        #expect(run.errors.contains("conflict.yaml:\(3 + row.routes.count):"), "\(row.what): \(run.errors)")
    }

    @Test(arguments: [
        [], ["path: /x"], ["auth: none, upstream: api"], ["path: x, upstream: api"], ["path: /x, upstream: other"],
        ["path: /x, upstream: api, auth: public"], ["path: /x, upstream: api, auth: false"],
        ["path: /../x, upstream: api"], ["path: '/.gatehouse/x', auth: none, upstream: api"],
    ])
    func b16ARouteThatSaysNothingClearlyIsNoRoute(routes: [String]) async throws {
        #expect(try await load(routes).exitCode == 1, "\(routes)")
    }

    private func load(_ routes: [String]) async throws -> CommandRun {
        let folder = try ScratchFolder()
        let text =
            "identity: { firebase: { project: demo } }\nupstreams: { api: { servers: ['http://127.0.0.1:1'] } }\nroutes:"
            + (routes.isEmpty ? " []\n" : "\n" + routes.map { "  - { \($0) }\n" }.joined())
        try folder.write(text, to: "conflict.yaml")
        return try await CommandRun.run("check", "--config", "conflict.yaml", in: folder)
    }
}
