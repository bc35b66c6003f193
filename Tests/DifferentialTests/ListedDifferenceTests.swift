import Testing

/// Each difference that the runs let pass is there, and is what it is called.
@Suite struct ListedDifferenceTests {
    @Test(arguments: KnownDifference.allCases)
    func eachKnownDifferenceOccurs(difference: KnownDifference) throws {
        let comparison = try Readers().compare(difference.example)
        #expect(comparison.met.contains(difference) || comparison.outcome == .listed(difference), "\(comparison)")
        #expect(difference.section.hasPrefix("RFC 91"))
    }

    @Test(arguments: StricterRule.all)
    func eachReasonToRefuseWhatNIOAcceptsOccurs(rule: StricterRule) throws {
        let comparison = try Readers().compare(rule.example)
        #expect(comparison.outcome == .stricter(rule.reason), "\(comparison)")
        #expect(rule.section.hasPrefix("RFC 91"))
    }
}
