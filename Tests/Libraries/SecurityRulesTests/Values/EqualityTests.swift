import Testing

@testable import SecurityRules

@Suite struct EqualityTests {
    static let equal: [(RuleValue, RuleValue)] = [
        (nil, nil), (true, true), (1, 1), (1, 1.0), (0.0, -0.0), ("a", "a"), (.bytes("a"), .bytes("a")),
        (9_007_199_254_740_992, 9_007_199_254_740_992.0), (.integer(.min), -9_223_372_036_854_775_808.0),
        ([1, "a", [nil]], [1.0, "a", [nil]]), (["a": 1, "b": 2], ["b": 2, "a": 1]), (.set(1, "a"), .set("a", 1.0)),
        (.set(), .set()), (.time(5, 6), .time(5, 6)), (.span(-5, 6), .span(-5, 6)), (.path("a"), .path("a")),
        (.path(RulePath(["a"], names: [("x", 0)])), .path("a")),
        (.diff(RuleMap(["a": 1]), RuleMap([:])), .diff(RuleMap(["a": 1.0]), RuleMap([:]))),
    ]

    static let unequal: [(RuleValue, RuleValue)] = [
        (nil, false), (true, false), (1, 2), (1, true), (1, "1"), (1, 1.5), (.float(.nan), .float(.nan)),
        ([.float(.nan)], [.float(.nan)]), (.integer(.max), 9_223_372_036_854_775_808.0),
        (9_007_199_254_740_993, 9_007_199_254_740_992.0), ("a", "A"), ("\u{E9}", "e\u{301}"), ("a", .bytes("a")),
        ([1], [1, 2]), ([1, 2], [2, 1]), ([1], .set(1)), (["a": 1], ["a": 2]), (["a": 1], ["b": 1]), (["a": 1], [:]),
        (.set(1, 2), .set(1, 3)), (.set(1), .set(1, 2)), (.time(5, 6), .time(5, 7)), (.time(5), 5),
        (.time(5), .span(5)), (.span(5), .span(-5)), (.path("a"), .path("b")), (.path("a", "b"), .path("a/b")),
        (.path("a"), "/a"), (.diff(RuleMap(["a": 1]), RuleMap([:])), .diff(RuleMap(["a": 2]), RuleMap([:]))),
        (.diff(RuleMap([:]), RuleMap(["a": 1])), .diff(RuleMap([:]), RuleMap([:]))), ([1], [[1]]),
        // A difference before the unreadable element is certain.
        ([1, .unreadable], [2, .unreadable]), ([.unreadable], [1, 2]),
    ]

    static let failing: [(RuleValue, RuleValue)] = [
        (.unreadable, .unreadable), (.unreadable, 1), (nil, .unreadable), ([.unreadable], [1]),
        (["a": .unreadable], ["a": 1]), ([1], .unreadable),
    ]

    @Test(arguments: equal)
    func `equal values are equal in both directions`(a: RuleValue, b: RuleValue) throws {
        var work = WorkBudget()
        #expect(try RuleValue.equal(a, b, &work))
        #expect(try RuleValue.equal(b, a, &work))
    }

    @Test(arguments: unequal)
    func `different values are unequal in both directions`(a: RuleValue, b: RuleValue) throws {
        var work = WorkBudget()
        #expect(try !RuleValue.equal(a, b, &work))
        #expect(try !RuleValue.equal(b, a, &work))
    }

    @Test(arguments: failing)
    func `an unreadable value is neither equal nor unequal`(a: RuleValue, b: RuleValue) {
        #expect(
            Outcome { work throws(RuleFailure) in .bool(try RuleValue.equal(a, b, &work)) }
                .isSame(as: .failure(.unreadable)))
        #expect(
            Outcome { work throws(RuleFailure) in .bool(try RuleValue.equal(b, a, &work)) }
                .isSame(as: .failure(.unreadable)))
    }

    @Test(arguments: equal + unequal)
    func `the keys of hashed collections are equal if the values are`(a: RuleValue, b: RuleValue) throws {
        guard let x = ElementKey(a), let y = ElementKey(b) else { return }
        var work = WorkBudget()
        let isEqual = try RuleValue.equal(a, b, &work)
        #expect((x == y) == isEqual)
        #expect(!isEqual || x.hashValue == y.hashValue)
    }

    @Test(
        arguments: [
            (["a", "b"], "a", true), (["a"], "b", false), ([1], 1.0, true), (.set("a"), "a", true),
            (["a": 1], "a", true), (["a": 1], "b", false), ([], nil, false), ([nil], nil, true),
        ] as [(RuleValue, RuleValue, Bool)])
    func `a collection contains its elements, and a map its keys`(
        collection: RuleValue, value: RuleValue, isThere: Bool
    ) {
        #expect(
            Outcome { work throws(RuleFailure) in .bool(try RuleValue.contains(collection, value, &work)) }
                .isSame(as: .value(.bool(isThere))))
    }

    @Test(
        arguments: [
            ("abc", "a", .wrongKind), (["a": 1], 1, .wrongKind), (nil, 1, .wrongKind), ([.unreadable], 1, .unreadable),
            ([1], .unreadable, .unreadable), ([], .unreadable, .unreadable), (.unreadable, 1, .unreadable),
            (.path("a"), "a", .wrongKind),
        ] as [(RuleValue, RuleValue, RuleFailure.Reason)])
    func `other values contain nothing`(collection: RuleValue, value: RuleValue, reason: RuleFailure.Reason) {
        #expect(
            Outcome { work throws(RuleFailure) in .bool(try RuleValue.contains(collection, value, &work)) }
                .isSame(as: .failure(reason)))
    }

    /// The maximum depth of values in a request: each level of a literal is an expression, and claims add the token's
    /// depth.
    @Test func `deeply nested values are compared`() throws {
        func nested(_ leaf: RuleValue) -> RuleValue {
            (0..<RuleLimits.expressions + 64).reduce(leaf) { value, number in number % 2 == 0 ? [value] : ["a": value] }
        }
        var work = WorkBudget()
        #expect(try RuleValue.equal(nested(1), nested(1.0), &work))
        #expect(try !RuleValue.equal(nested(1), nested(2), &work))
    }
}
