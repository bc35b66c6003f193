import Testing

@testable import Routing

/// The cases of paths and routes from advisories of gateways in this field, by their IDs.
@Suite struct SecurityCasesRoutingTests {
    private static let admin = 0
    private static let open = 1

    /// A protected prefix beside routes that take everything else.
    private static func table() throws -> RouteTable {
        try RouteTable([
            RouteDefinition(pattern: "/admin/**"), RouteDefinition(pattern: "/public/**"),
            RouteDefinition(pattern: "/internal/x"), RouteDefinition(pattern: "/**"),
        ])
    }

    @Test(
        "B-01: dot segments reach no other rule, and what matched is forwarded",
        arguments: ["/public/../admin/secrets", "/public/x/../../admin/secrets", "/./public/.././admin/secrets"])
    func b01(path: String) throws {
        #expect(try Self.table().routed(path) == .route(Self.admin, "/admin/secrets"))
    }

    @Test(
        "B-02: encoded slashes and backslashes are refused",
        arguments: [
            "/public%2f..%2fadmin", "/public/..%2Fadmin", "/public%2F", "/public%5cadmin", "/public/..%5C..%5cadmin",
        ])
    func b02(path: String) throws {
        guard case .badPath = try Self.table().routed(path) else {
            Issue.record("not refused")
            return
        }
    }

    @Test(
        "B-02: encoded dots are dots for the rule and upstream",
        arguments: ["/public/%2e%2e/admin/x", "/public/.%2E/admin/x"])
    func b02EncodedDots(path: String) throws {
        #expect(try Self.table().routed(path) == .route(Self.admin, "/admin/x"))
    }

    @Test(
        "B-02: double encodings are refused",
        arguments: ["/public/%252e%252e/admin", "/public%252f..%252fadmin", "/public/%25%32%65%25%32%65/admin"])
    func b02DoubleEncoding(path: String) throws {
        #expect(try Self.table().routed(path) == .badPath(.doubleEncoding))
    }

    @Test(
        "B-02: path parameters on dot segments are refused",
        arguments: ["/public/..;/admin", "/public/..%3b/admin", "/.;/admin"])
    func b02Parameters(path: String) throws {
        #expect(try Self.table().routed(path) == .badPath(.parameterAfterDotSegment))
    }

    @Test(
        "B-04: one canonical path is matched and forwarded",
        arguments: [
            ("/admin/./b", "/admin/b"), ("//admin", "/admin"), ("/admin//x", "/admin/x"), ("/admin/.", "/admin/"),
            ("/admin/b/..", "/admin/"), ("///admin///x", "/admin/x"), ("/x/..//admin", "/admin"),
        ])
    func b04(path: String, expected: String) throws {
        #expect(try Self.table().routed(path) == .route(Self.admin, expected))
    }

    @Test("B-05: leading slashes are one slash", arguments: ["//internal/x", "///internal//x"])
    func b05(path: String) throws {
        #expect(try Self.table().routed(path) == .route(2, "/internal/x"))
    }

    @Test(
        "B-06: unreserved escapes are decoded before the match",
        arguments: ["/%41dmin", "/A%64min", "/%41%64%6D%69%6e"])
    func b06Escapes(path: String) throws {
        let table = try routeTable("/Admin", "/**")
        #expect(table.routed(path) == .route(0, "/Admin"))
    }

