import Testing

@testable import Routing

/// The paragraph 'Which route' of the design, sentence by sentence.
@Suite struct WhichRouteTests {
    // MARK: Host

    private static let hosts = [
        RouteDefinition(pattern: "/a", hosts: ["api.example.com"]),
        RouteDefinition(pattern: "/a", hosts: ["*.example.com"]),
        RouteDefinition(pattern: "/a"),
        RouteDefinition(pattern: "/only-any"),
        RouteDefinition(pattern: "/a", hosts: ["*.b.example.com", "[2001:DB8::1]"]),
    ]

    @Test(arguments: [
        ("api.example.com", 0), ("x.example.com", 1), ("x.y.example.com", 1), ("example.com", 2), ("other.org", 2),
        ("", 2),
        ("x.b.example.com", 4), ("b.example.com", 1), ("[2001:db8::1]", 4), ("[2001:db8::1]:8080", 4),
        ("[2001:db8::2]", 2),
    ])
    func theHostIsExactThenWildcardThenAny(host: String, expected: Int) throws {
        #expect(try RouteTable(Self.hosts).routeIndex("/a", host: host) == expected)
    }

    @Test(arguments: ["API.Example.COM", "api.example.com:8080", "api.example.com.", "Api.example.com.:443"])
    func aHostsCasePortAndLastDotDoNotCount(host: String) throws {
        #expect(try RouteTable(Self.hosts).routeIndex("/a", host: host) == 0)
    }

