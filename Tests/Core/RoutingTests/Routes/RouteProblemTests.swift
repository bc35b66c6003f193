import Testing

@testable import Routing

@Suite struct RouteProblemTests {
    private static func routes(_ patterns: String...) -> [RouteDefinition] {
        patterns.map { RouteDefinition(pattern: $0) }
    }

    @Test func allThatIsWrongIsToldAtOnce() {
        let routes = [
            RouteDefinition(pattern: "a"), RouteDefinition(pattern: "/ok"),
            RouteDefinition(pattern: "/**/x", hosts: ["ok.com", "a:80"], methods: ["GET", "G T"]),
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
        ("é.com", .notAHost),
        ("a/b", .notAHost), ("[x]", .notAHost), ("[::1", .notAHost), ("*.", .notAHost), ("a..", .notAHost),
        (String(repeating: "a", count: 64), .notAHost), ("[::1]x", .notAHost),
    ])
    func aBadHostIsAnError(host: String, reason: HostPatternError) {
        let routes = [RouteDefinition(pattern: "/", hosts: [host])]
        #expect(problems(with: routes) == [RouteProblem(route: 0, reason: .host(reason, index: 0))])
    }

    @Test(arguments: ["", "GET ", "a/b", "é", String(repeating: "A", count: 33)])
    func aBadMethodIsAnError(method: String) {
        let routes = [RouteDefinition(pattern: "/", methods: [method])]
        #expect(problems(with: routes) == [RouteProblem(route: 0, reason: .method(index: 0))])
    }

    // MARK: Equal routes

