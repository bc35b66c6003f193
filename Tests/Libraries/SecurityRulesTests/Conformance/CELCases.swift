import Testing

/// The cases of a file of CEL's public conformance suite (`tests/simple/testdata/NAME.textproto` in cel-spec):
///
///     [section]
///     name: expression where name = value, ... => expected
///
/// - A name with a placeholder, such as `<quoted>_escapes`, represents a case of each of its `alternatives`.
/// - expected: a value, or `error`. `type` and `message` are kinds of values that rules do not have.
/// - Unescaped control characters in an expression are written as their pictures (U+2400 and following).
/// - `...` in a protobuf message represents the rest of it.
struct CELCases: Sendable {
    let file: String
    let cases: [CELCase]

    init(file: String, rows: String) {
        self.file = file
        var section = ""
        var cases: [CELCase] = []
        for line in rows.split(separator: "\n") {
            if line.hasPrefix("["), line.hasSuffix("]"), !line.contains(": ") {
                section = String(line.dropFirst().dropLast())
            } else {
                cases += Self.expanded(line).map { CELCase(id: "\(file)/\(section)", line: $0) }
            }
        }
        self.cases = cases
    }

    /// The lines of the cases that one line represents.
    private static func expanded(_ line: Substring) -> [Substring] {
        let placeholder = line.prefix { $0 != ":" }.firstMatch(of: /<([a-z_]+)>/)
        guard let placeholder, let texts = alternatives[String(placeholder.1)] else { return [line] }
        return texts.flatMap { name, text in
            let named = line.replacing(placeholder.0, with: name, maxReplacements: 1)
            return expanded(named.replacing(placeholder.0, with: text))
        }
    }

    /// The texts that a placeholder represents: in the name, and in the rest of the line.
    private static let alternatives: [String: [(String, String)]] = [
        "quoted": [("single_quoted", "'"), ("double_quoted", "\"")] + triplyQuoted, "triply_quoted": triplyQuoted,
        "wrapper": zip(kinds, wrappers).map { ($0, $1) }, "kind": kinds.map { ($0, $0) },
        "proto": [("proto2", "proto2"), ("proto3", "proto3")], "word": words.map { ($0, $0) },
    ]
    private static let triplyQuoted = [("triple_single_quoted", "'''"), ("triple_double_quoted", "\"\"\"")]
    private static let kinds = ["bool", "bytes", "double", "float", "int32", "int64", "string", "uint32", "uint64"]
    private static let wrappers = ["Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64"]
        .map { $0 + "Value" }
    private static let words = [
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
        "namespace", "return", "var", "void", "while",
    ]

    static let all: [CELCases] = [
        logic, comparisons, integerMath, floatMath, strings, lists, basics, parse, conversions, timestamps, fields,
        macros,
    ]
}

struct CELCase: Sendable, CustomTestStringConvertible {
    /// `file/section/name`.
    let id: String
    /// The expression in CEL.
    let expression: String
    let bindings: [(name: String, value: String)]
    /// The text of the value. `nil` for an error.
    let expected: String?

    var testDescription: String { "\(id): \(expression)" }

    /// - Parameters:
    ///   - id: the file and the section.
    ///   - line: `name: expression where name = value, ... => expected`
    init(id: String, line: Substring) {
        let (name, rest) = line.halves(around: ": ", last: false)
        let (before, expected) = rest.halves(around: " => ", last: true)
        let (expression, bindings) = before.halves(around: " where ", last: true)
        self.id = "\(id)/\(name)"
        self.expression = Self.withControls(expression)
        self.expected = expected == "error" ? nil : String(expected)
        // A value that is bound to the first of two names does not contain ", name = ".
        self.bindings = bindings.split(separator: /, (?=[a-z.]+ = )/).map {
            let (name, value) = $0.halves(around: " = ", last: false)
            return (String(name), String(value))
        }
    }

    /// Replaces the pictures of control characters by the characters.
    private static func withControls(_ text: Substring) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0x2400...0x241F: Unicode.Scalar(UInt8(scalar.value - 0x2400))
                    case 0x2421: Unicode.Scalar(UInt8(0x7F))
                    default: scalar
                    }
                }))
    }
}

extension Substring {
    /// The parts before and after the first or last separator. Without a separator, the second part is empty.
    fileprivate func halves(around separator: String, last: Bool) -> (Substring, Substring) {
        let places = ranges(of: separator)
        guard let place = last ? places.last : places.first else { return (self, "") }
        return (self[..<place.lowerBound], self[place.upperBound...])
    }
}
