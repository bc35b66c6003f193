import Testing

@testable import SecurityRules

@Suite struct TimeArithmeticTests {
    static let first = RuleTimestamp(seconds: -62_135_596_800)
    static let last = RuleTimestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)

    @Test func `a timestamp moves by a duration and back`() throws {
        let time = try #require(RuleTimestamp(seconds: 10, nanoseconds: 200_000_000))
        let duration = try #require(RuleDuration(seconds: 1, nanoseconds: 900_000_000))
        let later = try time.adding(duration)
        #expect(later == RuleTimestamp(seconds: 12, nanoseconds: 100_000_000))
        #expect(try later.subtracting(duration) == time)
        #expect(try later.since(time) == duration)
        #expect(try time.since(later) == duration.negated())
    }

    @Test func `no timestamp is out of bounds`() throws {
        let (first, last) = try (#require(Self.first), #require(Self.last))
        let least = try #require(RuleDuration(seconds: 0, nanoseconds: 1))
        #expect(throws: RuleFailure.self) { try first.subtracting(least) }
        #expect(throws: RuleFailure.self) { try last.adding(least) }
        #expect(try last.since(first).text == "315537897599.999999999s")
    }

    @Test func `no duration is out of bounds`() throws {
        let most = try #require(RuleDuration(seconds: 315_576_000_000))
        let least = try #require(RuleDuration(seconds: 0, nanoseconds: 1))
        #expect(throws: RuleFailure.self) { try most.adding(least) }
        #expect(throws: RuleFailure.self) { try most.negated().subtracting(least) }
        #expect(try most.negated().negated() == most)
        #expect(try most.subtracting(most).text == "0s")
    }
}

@Suite struct PathBindingTests {
    @Test func `a bound segment has its name`() throws {
        let path = RulePath(["a", "$(rest)", "$(id)"], names: [("first", 0)])
        var work = WorkBudget()
        let bound = try path.binding(RuleMap(["rest": .path("x", "y"), "id": "7"]), &work)
        #expect(bound.segments == ["a", "x", "y", "7"])
        #expect(bound.names.map(\.name) == ["first", "rest", "id"])
        #expect(bound.names.map(\.segment) == [0, 1, 3])
    }

    @Test func `a bound path has no more segments than any other`() {
        let path = RulePath(["$(a)", "$(a)"])
        let long = RuleValue.path(RulePath([String](repeating: "x", count: 60)))
        var work = WorkBudget()
        #expect(throws: RuleFailure.self) { try path.binding(RuleMap(["a": long]), &work) }
    }

    @Test(arguments: ["/a", "/", "/%2F/%25/%E2%82%AC", "/$(x)/{y}", "/a b/'\"", "/./.."])
    func `the text of a path is parsed to the same path`(text: String) throws {
        let path = try RulePath(text: text)
        #expect(try RulePath(text: path.text).segments == path.segments)
    }
}
