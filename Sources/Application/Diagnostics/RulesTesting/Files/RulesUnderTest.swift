import Gatehouse
import GatewayConfiguration
import GatewayCore
import Routing
import SecurityRules

/// The tested rules: a rules file, or the condition of a route.
package struct RulesUnderTest: Sendable {
    /// The file that contains them.
    package let file: String
    /// The number of the first line in `lines`.
    let firstLine: Int
    /// The lines of text.
    let lines: [String]
    let ruleset: Ruleset
    /// The pattern of the condition's route. `nil` for a rules file.
    let pattern: RoutePattern?
}

extension RulesUnderTest {
    /// Reads a rules file from `files` by path, or from the file system if it is `nil`.
    static func read(
        _ file: String, namedAt place: SourceLocation?, files: [String: [UInt8]]?
    ) throws(ConfigurationErrors) -> [UInt8] {
        do throws(BoundedFile.Failure) {
            guard let files else { return try BoundedFile.read(file, atMost: RuleSource.maximumSize) }
            guard let bytes = files[file] else { throw .unreadable("not among the files given") }
            return bytes
        } catch {
            throw ConfigurationErrors([failure(error, file, place)])
        }
    }

    /// Parses a rules file.
    static func file(_ file: String, _ bytes: [UInt8]) throws(ConfigurationErrors) -> RulesUnderTest {
        do throws(RuleProblems) {
            let ruleset = try Ruleset(file: RuleSource(bytes, name: file))
            return RulesUnderTest(
                file: file, firstLine: 1, lines: RuleCoverage.Source.lines(of: ruleset.source.text), ruleset: ruleset,
                pattern: nil)
        } catch {
            throw ConfigurationErrors(error)
        }
    }

    /// Parses the condition of a route.
    ///
    /// - Parameters:
    ///   - text: The text of the condition.
    ///   - place: The location of the text in its file.
    static func condition(
        _ text: String, at place: SourceLocation, pattern: RoutePattern
    ) throws(ConfigurationErrors) -> RulesUnderTest {
        // Padding makes locations in the text equal to locations in the file.
        let padding = String(repeating: "\n", count: place.line - 1) + String(repeating: " ", count: place.column - 1)
        let source = RuleSource(padding + text, name: place.file)
        do throws(RuleProblems) {
            let ruleset = try Ruleset(
                condition: source, captures: pattern.ruleCaptures, label: "\(place.file):\(place.line)")
            let shown = String(repeating: " ", count: place.column - 1) + text
            return RulesUnderTest(
                file: place.file, firstLine: place.line, lines: RuleCoverage.Source.lines(of: shown), ruleset: ruleset,
                pattern: pattern)
        } catch {
            throw ConfigurationErrors(error)
        }
    }

    private static func failure(
        _ failure: BoundedFile.Failure, _ file: String, _ place: SourceLocation?
    ) -> ConfigurationError {
        let start = SourceLocation(file: file, line: 1, column: 1)
        switch failure {
        case .tooLarge:
            return ConfigurationError(
                location: start, what: "the rules are larger than \(RuleSource.maximumSize / 1024) KiB",
                remedy: "split them")
        case .unreadable(let reason):
            return ConfigurationError(
                location: place ?? start, what: "the rules file \(Quoted(file)) cannot be read (\(reason))",
                remedy: "specify one with rules: FILE, relative to the folder of the test file")
        }
    }
}

extension ConfigurationErrors {
    /// Converts errors of rules to configuration errors.
    init(_ problems: RuleProblems) {
        self.init(
            problems.problems.map {
                ConfigurationError(location: SourceLocation($0.location), what: $0.what, remedy: $0.remedy)
            })
    }
}