    @Test("B-06: case-insensitive routes take every spelling", arguments: ["/ADMIN", "/%41dmin", "/aDmIn"])
    func b06Case(path: String) throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/admin", caseInsensitive: true), RouteDefinition(pattern: "/**"),
        ])
        #expect(table.routeIndex(path) == 0)
    }

    @Test("B-06: hosts match in any case, however many a route has", arguments: [0, 99, 100, 4999])
    func b06Hosts(number: Int) throws {
        let hosts = (0..<5000).map { "Host\($0).example.com" }
        let table = try RouteTable([RouteDefinition(pattern: "/", hosts: hosts), RouteDefinition(pattern: "/")])
        #expect(table.routeIndex("/", host: "HOST\(number).EXAMPLE.com:443") == 0)
        #expect(table.routeIndex("/", host: "host5000.example.com") == 1)
    }

    @Test("B-07: a raw number sign is refused")
    func b07Raw() throws {
        #expect(try Self.table().routed("/admin#x") == .badPath(.fragment))
    }

    @Test("B-07: an encoded number sign neither ends a path nor widens a rule")
    func b07Encoded() throws {
        let table = try routeTable("/foo/{x}/bar", "/foo/secret/**", "/**")
        #expect(table.routed("/foo/secret%23/bar") == .route(0, "/foo/secret%23/bar"))
        #expect(table.routeIndex("/foo/secret%23") == 2)
    }

    @Test("B-08, B-09: an encoded question mark stays in the path, a raw one is refused here")
    func b08b09() throws {
        let table = try routeTable("/private", "/status", "/**")
        #expect(table.routed("/private%3fx=/status") == .route(2, "/private%3Fx=/status"))
        #expect(table.routed("/private?x=/status") == .badPath(.query))
    }

    @Test(
        "B-11: stripping a prefix yields no other path",
        arguments: [("/foo../bar", "/foo../bar"), ("/foo/../bar", "/bar"), ("/foo/bar", "/bar"), ("/foo", "/")])
    func b11(path: String, expected: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/**", stripPrefix: "/foo")])
        #expect(table.routed(path) == .route(0, expected))
    }

    @Test(
        "B-11: encoded slashes hide no dot segments from stripping",
        arguments: ["/foo/..%2fadmin", "/foo/%2e%2e%2fadmin", "/foo%2f../admin", "/foo/a%2F.."])
    func b11EncodedSlashes(path: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/**", encodedSlashes: .keep, stripPrefix: "/foo")])
        #expect(table.routed(path) == .badPath(.dotSegmentBesideEncodedSlash))
    }

    @Test("B-12: an encoded backslash is refused")
    func b12() throws {
        #expect(try Self.table().routed("/private%5csecret") == .badPath(.encodedBackslash))
    }

    @Test("B-13: a path that does not begin with a slash is refused", arguments: ["admin/x", "", "*", "http://h/x"])
    func b13(path: String) throws {
        #expect(try Self.table().routed(path) == .badPath(.notAbsolute))
    }

    @Test("B-16: a path that matches no rule goes nowhere")
    func b16() throws {
        #expect(try routeTable("/a", "/b/{x}").routed("/c") == .notFound)
    }

    @Test("B-17: a wildcard host needs the dot", arguments: ["evilexample.com", "example.com", "example.com.evil.org"])
    func b17(host: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/", hosts: ["*.example.com"])])
        #expect(table.routed("/", host: host) == .notFound)
    }

    @Test("B-21: two rules that collide are a configuration error")
    func b21() {
        let routes = [RouteDefinition(pattern: "/a/{x}"), RouteDefinition(pattern: "/a/{y}/")]
        #expect(problems(with: routes) == [RouteProblem(route: 1, reason: .equal(to: 0, host: nil, method: nil))])
    }

    @Test(
        "B-22: a path of 16 KiB costs a match no more steps than the patterns are deep",
        arguments: ["a/", "/", "./", "x/../", "%41/", "aaaaaaaaaaaaaaaaaaaaaaaa", "%61"])
    func b22(piece: String) throws {
        let patterns = (0..<1000).map { RouteDefinition(pattern: "/a/{x}/a/{y}/r\($0)/**") }
        let table = try RouteTable(patterns)
        var visits = 0
        let path = "/" + String(repeating: piece, count: 16_384 / piece.utf8.count)
        #expect(table.routed(path, visits: &visits) == .notFound)
        #expect(visits <= 6)
    }

    @Test(
        "C-04: a method is matched as it is, in its case",
        arguments: ["get", "GET ", "GET /admin", String(repeating: "A", count: 40)])
    func c04(method: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/", methods: ["GET"])])
        #expect(table.routed("/", method) == .methodNotAllowed("GET, HEAD"))
    }

    @Test(
        "L-08: the gateway's own paths cannot be routed to an upstream",
        arguments: ["/.gatehouse/nonce", "//%2Egatehouse/x"])
    func l08(path: String) throws {
        #expect(try Self.table().routed(path) == .notFound)
    }
}
