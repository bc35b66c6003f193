internal import Yams

/// Says what the YAML parser found, in the form of every other error.
enum YAMLProblem {
    static func describe(_ error: any Error, file: String) -> ConfigurationError {
        let (problem, mark) = parts(of: error)
        let location = SourceLocation(file: file, line: mark?.line ?? 1, column: mark?.column ?? 1)
        if problem == "but found another document" {
            return ConfigurationError(
                location: location, what: "a second YAML document", remedy: "keep one document in the file")
        }
        if problem.hasPrefix("Maximum nesting level") {
            return ConfigurationError(
                location: location, what: "nested more than 1000 levels deep", remedy: "close the brackets")
        }
        return ConfigurationError(location: location, what: "not valid YAML (\(problem))", remedy: remedy(for: problem))
    }

    private static func parts(of error: any Error) -> (problem: String, mark: Mark?) {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            (problem, mark)
        case .reader(let problem, _, _, _): (problem, nil)
        default: ("unreadable", nil)
        }
    }

    private static func remedy(for problem: String) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "check the indentation, and put a text with ': ' in quotes"
        case "could not find expected ':'": "write KEY: VALUE"
        case "found unexpected end of stream": "close the quote or bracket that is open"
        case "found character that cannot start any token": "put the text in quotes"
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'":
            "check the brackets, and put ${...} in quotes inside of them"
        default: "check the indentation, the quotes and the brackets"
        }
    }
}
