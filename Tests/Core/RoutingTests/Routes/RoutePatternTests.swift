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
        "/@me", "/a;b", "/.gatehouses", "/a/.gatehouse", "/{_}", "/a/**/",
    ])
    func `a pattern of literals, captures and a rest is valid`(pattern: String) {
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
    func `an invalid pattern is reported with reason and offset`(
        pattern: String, reason: PatternError.Reason, offset: Int
    ) {
        #expect(Self.error(pattern) == PatternError(reason: reason, offset: offset))
    }

    @Test func `a pattern is bounded`() {
        #expect(Self.error("/" + String(repeating: "a", count: 2047)) == nil)
        #expect(Self.error("/" + String(repeating: "a", count: 2048))?.reason == .tooLong)
        #expect(Self.error(String(repeating: "/a", count: 64)) == nil)
        #expect(Self.error(String(repeating: "/a", count: 65))?.reason == .tooLong)
    }

    @Test func `the options of the route decide about reserved paths and encoded slashes`() throws {
        #expect(throws: PatternError.self) { try RoutePattern("/.GateHouse/x", caseInsensitive: true) }
        _ = try RoutePattern("/.GateHouse/x")
        _ = try RoutePattern("/a%2Fb", encodedSlashes: .keep)
    }

    @Test func `captures are named in order`() throws {
        #expect(try RoutePattern("/{b}/x/{a}/{c=**}").captureNames == ["b", "a", "c"])
        #expect(try RoutePattern("/x/**").captureNames.isEmpty)
    }

    @Test(arguments: [
        RoutingCase(
            "case is significant unless the route ignores it",
            [.init(pattern: "/Admin/{x}/Z", caseInsensitive: true), "/b"],
            ["/aDMIN/Kept/z": .route(0, "/aDMIN/Kept/z"), "/B": .notFound]),
        RoutingCase(
            "B-06: an exact literal precedes a case-insensitive one and a capture",
            ["/{x}", .init(pattern: "/admin", caseInsensitive: true), "/admin"],
            ["/admin": .route(2, "/admin"), "/%41DMIN": .route(1, "/ADMIN"), "/admins": .route(0, "/admins")]),
        RoutingCase(
            "an escaped reserved character does not bypass a literal", ["/users/{id}", "/users/@me"],
            [
                "/users/@me": .route(1, "/users/@me"), "/users/%40me": .route(1, "/users/%40me"),
                "/users/%40%6de": .route(1, "/users/%40me"),
            ]),
        RoutingCase(
            "escapes of delimiters are not decoded for the comparison",
            ["/a%3Fb", "/c%23", "/d%25x", "/%25zz%40", "/a%40b"],
            [
                "/a%3fb": .route(0, "/a%3Fb"), "/c%23": .route(1, "/c%23"), "/d%25x": .route(2, "/d%25x"),
                "/%25zz@": .route(3, "/%25zz@"), "/a@b": .route(4, "/a@b"),
            ]),
    ])
    func `literals are compared in canonical form`(routing: RoutingCase) throws { try routing.check() }
}
