import Testing

@testable import Routing

@Suite struct RoutePatternTests {
    private static func error(_ pattern: String) -> PatternError? {
        do {
            _ = try RoutePattern(pattern)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "/", "/a", "/a/", "/{x}", "/{x=**}", "/**", "/a/{b}/c/{d_1=**}", "/.well-known/{x}", "/%20", "/caf%C3%A9",
        "/@me",
        "/a;b", "/.gatehouses", "/a/.gatehouse", "/{_}", "/a/**/",
    ])
    func aPatternOfLiteralsCapturesAndARestIsGood(pattern: String) {
        #expect(Self.error(pattern) == nil)
    }

    @Test(arguments: [
        ("", PatternError.Reason.notAbsolute, 0), ("a/b", .notAbsolute, 0), ("/a//b", .emptySegment, 3),
        ("//", .emptySegment, 1), ("/{}", .emptyName, 2), ("/{=**}", .emptyName, 2), ("/a/{1x}", .badName, 4),
        ("/{a-b}", .badName, 3), ("/{x}/{x}", .duplicateName, 6), ("/{x}/{x=**}", .duplicateName, 6),
        ("/{x", .badCapture, 1), ("/a{x}", .badCapture, 2), ("/x}", .badCapture, 2), ("/{x}y", .badCapture, 1),
        ("/{x=*}", .badCapture, 3), ("/*", .wildcardInLiteral, 1), ("/a*b", .wildcardInLiteral, 2),
        ("/***", .wildcardInLiteral, 1), ("/**/a", .restNotLast, 4), ("/{x=**}/{y}", .restNotLast, 8),
        ("/**/**", .restNotLast, 4), ("/a/..", .dotSegment, 3), ("/./a", .dotSegment, 1), ("/%2e%2E/a", .dotSegment, 1),
        ("/a%7e", .notCanonical, 2), ("/%c3%A9", .notCanonical, 2), ("/a%2Fb", .encodedSlash, 1),
        ("/ab%zz", .impossible(.invalidEscape), 3), ("/a/%00", .impossible(.encodedNUL), 3),
        ("/x/a\\b", .impossible(.backslash), 4), ("/a?b", .impossible(.query), 2), ("/a#b", .impossible(.fragment), 2),
        ("/a b", .impossible(.control), 2), ("/é", .impossible(.nonASCII), 1),
        ("/..;a", .impossible(.parameterAfterDotSegment), 5),
        ("/.gatehouse", .reserved, 0), ("/.gatehouse/{x}", .reserved, 0), ("/.gatehouse/**", .reserved, 0),
    ])
    func aBadPatternTellsWhatAndWhere(pattern: String, reason: PatternError.Reason, offset: Int) {
        #expect(Self.error(pattern) == PatternError(reason: reason, offset: offset))
    }

    @Test func aPatternIsBounded() {
        #expect(Self.error("/" + String(repeating: "a", count: 2047)) == nil)
        #expect(Self.error("/" + String(repeating: "a", count: 2048))?.reason == .tooLong)
        #expect(Self.error(String(repeating: "/a", count: 64)) == nil)
        #expect(Self.error(String(repeating: "/a", count: 65))?.reason == .tooLong)
    }

    @Test func theReservedPathIsReservedInEachCaseThatTheRouteMatches() throws {
        #expect(throws: PatternError.self) { try RoutePattern("/.GateHouse/x", caseInsensitive: true) }
        _ = try RoutePattern("/.GateHouse/x")
    }

    @Test func aRouteThatKeepsEncodedSlashesMayHaveThemInLiterals() throws {
        _ = try RoutePattern("/a%2Fb", encodedSlashes: .keep)
    }

    @Test func capturesAreNamedInOrder() throws {
        #expect(try RoutePattern("/{b}/x/{a}/{c=**}").captureNames == ["b", "a", "c"])
        #expect(try RoutePattern("/x/**").captureNames.isEmpty)
    }

    @Test func caseCountsUnlessTheRouteSaysOtherwise() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/Admin/{x}/Z", caseInsensitive: true), RouteDefinition(pattern: "/b"),
        ])
        #expect(table.routed("/aDMIN/Kept/z") == .route(0, "/aDMIN/Kept/z"))
        #expect(table.routed("/B") == .notFound)
    }

    @Test func anExactLiteralGoesBeforeOneWithoutRegardToCaseBeforeACapture() throws {
        let table = try RouteTable([
            RouteDefinition(pattern: "/{x}"), RouteDefinition(pattern: "/admin", caseInsensitive: true),
            RouteDefinition(pattern: "/admin"),
        ])
        #expect(table.routeIndex("/admin") == 2)
        #expect(table.routeIndex("/ADMIN") == 1)
        #expect(table.routeIndex("/admins") == 0)
    }

    @Test(arguments: ["/users/@me", "/users/%40me", "/users/%40%6de"])
    func aLiteralIsNotSlippedPastByEscapingWhatMayStandRaw(path: String) throws {
        let table = try routeTable("/users/{id}", "/users/@me")
        #expect(table.routeIndex(path) == 1)
    }

    @Test func whatIsForwardedKeepsItsReservedEscapes() throws {
        #expect(try routeTable("/users/@me").routed("/users/%40me") == .route(0, "/users/%40me"))
        #expect(try routeTable("/a%40b").routed("/a@b") == .route(0, "/a@b"))
    }

    @Test func escapesOfDelimitersAreNotDecodedForTheComparison() throws {
        let table = try routeTable("/a%3Fb", "/c%23", "/d%25x", "/%25zz%40")
        #expect(table.routeIndex("/a%3fb") == 0)
        #expect(table.routeIndex("/c%23") == 1)
        #expect(table.routeIndex("/d%25x") == 2)
        #expect(table.routeIndex("/%25zz@") == 3)
    }
}
