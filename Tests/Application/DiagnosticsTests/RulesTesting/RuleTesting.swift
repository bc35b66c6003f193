import GatewayCore
import Testing

@testable import Diagnostics

/// Test files in memory, without a file system.
enum RuleTesting {
    /// A test file named `notes.test.yaml`, with `notes.rules` in the same folder.
    static func load(_ yaml: String, rules: String? = nil) throws(ConfigurationErrors) -> RuleTestFile {
        try .load(
            bytes: Array(yaml.utf8), file: "notes.test.yaml",
            files: rules.map { ["notes.rules": Array($0.utf8)] } ?? [:])
    }

    /// The errors of a test file: `LINE:COLUMN error; remedy`.
    static func errors(in yaml: String, rules: String? = nil) -> [String] {
        do {
            _ = try load(yaml, rules: rules)
            return []
        } catch {
            return error.errors.map {
                "\($0.location.file):\($0.location.line):\($0.location.column) \($0.what); \($0.remedy)"
            }
        }
    }

    /// A run of tests of rules with one `match` for all paths. Its lines begin on the third line.
    static func run(_ lines: String, tests: String) throws -> RuleTestRun {
        RuleTestRun([try load(users + tests, rules: rules(lines))])
    }

    static func rules(_ lines: String) -> String {
        "rules_version = '2'; service gatehouse.http {\nmatch /{path=**} {\n\(lines)\n} }\n"
    }

    static let users = """
        users:
          ann: { uid: ann, token: { role: admin, level: 3 }, signed_in: 2h }
          now: { uid: ann, signed_in: 1m }
          again: { uid: ann, signed_in: 2h, reauthenticated: 1m }
          strong: { uid: ann, second_factor: true }

        """

    /// A single test.
    static func test(
        _ request: String = "GET /a", auth: String = "ann", expect: String, more: String = ""
    ) -> String {
        "tests:\n  - name: a test\n    request: \(request)\n    auth: \(auth)\n    expect: \(expect)\n\(more)"
    }
}

extension RuleTestRun {
    var results: [RuleTestResult] { files.flatMap(\.results) }
}
