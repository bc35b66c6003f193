import Testing

@testable import Routing

/// `merge_slashes`, `encoded_slashes` and `strip_prefix`: the matched path is the forwarded path.
@Suite struct SlashOptionTests {
    static let cases = [
        // merge_slashes
        RoutingCase(
            "a route that keeps empty segments forwards them", [.init(pattern: "/files/**", mergeSlashes: false)],
            [
                "/files/a//b/": .route(0, "/files/a//b/"), "/files//b//": .route(0, "/files//b//"),
                "/files/x/.//../b%2D": .route(0, "/files/x/b-"),
            ]),
        RoutingCase(
            "a route that keeps empty segments must match them",
            [.init(pattern: "/admin/{x}", mergeSlashes: false), "/**"],
            [
                "/admin/1": .route(0, "/admin/1"), "//admin/1": .notFound, "/admin//1": .notFound,
                "/admin/1//": .notFound,
            ]),
        RoutingCase(
            "an empty segment does not bypass a more specific route",
            [
                .init(pattern: "/**", mergeSlashes: false), "/admin/**",
                .init(pattern: "/strict/**", mergeSlashes: false),
            ],
            [
                "//admin/x": .route(1, "/admin/x"), "//other//x": .route(0, "//other//x"), "//strict/x": .notFound,
                "/strict//x": .route(2, "/strict//x"),
            ]),
        RoutingCase(
            "the method is chosen before the form",
            [
                .init(pattern: "/a/**", methods: ["GET"], mergeSlashes: false),
                .init(pattern: "/a/**", methods: ["PUT"]),
            ],
            ["/a//b": .route(0, "/a//b"), "PUT /a//b": .route(1, "/a/b")]),
        // encoded_slashes
        RoutingCase(
            "an encoded slash is refused unless the route keeps it",
            [
                .init(pattern: "/keep/{x}", encodedSlashes: .keep), "/a/**",
                .init(pattern: "/m", methods: ["GET"], encodedSlashes: .keep),
                .init(pattern: "/mixed/{x}", methods: ["GET"], encodedSlashes: .keep),
                .init(pattern: "/mixed/{x}", methods: ["PUT"]),
            ],
            [
                "/keep/a%2fb": .route(0, "/keep/a%2Fb"), "/a/x%2Fb": .badPath(.encodedSlash),
                "/a/x%2Fb/../c": .badPath(.encodedSlash), "/nothing%2F": .badPath(.encodedSlash),
                "/mixed/%2F": .route(3, "/mixed/%2F"), "PUT /mixed/%2F": .badPath(.encodedSlash),
                "POST /mixed/%2F": .methodNotAllowed("GET, HEAD, PUT"),
            ]),
        // strip_prefix
        RoutingCase(
            "whole segments are stripped and the rest begins with a slash",
            [.init(pattern: "/api/v1/**", stripPrefix: "/api/v1")],
            [
                "/api/v1": .route(0, "/"), "/api/v1/": .route(0, "/"), "/api/v1/x": .route(0, "/x"),
                "/api/v1/x/": .route(0, "/x/"), "/%61pi/v1//x": .route(0, "/x"),
            ]),
        RoutingCase(
            "B-11: a prefix ends at the end of a segment", [.init(pattern: "/**", stripPrefix: "/foo/")],
            [
                "/foo/bar": .route(0, "/bar"), "/foobar/x": .route(0, "/foobar/x"), "/foo": .route(0, "/"),
                "/foo../bar": .route(0, "/foo../bar"), "/foo/../bar": .route(0, "/bar"),
                "/x/foo/bar": .route(0, "/x/foo/bar"),
            ]),
        RoutingCase(
            "a prefix is compared like the literals of the route",
            [
                .init(pattern: "/Api/**", caseInsensitive: true, stripPrefix: "/api"),
                .init(pattern: "/@x/**", stripPrefix: "/@x"), .init(pattern: "/none/**", stripPrefix: "/"),
            ],
            ["/API/x": .route(0, "/x"), "/%40x/y": .route(1, "/y"), "/none/y": .route(2, "/none/y")]),
        RoutingCase(
            "a route that keeps empty segments keeps them behind the prefix",
            [.init(pattern: "/a/**", mergeSlashes: false, stripPrefix: "/a")],
            ["/a/x//y": .route(0, "/x//y"), "/a//x/y": .badPath(.emptySegmentAfterStrip)]),
        RoutingCase(
            "stripping a prefix reaches no builtin path", [.init(pattern: "/a/**", stripPrefix: "/a")],
            ["/a/.gatehouse/auth": .notFound]),
    ]

