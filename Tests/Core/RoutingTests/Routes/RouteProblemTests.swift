import Testing

@testable import Routing

@Suite struct RouteProblemTests {
    @Test func `all problems are reported together`() {
        let routes: [RouteDefinition] = [
            "a", "/ok", .init(pattern: "/**/x", hosts: ["ok.com", "a:80"], methods: ["GET", "G T"]),
        ]
        #expect(
            problems(with: routes).map(\.reason) == [
                .pattern(PatternError(reason: .notAbsolute, offset: 0)), .method(index: 1), .host(.port, index: 1),
                .pattern(PatternError(reason: .restNotLast, offset: 4)),
            ])
    }

    @Test(arguments: [
        ("", HostPatternError.anyHost), ("*", .anyHost), ("a:80", .port), ("[::1]:80", .port), ("a.*.com", .wildcard),
        ("*a.com", .wildcard), ("*.*.com", .wildcard), ("a..com", .notAHost), (".a.com", .notAHost),
        ("é.com", .notAHost), ("a/b", .notAHost), ("[x]", .notAHost), ("[::1", .notAHost), ("*.", .notAHost),
        ("a..", .notAHost), (String(repeating: "a", count: 64), .notAHost), ("[::1]x", .notAHost),
    ])
    func `an invalid host is an error`(host: String, reason: HostPatternError) {
        let problems = problems(with: [.init(pattern: "/", hosts: [host])])
        #expect(problems == [RouteProblem(route: 0, reason: .host(reason, index: 0))])
    }

    @Test(arguments: ["", "GET ", "a/b", "é", String(repeating: "A", count: 33)])
    func `an invalid method is an error`(method: String) {
        let problems = problems(with: [.init(pattern: "/", methods: [method])])
        #expect(problems == [RouteProblem(route: 0, reason: .method(index: 0))])
    }

    private static let folded = RouteDefinition(pattern: "/a/B", caseInsensitive: true)
    private static let hosts = ["a.com", "b.com", "c.com"]

    @Test(
        arguments: [
            (["/a", "/a/"], nil, nil), (["/{x}", "/{y}"], nil, nil), (["/a/**", "/a/{r=**}"], nil, nil),
            (["/@", "/%40"], nil, nil), (["/a/{x}", "/a/{y}/"], nil, nil),
            ([folded, .init(pattern: "/A/b", caseInsensitive: true)], nil, nil),
            // A literal without letters has one spelling.
            ([.init(pattern: "/1", caseInsensitive: true), "/1"], nil, nil),
            // One report for all hosts.
            ([.init(pattern: "/", hosts: hosts), .init(pattern: "/", hosts: hosts.reversed())], "a.com", nil),
            (
                [
                    .init(pattern: "/a/{x}", hosts: ["H.com"], methods: ["GET"]),
                    .init(pattern: "/a/{y}/", hosts: ["b.com", "h.com"], methods: ["PUT", "GET"]),
                ], "h.com", "GET"
            ),
        ] as [([RouteDefinition], String?, String?)])
    func `B-21: two equal routes are an error that names both`(
        routes: [RouteDefinition], host: String?, method: String?
    ) {
        let problem = RouteProblem(route: 1, reason: .equal(to: 0, host: host, method: method))
        #expect(problems(with: routes) == [problem])
    }

    @Test func `routes that differ in host, method or shape are not equal`() {
        let routes: [RouteDefinition] = [
            .init(pattern: "/ab", hosts: ["a.com"]), "/ab", .init(pattern: "/ab", methods: ["GET"]),
            .init(pattern: "/ab", methods: ["HEAD"]), "/{a}", "/ab/**", "/**",
            .init(pattern: "/ab", hosts: ["*.a.com"]), "/AB", .init(pattern: "/AB", caseInsensitive: true),
        ]
        #expect(problems(with: routes).isEmpty)
    }

    @Test(
        arguments: [
            // More specific patterns cover a rest.
            (["/a/**", "/a", "/b", "/a/{x}/**"], 0, [1, 3]),
            // A literal has only one spelling.
            (["/x", "/X", .init(pattern: "/X", caseInsensitive: true)], 2, [0, 1]),
            // The letters in escapes have only one spelling.
            (["/%C3", .init(pattern: "/%C3", caseInsensitive: true)], 1, [0]),
        ] as [([RouteDefinition], Int, [Int])])
    func `a route that no request can match is shadowed`(routes: [RouteDefinition], route: Int, others: [Int]) {
        #expect(problems(with: routes) == [RouteProblem(route: route, reason: .shadowed(by: others))])
    }

    @Test(
        arguments: [
            ["/a/**", "/a", "/a/{x}/{y}/**"], ["/a/**", "/a/{x}/**"], ["/a/**", "/a", "/a/{x}"],
            // Shadowed on one of two hosts.
            [
                .init(pattern: "/**", hosts: ["a.com", "b.com"]), .init(pattern: "/", hosts: ["a.com"]),
                .init(pattern: "/{x}/**", hosts: ["a.com"]),
            ],
            ["/ab", "/Ab", "/AB", .init(pattern: "/ab", caseInsensitive: true)],
        ] as [[RouteDefinition]])
    func `a route that a request can match is not shadowed`(routes: [RouteDefinition]) {
        #expect(problems(with: routes).isEmpty)
    }

    @Test func `routes whose overlap would make a match expensive are rejected`() {
        // Each segment can be a literal or a capture, and no pattern ends like the path. The table must try all
        // combinations.
        let overlapping = (0..<(1 << 10)).map { number in
            RouteDefinition(
                pattern: (0..<10).map { number >> $0 & 1 == 1 ? "/a" : "/{x\($0)}" }.joined() + "/end\(number)")
        }
        let problems = problems(with: ["/"] + overlapping)
        #expect(problems.map(\.reason) == [.overlap(visits: 3071)])
        #expect(problems.first?.route != 0)
    }

    @Test func `more routes than the bound are rejected`() {
        let routes = Array(repeating: RouteDefinition(pattern: "/"), count: RouteTable.maximumRoutes + 1)
        #expect(problems(with: routes).map(\.reason) == [.tooManyRoutes])
    }

    @Test func `every problem has a remedy`() {
        let reasons: [RouteProblem.Reason] = [
            .pattern(PatternError(reason: .notAbsolute, offset: 0)), .stripPrefixNeverApplies, .host(.port, index: 0),
            .method(index: 0), .equal(to: 0, host: nil, method: "GET"), .shadowed(by: [1]), .overlap(visits: 5000),
            .tooManyRoutes, .stripPrefix(PatternError(reason: .notLiteral, offset: 0)),
        ]
        for reason in reasons { #expect(RouteProblem(route: 0, reason: reason).description.contains("; ")) }
    }
}
