import Testing

/// The facts of one file of CEL's public conformance cases (`tests/simple/testdata/NAME.textproto` of its specification), a case a line:
///
///     [section]
///     name: expression where name = value, ... => expected
///
/// - expected: a value, or `error`; `type` and `message` are kinds of values that our language does not have.
/// - Control characters that stand in an expression as they are, are written as their pictures (U+2400 and following).
/// - `...` in a protobuf message stands for the rest of it.
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
                cases.append(CELCase(id: "\(file)/\(section)", line: line))
            }
        }
        self.cases = cases
    }

    static let all: [CELCases] = [
        logic, comparisons, integerMath, floatMath, strings, lists, basics, parse, conversions, timestamps, fields,
        macros,
    ]
}

/// One case.
struct CELCase: Sendable, CustomTestStringConvertible {
    /// `file/section/name`.
    let id: String
    /// As it stands in CEL's own language.
    let expression: String
    let bindings: [(name: String, value: String)]
    /// The text of the value; nil: an error.
    let expected: String?

    var testDescription: String { "\(id): \(expression)" }

    /// - Parameters:
    ///   - id: what stands before the name.
    ///   - line: `name: expression where name = value, ... => expected`
    init(id: String, line: Substring) {
        let (name, rest) = line.halves(around: ": ", last: false)
        let (before, expected) = rest.halves(around: " => ", last: true)
        let (expression, bindings) = before.halves(around: " where ", last: true)
        self.id = "\(id)/\(name)"
        self.expression = Self.withControls(expression)
        self.expected = expected == "error" ? nil : String(expected)
        // No value that is bound to the first of two names has a comma and a space before an equals sign.
        self.bindings = bindings.split(separator: /, (?=[a-z.]+ = )/).map {
            let (name, value) = $0.halves(around: " = ", last: false)
            return (String(name), String(value))
        }
    }

    /// Pictures of control characters as the characters themselves.
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
    /// What stands before and after the first or the last place of a separator; all and nothing where there is none.
    fileprivate func halves(around separator: String, last: Bool) -> (Substring, Substring) {
        let places = ranges(of: separator)
        guard let place = last ? places.last : places.first else { return (self, "") }
        return (self[..<place.lowerBound], self[place.upperBound...])
    }
}