    @Test(arguments: cases)
    func `B-11: the options choose the forwarded path`(routing: RoutingCase) throws { try routing.check() }

    @Test func `captures are segments of the matched path`() throws {
        let rest = try routeTable(.init(pattern: "/f/{rest=**}", mergeSlashes: false))
        #expect(rest.captured("/f/a//b/") == ["rest=a//b"])
        let encoded = try routeTable(
            .init(pattern: "/{x}", encodedSlashes: .keep), .init(pattern: "/a/b", encodedSlashes: .keep))
        #expect(encoded.routed("/a%2Fb") == .route(0, "/a%2Fb"))
        #expect(encoded.captured("/a%2Fb") == ["x=a%2Fb"])
        let stripped = try routeTable(.init(pattern: "/a/{x}", stripPrefix: "/a"))
        #expect(stripped.captured("/a/b") == ["x=b"])
    }

    @Test(arguments: [
        "/foo/..%2Fb", "/foo/a%2F..", "/foo/a%2f..%2fb", "/foo/.%2Fx", "/foo/a%2F%2e%2e%2Fb", "/foo/a%2F..%2F",
        "/foo/a%2F./x", "/foo/..%2fadmin", "/foo/%2e%2e%2fadmin", "/foo%2f../admin",
    ])
    func `B-11: a dot segment next to an encoded slash is always rejected`(path: String) throws {
        for prefix in [nil, "/foo"] {
            let table = try routeTable(.init(pattern: "/**", encodedSlashes: .keep, stripPrefix: prefix))
            #expect(table.routed(path) == .badPath(.dotSegmentBesideEncodedSlash))
        }
    }

    @Test(arguments: [
        ("/../x", PathError.Reason.dotSegmentAfterStrip), ("/x/.", .dotSegmentAfterStrip),
        ("/..%2Fx", .dotSegmentAfterStrip), ("/a%2f..", .dotSegmentAfterStrip), ("/..;x", .dotSegmentAfterStrip),
        ("x/y", .notAbsolute), ("//x/y", .emptySegmentAfterStrip),
    ])
    func `B-11: an ambiguous path after stripping is rejected`(path: String, reason: PathError.Reason) {
        let problem = Array(path.utf8).withUnsafeBytes { StripPrefix.problem(with: $0) }
        #expect(problem?.reason == reason)
    }

    @Test(arguments: [
        ("/{x}", PatternError.Reason.notLiteral), ("/a/**", .notLiteral), ("a", .notAbsolute), ("/a/..", .dotSegment),
        ("/%7e", .notCanonical), ("/a//b", .emptySegment),
    ])
    func `an invalid prefix is an error`(prefix: String, reason: PatternError.Reason) {
        let reasons = problems(with: [.init(pattern: "/**", stripPrefix: prefix)]).map(\.reason)
        guard case .stripPrefix(let error)? = reasons.first else {
            Issue.record("\(reasons)")
            return
        }
        #expect(error.reason == reason)
    }

    @Test(arguments: [("/a/**", "/b"), ("/a", "/a/b"), ("/{x}", "/a/b"), ("/a/b/**", "/a/c")])
    func `a prefix that no path of the route has is an error`(pattern: String, prefix: String) {
        let problems = problems(with: [.init(pattern: pattern, stripPrefix: prefix)])
        #expect(problems == [RouteProblem(route: 0, reason: .stripPrefixNeverApplies)])
    }
}
