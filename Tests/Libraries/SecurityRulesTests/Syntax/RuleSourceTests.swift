import Testing

@testable import SecurityRules

@Suite struct RuleSourceTests {
    /// Lines of every length around the steps in which columns are counted, with scalars of one to four bytes.
    @Test func aPlaceIsCountedInLinesAndScalars() {
        let text = (0..<40).map { String(repeating: "aé€😀", count: $0 * 5) }.joined(separator: "\n")
        let source = RuleSource(text, name: "test")
        var (line, column) = (1, 1)
        var offset: Int32 = 0
        for scalar in text.unicodeScalars {
            #expect(source.location(offset) == RuleLocation(source: "test", line: line, column: column))
            offset += Int32(UTF8.width(scalar))
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        #expect(source.location(offset) == RuleLocation(source: "test", line: line, column: column))
        #expect(source.location(offset + 1000) == RuleLocation(source: "test", line: line, column: column))
    }

    @Test func anEmptyTextHasOnePlace() {
        #expect(RuleSource("", name: "test").location(7) == RuleLocation(source: "test", line: 1, column: 1))
    }
}
