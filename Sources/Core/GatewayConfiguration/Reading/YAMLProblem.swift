import CLibyaml
import GatewayCore

/// Describes what makes a text no YAML, in the form of every other error.
enum YAMLProblem {
    static func describe(_ parser: yaml_parser_t, file: String) -> ConfigurationError {
        let problem = parser.problem.map { String(cString: $0) } ?? "unreadable"
        let context = parser.context.map { String(cString: $0) } ?? ""
        if let kind = refused[context] {
            return refusal(of: kind, at: SourceLocation(parser.context_mark, file: file))
        }
        let location =
            parser.error == YAML_READER_ERROR
            ? SourceLocation(file: file, line: 1, column: 1) : SourceLocation(parser.problem_mark, file: file)
        if problem.hasPrefix("Maximum nesting level") { return tooDeep(at: location) }
        return ConfigurationError(location: location, what: "not valid YAML (\(problem))", remedy: remedy(for: problem))
    }

    /// What YAML allows and a file may not have: it says one thing in several places, or costs more than its bytes.
    enum Refused: Character {
        case anchor = "&"
        case alias = "*"
        case tag = "!"
    }

    static func refusal(of kind: Refused, at location: SourceLocation) -> ConfigurationError {
        let name =
            switch kind {
            case .anchor: "anchors"
            case .alias: "aliases"
            case .tag: "tags"
            }
        return ConfigurationError(
            location: location, what: "YAML \(name) ('\(kind.rawValue)') are not allowed",
            remedy: "put a text that begins with '\(kind.rawValue)' in quotes")
    }

    static func tooDeep(at location: SourceLocation) -> ConfigurationError {
        ConfigurationError(
            location: location, what: "nested more than \(YAMLDocument.maximumDepth) levels deep",
            remedy: "close the brackets")
    }

    /// What libyaml was reading when it failed.
    private static let refused: [String: Refused] = [
        "while scanning an anchor": .anchor, "while scanning an alias": .alias, "while scanning a tag": .tag,
        "while parsing a tag": .tag,
    ]

    private static func remedy(for problem: String) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "check the indentation, and put a text with ': ' in quotes"
        case "could not find expected ':'": "write KEY: VALUE"
        case "found unexpected end of stream": "close the quote or bracket that is open"
        case "found character that cannot start any token": "put the text in quotes; indent with spaces, not tabs"
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'":
            "check the brackets, and put ${...} in quotes inside of them"
        default: "check the indentation, the quotes and the brackets"
        }
    }
}
