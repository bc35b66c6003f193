import Testing

@testable import Routing

/// `merge_slashes`, `encoded_slashes` and `strip_prefix`: what is matched is what is forwarded.
@Suite struct SlashOptionTests {
    // MARK: merge_slashes

    @Test func aRouteThatKeepsEmptySegmentsForwardsThem() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/files/**", mergeSlashes: false)])
        #expect(table.routed("/files/a//b/") == .route(0, "/files/a//b/"))
        #expect(table.routed("/files//b//") == .route(0, "/files//b//"))
        #expect(table.routed("/files/x/.//../b%2D") == .route(0, "/files/x/b-"))
    }

    @Test func aRouteThatKeepsEmptySegmentsMustMatchThem() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/admin/{x}", mergeSlashes: false), RouteDefinition(pattern: "/**"),
        ])
        #expect(table.routed("/admin/1") == .route(0, "/admin/1"))
        #expect(table.routed("//admin/1") == .notFound)
        #expect(table.routed("/admin//1") == .notFound)
        #expect(table.routed("/admin/1//") == .notFound)
    }

    @Test func anEmptySegmentLeadsAroundNoMoreSpecificRoute() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/**", mergeSlashes: false), RouteDefinition(pattern: "/admin/**"),
            RouteDefinition(pattern: "/strict/**", mergeSlashes: false),
        ])
        #expect(table.routed("//admin/x") == .route(1, "/admin/x"))
        #expect(table.routed("//other//x") == .route(0, "//other//x"))
        #expect(table.routed("//strict/x") == .notFound)
        #expect(table.routed("/strict//x") == .route(2, "/strict//x"))
    }

    @Test func theMethodIsChosenBeforeTheForm() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/a/**", methods: ["GET"], mergeSlashes: false),
            RouteDefinition(pattern: "/a/**", methods: ["PUT"]),
        ])
        #expect(table.routed("/a//b", "GET") == .route(0, "/a//b"))
        #expect(table.routed("/a//b", "PUT") == .route(1, "/a/b"))
    }

    @Test func capturesOfARestKeepEmptySegmentsWithTheRoute() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/f/{rest=**}", mergeSlashes: false)])
        #expect(table.captured("/f/a//b/") == ["rest=a//b"])
    }

    // MARK: encoded_slashes

    @Test func anEncodedSlashIsRefusedUnlessTheRouteKeepsIt() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/keep/{x}", encodedSlashes: .keep), RouteDefinition(pattern: "/a/**"),
            RouteDefinition(pattern: "/m", methods: ["GET"], encodedSlashes: .keep),
            RouteDefinition(pattern: "/mixed/{x}", methods: ["GET"], encodedSlashes: .keep),
            RouteDefinition(pattern: "/mixed/{x}", methods: ["PUT"]),
        ])
        #expect(table.routed("/keep/a%2fb") == .route(0, "/keep/a%2Fb"))
        #expect(table.routed("/a/x%2Fb") == .badPath(.encodedSlash))
        #expect(table.routed("/nothing%2F") == .badPath(.encodedSlash))
        #expect(table.routed("/mixed/%2F", "GET") == .route(3, "/mixed/%2F"))
        #expect(table.routed("/mixed/%2F", "PUT") == .badPath(.encodedSlash))
        #expect(table.routed("/mixed/%2F", "POST") == .methodNotAllowed("GET, HEAD, PUT"))
    }

    @Test func anEncodedSlashIsRefusedAlsoInASegmentThatDotsRemove() throws {
        #expect(try routeTable("/**").routed("/a%2Fb/../c") == .badPath(.encodedSlash))
    }

    @Test func anEncodedSlashSeparatesNoSegments() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/{x}", encodedSlashes: .keep),
            RouteDefinition(pattern: "/a/b", encodedSlashes: .keep),
        ])
        #expect(table.routed("/a%2Fb") == .route(0, "/a%2Fb"))
        #expect(table.captured("/a%2Fb") == ["x=a%2Fb"])
    }

    @Test(arguments: [
        "/keep/..%2Fb", "/keep/a%2F..", "/keep/a%2f..%2fb", "/keep/.%2Fx", "/keep/a%2F%2e%2e%2Fb", "/keep/a%2F..%2F",
        "/keep/a%2F./x",
    ])
    func aDotSegmentBesideAnEncodedSlashIsAlwaysRefused(path: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/keep/**", encodedSlashes: .keep)])
        #expect(table.routed(path) == .badPath(.dotSegmentBesideEncodedSlash))
    }

    // MARK: strip_prefix

    @Test(arguments: [
        ("/api/v1", "/"), ("/api/v1/", "/"), ("/api/v1/x", "/x"), ("/api/v1/x/", "/x/"), ("/%61pi/v1//x", "/x"),
    ])
    func wholeSegmentsAreStrippedAndTheRestBeginsWithASlash(path: String, expected: String) throws {
        let table = try RouteTable([RouteDefinition(pattern: "/api/v1/**", stripPrefix: "/api/v1")])
        #expect(table.routed(path) == .route(0, expected))
    }

    @Test func aPrefixEndsAtASegmentsEnd() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/**", stripPrefix: "/foo/")])
        #expect(table.routed("/foo/bar") == .route(0, "/bar"))
        #expect(table.routed("/foobar/x") == .route(0, "/foobar/x"))
        #expect(table.routed("/foo../bar") == .route(0, "/foo../bar"))
        #expect(table.routed("/x/foo/bar") == .route(0, "/x/foo/bar"))
    }

    @Test func aPrefixIsComparedAsTheRoutesLiteralsAre() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/Api/**", caseInsensitive: true, stripPrefix: "/api"),
            RouteDefinition(pattern: "/@x/**", stripPrefix: "/@x"),
            RouteDefinition(pattern: "/none/**", stripPrefix: "/"),
        ])
        #expect(table.routed("/API/x") == .route(0, "/x"))
        #expect(table.routed("/%40x/y") == .route(1, "/y"))
        #expect(table.routed("/none/y") == .route(2, "/none/y"))
    }

    @Test func aRouteThatKeepsEmptySegmentsKeepsThemBehindThePrefix() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/a/**", mergeSlashes: false, stripPrefix: "/a")])
        #expect(table.routed("/a/x//y") == .route(0, "/x//y"))
    }

    @Test func anEmptySegmentDirectlyBehindThePrefixIsRefused() throws {
        // `//x/y` would name the server x.
        let problem = Array("//x/y".utf8).withUnsafeBytes { StripPrefix.problem(with: $0) }
        #expect(problem?.reason == .emptySegmentAfterStrip)
        let table = try RouteTable([RouteDefinition(pattern: "/a/**", mergeSlashes: false, stripPrefix: "/a")])
        #expect(table.routed("/a//x/y") == .badPath(.emptySegmentAfterStrip))
    }

    @Test func theMatchedPathKeepsThePrefix() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/a/{x}", stripPrefix: "/a")])
        #expect(table.captured("/a/b") == ["x=b"])
    }

    @Test func theGatewaysOwnPathsDoNotAppearByStripping() throws {
        let table = try RouteTable([RouteDefinition(pattern: "/a/**", stripPrefix: "/a")])
        #expect(table.routed("/a/.gatehouse/auth") == .notFound)
    }

    @Test(arguments: ["/../x", "/x/.", "/..%2Fx", "/a%2f..", "/..;x"])
    func dotSegmentsAfterStrippingAreRefused(path: String) {
        let problem = Array(path.utf8).withUnsafeBytes { StripPrefix.problem(with: $0) }
        #expect(problem?.reason == .dotSegmentAfterStrip)
    }

    @Test func anythingButAnAbsolutePathAfterStrippingIsRefused() {
        let problem = Array("x/y".utf8).withUnsafeBytes { StripPrefix.problem(with: $0) }
        #expect(problem?.reason == .notAbsolute)
    }

    @Test(arguments: [
        ("/{x}", PatternError.Reason.notLiteral), ("/a/**", .notLiteral), ("a", .notAbsolute), ("/a/..", .dotSegment),
        ("/%7e", .notCanonical), ("/a//b", .emptySegment),
    ])
    func aBadPrefixIsAnError(prefix: String, reason: PatternError.Reason) {
        let reasons = problems(with: [RouteDefinition(pattern: "/**", stripPrefix: prefix)]).map(\.reason)
        guard case .stripPrefix(let error)? = reasons.first else {
            Issue.record("\(reasons)")
            return
        }
        #expect(error.reason == reason)
    }

    @Test(arguments: [("/a/**", "/b"), ("/a", "/a/b"), ("/{x}", "/a/b"), ("/a/b/**", "/a/c")])
    func aPrefixThatNoPathOfTheRouteHasIsAnError(pattern: String, prefix: String) {
        let routes = [RouteDefinition(pattern: pattern, stripPrefix: prefix)]
        #expect(problems(with: routes) == [RouteProblem(route: 0, reason: .stripPrefixNeverApplies)])
    }
}
