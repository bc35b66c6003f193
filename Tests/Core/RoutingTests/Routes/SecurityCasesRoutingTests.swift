import Testing

@testable import Routing

/// Cases of paths and routes from advisories of other gateways, by their IDs.
@Suite struct SecurityCasesRoutingTests {
    private static func table() throws -> RouteTable {
        try routeTable("/admin/**", "/public/**", "/internal/x", "/**", "/Admin")
    }

    @Test(arguments: [
        ("/public/../admin/secrets", 0, "/admin/secrets"), ("/public/x/../../admin/secrets", 0, "/admin/secrets"),
        ("/./public/.././admin/secrets", 0, "/admin/secrets"), ("/public/%2e%2e/admin/x", 0, "/admin/x"),
        ("/public/.%2E/admin/x", 0, "/admin/x"), ("/admin/./b", 0, "/admin/b"), ("//admin", 0, "/admin"),
        ("/admin//x", 0, "/admin/x"), ("/admin/.", 0, "/admin/"), ("/admin/b/..", 0, "/admin/"),
        ("///admin///x", 0, "/admin/x"), ("/x/..//admin", 0, "/admin"), ("//internal/x", 2, "/internal/x"),
        ("///internal//x", 2, "/internal/x"), ("/%41dmin", 4, "/Admin"), ("/A%64min", 4, "/Admin"),
        ("/%41%64%6D%69%6e", 4, "/Admin"),
    ])
    func `B-01, B-02, B-04, B-05, B-06: the canonical path is matched and forwarded`(
        path: String, index: Int, forwarded: String
    ) throws {
        #expect(try Self.table().routed(path) == .route(index, forwarded))
    }

    @Test(arguments: [
        "/public%2f..%2fadmin", "/public/..%2Fadmin", "/public%2F", "/public%5cadmin", "/public/..%5C..%5cadmin",
    ])
    func `B-02: encoded slashes and backslashes are rejected`(path: String) throws {
        guard case .badPath = try Self.table().routed(path) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: [0, 99, 100, 4999])
    func `B-06: hosts match in any case, for any number of hosts`(number: Int) throws {
        let hosts = (0..<5000).map { "Host\($0).example.com" }
        let table = try routeTable(.init(pattern: "/", hosts: hosts), "/")
        #expect(table.routeIndex("/", host: "HOST\(number).EXAMPLE.com:443") == 0)
        #expect(table.routeIndex("/", host: "host5000.example.com") == 1)
    }

    @Test func `B-07: an encoded number sign neither ends a path nor widens a rule`() throws {
        let table = try routeTable("/foo/{x}/bar", "/foo/secret/**", "/**")
        #expect(table.routed("/foo/secret%23/bar") == .route(0, "/foo/secret%23/bar"))
        #expect(table.routeIndex("/foo/secret%23") == 2)
    }

    @Test func `B-08, B-09: an encoded question mark stays in the path`() throws {
        let table = try routeTable("/private", "/status", "/**")
        #expect(table.routed("/private%3fx=/status") == .route(2, "/private%3Fx=/status"))
    }

    @Test(arguments: ["a/", "/", "./", "x/../", "%41/", "aaaaaaaaaaaaaaaaaaaaaaaa", "%61"])
    func `B-22: a path of 16 KiB takes no more steps than the depth of the patterns`(piece: String) throws {
        let table = try RouteTable((0..<1000).map { RouteDefinition(pattern: "/a/{x}/a/{y}/r\($0)/**") })
        var visits = 0
        let path = "/" + String(repeating: piece, count: 16_384 / piece.utf8.count)
        #expect(table.routed(path, visits: &visits) == .notFound)
        #expect(visits <= 6)
    }
}