    @Test func aHostInTheConfigurationMayBeOfAnyCase() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/", hosts: ["API.Example.com."])])
        #expect(table.routeIndex("/", host: "api.example.com") == 0)
    }

    @Test(arguments: ["example.com", ".example.com", "evilexample.com", "x..example.com", "example.com.evil.org"])
    func aWildcardStandsForOneOrMoreLabelsBeforeItsDot(host: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/", hosts: ["*.example.com"])])
        #expect(table.routed("/", host: host) == .notFound)
    }

    @Test func aHostWithoutThePathIsNotFoundAndFallsBackToNoOtherHost() throws {
        let table = try RouteTable(Self.hosts)
        #expect(table.routed("/only-any", host: "api.example.com") == .notFound)
        #expect(table.routed("/only-any", host: "x.example.com") == .notFound)
        #expect(table.routeIndex("/only-any", host: "other.org") == 3)
    }

    @Test func aHostThatNoRouteIsForIsNotFound() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/", hosts: ["a.com"])])
        #expect(table.routed("/", host: "b.com") == .notFound)
        #expect(table.routed("/", host: "") == .notFound)
    }

    // MARK: Path

    @Test(arguments: [
        ("/users/me", 0), ("/users/42", 1), ("/users/42/x", 2), ("/users", 2), ("/users/me/x", 2), ("/other", 3),
        ("/", 3),
    ])
    func aLiteralGoesBeforeACaptureBeforeTheRest(path: String, expected: Int) throws {
        let table = try routeTable("/users/me", "/users/{id}", "/users/**", "/{rest=**}")
        #expect(table.routeIndex(path) == expected)
    }

    @Test func aPatternThatEndsGoesBeforeARestOfNoSegments() throws {
        let table = try routeTable("/a/**", "/a")
        #expect(table.routeIndex("/a") == 1)
        #expect(table.routeIndex("/a/b") == 0)
    }

    @Test func onlyPatternsThatMatchTheWholePathAreCompared() throws {
        let table = try routeTable("/a/{x}/c", "/{y}/b/d")
        #expect(table.routeIndex("/a/b/d") == 1)
        #expect(table.routeIndex("/a/b/c") == 0)
        #expect(table.routed("/a/x/d") == .notFound)
    }

    @Test func theFirstSegmentWherePatternsDifferDecides() throws {
        let table = try routeTable("/{y}/b/c", "/a/{x}/{z}", "/a/**")
        #expect(table.routeIndex("/a/b/c") == 1)
        #expect(table.routeIndex("/x/b/c") == 0)
        #expect(table.routeIndex("/a/b/c/d") == 2)
    }

    @Test func aCaptureStandsForOneSegmentThatIsNotEmpty() throws {
        let table = try routeTable("/a/{x}")
        #expect(table.routeIndex("/a/b") == 0)
        #expect(table.routed("/a/") == .notFound)
        #expect(table.routed("/a") == .notFound)
        #expect(table.routed("/a/b/c") == .notFound)
    }

    @Test func theRestStandsForZeroOrMoreSegments() throws {
        let table = try routeTable("/a/**")
        for path in ["/a", "/a/", "/a/b", "/a/b/c/", "/a/" + String(repeating: "x/", count: 1000)] {
            #expect(table.routeIndex(path) == 0)
        }
        #expect(table.routed("/ab") == .notFound)
    }

    @Test func capturesAreWhatTheyStandForInTheCanonicalPath() throws {
        let table = try routeTable("/u/{uid}/x/{rest=**}", "/{a}/{b}/", "/none")
        #expect(table.captured("/u/%61b%20/x/c//d/") == ["uid=ab%20", "rest=c/d"])
        #expect(table.captured("/u/a/x/") == ["uid=a", "rest="])
        #expect(table.captured("/u/a/x") == ["uid=a", "rest="])
        #expect(table.captured("/one/two/") == ["a=one", "b=two"])
        #expect(table.captured("/none").isEmpty)
    }

    // MARK: Method

    @Test func aListedMethodGoesBeforeAny() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/a"), RouteDefinition(pattern: "/{x}", methods: ["POST"]),
            RouteDefinition(pattern: "/a", methods: ["POST", "PUT"]),
        ])
        #expect(table.routeIndex("/a", "POST") == 2)
        #expect(table.routeIndex("/a", "PUT") == 2)
        #expect(table.routeIndex("/a", "GET") == 0)
        #expect(table.routeIndex("/a", "PROPFIND") == 0)
    }

    @Test func aRouteForGETCoversHEAD() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/a", methods: ["GET"]), RouteDefinition(pattern: "/a"),
            RouteDefinition(pattern: "/b", methods: ["GET"]), RouteDefinition(pattern: "/b", methods: ["HEAD"]),
        ])
        #expect(table.routeIndex("/a", "HEAD") == 0)
        #expect(table.routeIndex("/b", "HEAD") == 3)
    }

    @Test func aPathWhoseRoutesDoNotListTheMethodIs405WithAllow() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/a", methods: ["POST", "GET"]),
            RouteDefinition(pattern: "/a", methods: ["DELETE"]),
            RouteDefinition(pattern: "/b", methods: ["POST"]),
        ])
        #expect(table.routed("/a", "PUT") == .methodNotAllowed("DELETE, GET, HEAD, POST"))
        #expect(table.routed("/a", "get") == .methodNotAllowed("DELETE, GET, HEAD, POST"))
        #expect(table.routed("/b", "GET") == .methodNotAllowed("POST"))
    }

    @Test func aMethodThatIsNotListedFallsBackToNoOtherPattern() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/users/me", methods: ["GET"]), RouteDefinition(pattern: "/users/{id}"),
            RouteDefinition(pattern: "/**"),
        ])
        #expect(table.routed("/users/me", "DELETE") == .methodNotAllowed("GET, HEAD"))
    }

    // MARK: The rest of the paragraph

    @Test func twoRoutesEqualInAllAreAnErrorThatNamesBoth() {
        let routes = [
            RouteDefinition(pattern: "/x"), RouteDefinition(pattern: "/a/{x}", hosts: ["H.com"], methods: ["GET"]),
            RouteDefinition(pattern: "/a/{y}/", hosts: ["b.com", "h.com"], methods: ["PUT", "GET"]),
        ]
        #expect(
            problems(with: routes) == [RouteProblem(route: 2, reason: .equal(to: 1, host: "h.com", method: "GET"))])
    }

    @Test func aSlashAtTheEndIsIgnoredForMatchingAndKeptInForwarding() throws {
        let table = try routeTable("/a", "/b/", "/c/{x}", "/")
        #expect(table.routed("/a/") == .route(0, "/a/"))
        #expect(table.routed("/b") == .route(1, "/b"))
        #expect(table.routed("/c/1/") == .route(2, "/c/1/"))
        #expect(table.routed("/") == .route(3, "/"))
    }

    @Test(arguments: [
        "/.gatehouse", "/.gatehouse/", "/.gatehouse/auth", "//.gatehouse/auth", "/%2egatehouse/auth",
        "/a/../.gatehouse/x",
        "/.gate%68ouse//x",
    ])
    func theGatewaysOwnPathsAreNeverMatched(path: String) throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/**", mergeSlashes: false), RouteDefinition(pattern: "/{a}/{b}"),
            RouteDefinition(pattern: "/{a}", caseInsensitive: true),
        ])
        #expect(table.routed(path) == .notFound)
    }

    @Test func theGatewaysOwnPathsAreNotHiddenByAnEncodedSlash() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/**", encodedSlashes: .keep)])
        #expect(table.routed("/.gatehouse%2Fauth") == .badPath(.encodedSlash))
        #expect(table.routeIndex("/.gatehousekeeping/x") == 0)
        #expect(table.routeIndex("/x/.gatehouse/y") == 0)
    }

    @Test func aRequestThatNoRouteMatchesIsNotFound() throws {
        #expect(try routeTable("/a").routed("/b") == .notFound)
        #expect(try RouteTable([]).routed("/") == .notFound)
    }
}
