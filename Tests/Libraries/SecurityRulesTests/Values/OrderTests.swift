import Testing

@testable import SecurityRules

@Suite struct OrderTests {
    @Test(
        arguments: [
            (1, 2), (1, 1.5), (1.5, 2), (-1, 0.5), (.integer(.max), 9_223_372_036_854_775_808.0),
            (-9_223_372_036_854_777_856.0, .integer(.min)), (9_007_199_254_740_992.0, 9_007_199_254_740_993),
            (-1.5, -1), (1, .float(.infinity)), (.float(-.infinity), .integer(.min)), ("a", "b"), ("", "a"),
            ("a", "aa"), ("\u{FFFD}", "\u{10000}"), ("Z", "a"), (.bytes([1]), .bytes([1, 0])),
            (.bytes([127]), .bytes([128])), (false, true), (.time(1, 5), .time(1, 6)), (.time(-1, 9), .time(0)),
            (.span(-2, 9), .span(-1)),
        ] as [(RuleValue, RuleValue)])
    func `the lesser value is first in both directions`(lesser: RuleValue, greater: RuleValue) throws {
        var work = WorkBudget()
        #expect(try RuleValue.compare(lesser, greater, &work) == .less)
        #expect(try RuleValue.compare(greater, lesser, &work) == .greater)
        #expect(try RuleValue.compare(lesser, lesser, &work) == .equal)
    }

    @Test(arguments: [1, 1.5, .float(.nan), .float(.infinity)] as [RuleValue])
    func `no value is before or after NaN`(value: RuleValue) throws {
        var work = WorkBudget()
        #expect(try RuleValue.compare(value, .float(.nan), &work) == .unordered)
        #expect(try RuleValue.compare(.float(.nan), value, &work) == .unordered)
    }

    @Test(
        arguments: [
            (1, "1", .wrongKind), (nil, 1, .wrongKind), (nil, nil, .wrongKind), ([1], [2], .wrongKind),
            (true, 1, .wrongKind), (.time(1), 1, .wrongKind), (.time(1), .span(1), .wrongKind),
            (.path("a"), .path("b"), .wrongKind), ("a", .bytes("a"), .wrongKind), (.unreadable, 1, .unreadable),
            ("a", .unreadable, .unreadable),
        ] as [(RuleValue, RuleValue, RuleFailure.Reason)])
    func `other values have no order`(a: RuleValue, b: RuleValue, reason: RuleFailure.Reason) {
        for (a, b) in [(a, b), (b, a)] {
            let outcome = Outcome { work throws(RuleFailure) in
                _ = try RuleValue.compare(a, b, &work)
                return .null
            }
            #expect(outcome.isSame(as: .failure(reason)))
        }
    }
}