    @Test(arguments: [
        ("/a", "/a/"), ("/{x}", "/{y}"), ("/a/**", "/a/{r=**}"), ("/@", "/%40"),
    ])
    func patternsOfOneShapeAreEqual(one: String, other: String) {
        let routes = Self.routes(one, other)
        #expect(
            problems(with: routes) == [RouteProblem(route: 1, reason: .equal(to: 0, host: nil, method: nil))])
    }

    @Test func literalsThatDifferInCaseAreEqualOnRoutesThatDoNotRegardIt() {
        let routes = [
            RouteDefinition(pattern: "/a/B", caseInsensitive: true),
            RouteDefinition(pattern: "/A/b", caseInsensitive: true),
        ]
        #expect(problems(with: routes) == [RouteProblem(route: 1, reason: .equal(to: 0, host: nil, method: nil))])
    }

    @Test func aLiteralWithoutLettersIsEqualWithAndWithoutRegardToCase() {
        let routes = [RouteDefinition(pattern: "/1", caseInsensitive: true), RouteDefinition(pattern: "/1")]
        #expect(problems(with: routes) == [RouteProblem(route: 1, reason: .equal(to: 0, host: nil, method: nil))])
    }

    @Test func equalRoutesAreToldOnceForAllTheirHosts() {
        let hosts = ["a.com", "b.com", "c.com"]
        let routes = [
            RouteDefinition(pattern: "/", hosts: hosts), RouteDefinition(pattern: "/", hosts: hosts.reversed()),
        ]
        #expect(
            problems(with: routes) == [RouteProblem(route: 1, reason: .equal(to: 0, host: "a.com", method: nil))])
    }

    @Test func routesThatDifferInHostMethodOrShapeAreNotEqual() {
        let routes = [
            RouteDefinition(pattern: "/ab", hosts: ["a.com"]), RouteDefinition(pattern: "/ab"),
            RouteDefinition(pattern: "/ab", methods: ["GET"]), RouteDefinition(pattern: "/ab", methods: ["HEAD"]),
            RouteDefinition(pattern: "/{a}"), RouteDefinition(pattern: "/ab/**"), RouteDefinition(pattern: "/**"),
            RouteDefinition(pattern: "/ab", hosts: ["*.a.com"]), RouteDefinition(pattern: "/AB"),
            RouteDefinition(pattern: "/AB", caseInsensitive: true),
        ]
        #expect(problems(with: routes).isEmpty)
    }

    // MARK: Routes that no request can match

    @Test func aRestThatMoreSpecificPatternsCoverIsShadowedAndTellsBy() {
        let routes = Self.routes("/a/**", "/a", "/b", "/a/{x}/**")
        #expect(problems(with: routes) == [RouteProblem(route: 0, reason: .shadowed(by: [1, 3]))])
    }

    @Test func aRestThatIsLeftASingleCountOfSegmentsIsNotShadowed() {
        #expect(problems(with: Self.routes("/a/**", "/a", "/a/{x}/{y}/**")).isEmpty)
        #expect(problems(with: Self.routes("/a/**", "/a/{x}/**")).isEmpty)
        #expect(problems(with: Self.routes("/a/**", "/a", "/a/{x}")).isEmpty)
    }

    @Test func aRestThatIsShadowedOnOneHostOnlyIsNoError() {
        let routes = [
            RouteDefinition(pattern: "/**", hosts: ["a.com", "b.com"]), RouteDefinition(pattern: "/", hosts: ["a.com"]),
            RouteDefinition(pattern: "/{x}/**", hosts: ["a.com"]),
        ]
        #expect(problems(with: routes).isEmpty)
    }

    @Test func aLiteralAllOfWhoseSpellingsAreTakenIsShadowed() {
        var routes = ["/x", "/X"].map { RouteDefinition(pattern: $0) }
        routes.append(RouteDefinition(pattern: "/X", caseInsensitive: true))
        #expect(problems(with: routes) == [RouteProblem(route: 2, reason: .shadowed(by: [0, 1]))])
    }

    @Test func aLiteralThatHasASpellingLeftIsNotShadowed() {
        var routes = ["/ab", "/Ab", "/AB"].map { RouteDefinition(pattern: $0) }
        routes.append(RouteDefinition(pattern: "/ab", caseInsensitive: true))
        #expect(problems(with: routes).isEmpty)
    }

    @Test func lettersInEscapesAreNoSpellings() {
        let routes = [RouteDefinition(pattern: "/%C3"), RouteDefinition(pattern: "/%C3", caseInsensitive: true)]
        #expect(problems(with: routes) == [RouteProblem(route: 1, reason: .shadowed(by: [0]))])
    }

    // MARK: Bounds

    @Test func routesWhoseOverlapWouldMakeAMatchExpensiveAreRefused() {
        // Each segment may be a literal or a capture, and no pattern ends as the path does: all have to be tried.
        let overlapping = (0..<(1 << 10)).map { number in
            RouteDefinition(
                pattern: (0..<10).map { number >> $0 & 1 == 1 ? "/a" : "/{x\($0)}" }.joined() + "/end\(number)")
        }
        let problems = problems(with: [RouteDefinition(pattern: "/")] + overlapping)
        #expect(problems.map(\.reason) == [.overlap(visits: 3071)])
        #expect(problems.first?.route != 0)
    }

    @Test func moreRoutesThanTheBoundAreRefused() {
        let routes = Array(repeating: RouteDefinition(pattern: "/"), count: RouteTable.maximumRoutes + 1)
        #expect(problems(with: routes).map(\.reason) == [.tooManyRoutes])
    }

    @Test func everyProblemSaysWhatToDo() {
        let reasons: [RouteProblem.Reason] = [
            .pattern(PatternError(reason: .notAbsolute, offset: 0)), .stripPrefixNeverApplies, .host(.port, index: 0),
            .method(index: 0), .equal(to: 0, host: nil, method: "GET"), .shadowed(by: [1]), .overlap(visits: 5000),
            .tooManyRoutes, .stripPrefix(PatternError(reason: .notLiteral, offset: 0)),
        ]
        for reason in reasons {
            #expect(RouteProblem(route: 0, reason: reason).description.contains("; "))
        }
    }
}
