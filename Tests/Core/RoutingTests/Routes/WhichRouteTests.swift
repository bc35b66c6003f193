import Testing

@testable import Routing

/// The section "Which route" of the design.
@Suite struct WhichRouteTests {
    private static let hosts = [
        RouteDefinition(pattern: "/a", hosts: ["API.Example.com."]),
        RouteDefinition(pattern: "/a", hosts: ["*.example.com"]),
        RouteDefinition(pattern: "/a"),
        RouteDefinition(pattern: "/only-any"),
        RouteDefinition(pattern: "/a", hosts: ["*.b.example.com", "[2001:DB8::1]"]),
    ]

    @Test(arguments: [
        ("api.example.com", 0), ("x.example.com", 1), ("x.y.example.com", 1), ("example.com", 2), ("other.org", 2),
        ("", 2), ("x.b.example.com", 4), ("b.example.com", 1), ("[2001:db8::1]", 4), ("[2001:db8::1]:8080", 4),
        ("[2001:db8::2]", 2),
    ])
    func `an exact host precedes a wildcard and any host`(host: String, expected: Int) throws {
        #expect(try RouteTable(Self.hosts).routeIndex("/a", host: host) == expected)
    }

    @Test(arguments: ["API.Example.COM", "api.example.com:8080", "api.example.com.", "Api.example.com.:443"])
    func `case, port and final dot of a host are ignored`(host: String) throws {
        #expect(try RouteTable(Self.hosts).routeIndex("/a", host: host) == 0)
    }

    @Test(arguments: ["example.com", ".example.com", "evilexample.com", "x..example.com", "example.com.evil.org"])
    func `B-17: a wildcard matches one or more labels before its dot`(host: String) throws {
        let table = try routeTable(.init(pattern: "/", hosts: ["*.example.com"]))
        #expect(table.routed("/", host: host) == .notFound)
    }

    @Test func `a host without the path is not found and falls back to no other host`() throws {
        let table = try RouteTable(Self.hosts)
        #expect(table.routed("/only-any", host: "api.example.com") == .notFound)
        #expect(table.routed("/only-any", host: "x.example.com") == .notFound)
        #expect(table.routeIndex("/only-any", host: "other.org") == 3)
    }

