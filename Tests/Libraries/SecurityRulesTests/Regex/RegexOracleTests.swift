import Testing

@testable import SecurityRules

/// Compares both matchers with the results of Python's `re`.
@Suite struct RegexOracleTests {
    struct Row {
        let pattern: String
        let text: String
        let matches: Bool
        /// The text after the replacement. `nil` if it is not compared.
        let replaced: String?
    }

    static let rows: [Row] = pythonRows.split(separator: "\n").flatMap { line in
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return stride(from: 1, to: fields.count, by: 3).map { index in
            Row(
                pattern: fields[0], text: plain(fields[index]), matches: fields[index + 1] == "1",
                replaced: fields[index + 2] == "∅" ? nil : plain(fields[index + 2]))
        }
    }

    private static func plain(_ text: String) -> String { text.replacing("⏎", with: "\n") }

    @Test func `there are hundreds of rows of both verdicts`() {
        #expect(Self.rows.count { $0.matches } > 250)
        #expect(Self.rows.count { !$0.matches } > 250)
        #expect(Self.rows.count { $0.replaced != nil } > 400)
    }

    @Test func `both matchers agree with Python on whole texts`() throws {
        for row in Self.rows {
            #expect(try matches(row.pattern, row.text) == row.matches, "\(row)")
            #expect(try matches(#"\b\B|"# + row.pattern, row.text) == row.matches, "\(row)")
        }
    }

    @Test func `the same matches and groups are replaced as in Python`() throws {
        for row in Self.rows {
            guard let expected = row.replaced else { continue }
            let hasGroup = try RuleRegex(row.pattern).groups > 0
            let found = try replaceAll(row.pattern, row.text, hasGroup ? #"<\0|\1>"# : #"<\0>"#)
            #expect(found == expected, "\(row)")
        }
    }
}
