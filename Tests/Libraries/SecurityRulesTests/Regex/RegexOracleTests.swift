import Testing

@testable import SecurityRules

/// Against the verdicts of another implementation.
@Suite struct RegexOracleTests {
    struct Row {
        let pattern: String
        let text: String
        let matches: Bool
        /// Nil: not compared.
        let replaced: String?
    }

    static let rows = pythonRows.split(separator: "\n").map { line in
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
        return Row(
            pattern: fields[0], text: plain(fields[1]), matches: fields[2] == "1",
            replaced: fields[3] == "∅" ? nil : plain(fields[3]))
    }

    private static func plain(_ text: String) -> String {
        text.split(separator: "⏎", omittingEmptySubsequences: false).joined(separator: "\n")
    }

    @Test func thereAreHundredsOfRowsOfBothVerdicts() {
        #expect(Self.rows.count { $0.matches } > 250)
        #expect(Self.rows.count { !$0.matches } > 250)
        #expect(Self.rows.count { $0.replaced != nil } > 400)
    }

    @Test func bothMatchersSayOfAWholeTextWhatTheOtherImplementationSays() throws {
        for row in Self.rows {
            #expect(try matches(row.pattern, row.text) == row.matches, "\(row)")
            #expect(try matches(#"\b\B|"# + row.pattern, row.text) == row.matches, "\(row)")
        }
    }

    @Test func theSameMatchesAndGroupsAreReplaced() throws {
        for row in Self.rows {
            guard let expected = row.replaced else { continue }
            let hasGroup = try RuleRegex(row.pattern).groups > 0
            let found = try replaceAll(row.pattern, row.text, hasGroup ? #"<\0|\1>"# : #"<\0>"#)
            #expect(found == expected, "\(row)")
        }
    }
}
