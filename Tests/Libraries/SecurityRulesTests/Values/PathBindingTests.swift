import Testing

@testable import SecurityRules

@Suite struct PathBindingTests {
    @Test func whatIsBoundStandsUnderItsName() throws {
        let path = RulePath(["a", "$(rest)", "$(id)"], names: [("first", 0)])
        var work = WorkBudget()
        let bound = try path.binding(RuleMap(["rest": .path("x", "y"), "id": "7"]), &work)
        #expect(bound.segments == ["a", "x", "y", "7"])
        #expect(bound.names.map(\.name) == ["first", "rest", "id"])
        #expect(bound.names.map(\.segment) == [0, 1, 3])
    }

    @Test func aBoundPathHasNoMoreSegmentsThanAnyOther() {
        let path = RulePath(["$(a)", "$(a)"])
        let long = RuleValue.path(RulePath([String](repeating: "x", count: 60)))
        var work = WorkBudget()
        #expect(throws: RuleFailure.self) { try path.binding(RuleMap(["a": long]), &work) }
    }

    @Test(arguments: ["/a", "/", "/%2F/%25/%E2%82%AC", "/$(x)/{y}", "/a b/'\"", "/./.."])
    func aPathReadsAsItIsWritten(text: String) throws {
        let path = try RulePath(text: text)
        #expect(try RulePath(text: path.text).segments == path.segments)
    }
}