    static let cases = [
        RoutingCase(
            "a literal precedes a capture and the rest", ["/users/me", "/users/{id}", "/users/**", "/{rest=**}"],
            [
                "/users/me": .route(0, "/users/me"), "/users/42": .route(1, "/users/42"),
                "/users/42/x": .route(2, "/users/42/x"), "/users": .route(2, "/users"),
                "/users/me/x": .route(2, "/users/me/x"), "/other": .route(3, "/other"), "/": .route(3, "/"),
            ]),
        RoutingCase(
            "a pattern that ends precedes a rest of no segments", ["/a/**", "/a"],
            ["/a": .route(1, "/a"), "/a/b": .route(0, "/a/b")]),
        RoutingCase(
            "only patterns that match the whole path are compared", ["/a/{x}/c", "/{y}/b/d"],
            ["/a/b/d": .route(1, "/a/b/d"), "/a/b/c": .route(0, "/a/b/c"), "/a/x/d": .notFound]),
        RoutingCase(
            "the first segment where patterns differ decides", ["/{y}/b/c", "/a/{x}/{z}", "/a/**"],
            ["/a/b/c": .route(1, "/a/b/c"), "/x/b/c": .route(0, "/x/b/c"), "/a/b/c/d": .route(2, "/a/b/c/d")]),
        RoutingCase(
            "a capture stands for one segment that is not empty", ["/a/{x}"],
            ["/a/b": .route(0, "/a/b"), "/a/": .notFound, "/a": .notFound, "/a/b/c": .notFound]),
        RoutingCase(
            "the rest stands for zero or more segments", ["/a/**"],
            [
                "/a": .route(0, "/a"), "/a/": .route(0, "/a/"), "/a/b": .route(0, "/a/b"),
                "/a/b/c/": .route(0, "/a/b/c/"), long: .route(0, long), "/ab": .notFound,
            ]),
        RoutingCase(
            "a listed method precedes any method",
            ["/a", .init(pattern: "/{x}", methods: ["POST"]), .init(pattern: "/a", methods: ["POST", "PUT"])],
            [
                "POST /a": .route(2, "/a"), "PUT /a": .route(2, "/a"), "GET /a": .route(0, "/a"),
                "PROPFIND /a": .route(0, "/a"),
            ]),
        RoutingCase(
            "a route for GET covers HEAD",
            [
                .init(pattern: "/a", methods: ["GET"]), "/a", .init(pattern: "/b", methods: ["GET"]),
                .init(pattern: "/b", methods: ["HEAD"]),
            ],
            ["HEAD /a": .route(0, "/a"), "HEAD /b": .route(3, "/b")]),
        RoutingCase(
            "a method that no route lists is 405 with Allow",
            [
                .init(pattern: "/a", methods: ["POST", "GET"]), .init(pattern: "/a", methods: ["DELETE"]),
                .init(pattern: "/b", methods: ["POST"]),
            ],
            ["PUT /a": .methodNotAllowed("DELETE, GET, HEAD, POST"), "GET /b": .methodNotAllowed("POST")]),
        RoutingCase(
            "a method that is not listed falls back to no other pattern",
            [.init(pattern: "/users/me", methods: ["GET"]), "/users/{id}", "/**"],
            ["DELETE /users/me": .methodNotAllowed("GET, HEAD")]),
        RoutingCase(
            "a slash at the end is ignored for matching and kept in forwarding", ["/a", "/b/", "/c/{x}", "/"],
            ["/a/": .route(0, "/a/"), "/b": .route(1, "/b"), "/c/1/": .route(2, "/c/1/"), "/": .route(3, "/")]),
        RoutingCase(
            "an encoded slash does not hide a builtin path", [.init(pattern: "/**", encodedSlashes: .keep)],
            [
                "/.gatehouse%2Fauth": .badPath(.encodedSlash), "/x/.gatehouse/y": .route(0, "/x/.gatehouse/y"),
                "/.gatehousekeeping/x": .route(0, "/.gatehousekeeping/x"),
            ]),
    ]

    private static let long = "/a/" + String(repeating: "x/", count: 1000)

    @Test(arguments: cases)
    func `the most specific route is chosen`(routing: RoutingCase) throws { try routing.check() }

    @Test func `captures are segments of the canonical path`() throws {
        let table = try routeTable("/u/{uid}/x/{rest=**}", "/{a}/{b}/", "/none")
        #expect(table.captured("/u/%61b%20/x/c//d/") == ["uid=ab%20", "rest=c/d"])
        #expect(table.captured("/u/a/x/") == ["uid=a", "rest="])
        #expect(table.captured("/u/a/x") == ["uid=a", "rest="])
        #expect(table.captured("/one/two/") == ["a=one", "b=two"])
        #expect(table.captured("/none").isEmpty)
    }

    @Test(arguments: ["get", "GET ", "GET /admin", String(repeating: "A", count: 40)])
    func `C-04: a method is compared case-sensitively`(method: String) throws {
        let table = try routeTable(.init(pattern: "/", methods: ["GET"]))
        #expect(table.routed("/", method) == .methodNotAllowed("GET, HEAD"))
    }

    @Test(arguments: [
        "/.gatehouse", "/.gatehouse/", "/.gatehouse/auth", "//.gatehouse/auth", "/%2egatehouse/auth",
        "/a/../.gatehouse/x", "/.gate%68ouse//x", "/.gatehouse/nonce", "//%2Egatehouse/x",
    ])
    func `L-08: builtin paths are never matched`(path: String) throws {
        let table = try routeTable(
            .init(pattern: "/**", mergeSlashes: false), "/{a}/{b}", .init(pattern: "/{a}", caseInsensitive: true))
        #expect(table.routed(path) == .notFound)
    }

    @Test func `B-16: a request that no route matches is not found`() throws {
        #expect(try routeTable("/a", "/b/{x}").routed("/c") == .notFound)
        let hosts = try routeTable(.init(pattern: "/", hosts: ["a.com"]))
        #expect(hosts.routed("/", host: "b.com") == .notFound)
        #expect(hosts.routed("/", host: "") == .notFound)
        #expect(try routeTable().routed("/") == .notFound)
    }
}
