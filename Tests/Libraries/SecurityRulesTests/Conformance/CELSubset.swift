import CivilCalendar
import SecurityRules

/// The part of CEL that rules have, too.
enum CELSubset {
    /// The reason why a case is outside of the common subset.
    enum Outside: String, CaseIterable {
        case unsigned = "unsigned integers"
        case message = "protobuf messages"
        case macro = "macros: `has`, `all`, `exists`, `exists_one`, `map`, `filter`"
        case type = "types as values: `type(x)`, `int`"
        case literal = "raw and triple-quoted literals, `B'...'`"
        case key = "map keys that are not strings"
        case method = "`startsWith`, `endsWith`, `contains`: `matches` replaces them"
        case zone = "time zones"
        case conversion = "conversions that rules do not have: of times to `int` and `string`, of bytes to `string`"
        case dotted = "variables with dots in their names"
    }

    /// A case in the syntax of rules.
    struct Spelling {
        var expression: String
        /// The value of `token`.
        var token: RuleValue
        /// Whether the spelling differs from CEL's.
        var isRespelled: Bool
    }

    /// The reason why a case is outside of the common subset. `nil` if it is in the subset.
    static func outside(_ test: CELCase) -> Outside? {
        let code = CELText(test.expression).code + " " + test.bindings.map(\.value).joined(separator: " ")
        if test.expression.contains(/'''|"""|\b[bB]?[rR]['"]|\bB['"]/) { return .literal }
        if code.contains(/TestAllTypes|google\.protobuf/) { return .message }
        if code.contains(/\b(0x[0-9a-fA-F]+|[0-9]+)[uU]\b|\buint\(/) { return .unsigned }
        if code.contains(/\.(exists|all|exists_one|map|filter)\(|\bhas\(/) { return .macro }
        if code.contains(/\btype\b|^(bool|dyn|u?int|double|null_type|string|bytes|list|map) $/) { return .type }
        if code.contains(/[{,] *(true|false|null|[0-9.]+) *:/) { return .key }
        if code.contains(/\.(startsWith|endsWith|contains)\(/) { return .method }
        if code.contains(/\.get[A-Za-z]+\('/) { return .zone }
        if test.expression.contains(/\b(int|string)\((timestamp|duration|b')/) { return .conversion }
        return test.bindings.count > 1 ? .dotted : nil
    }

    /// The case in the syntax of rules.
    static func spell(_ test: CELCase) -> Spelling {
        var token: RuleValue = .map(RuleMap([]))
        var text = test.expression
        for (name, value) in test.bindings {
            let path = name.split(separator: ".").map(String.init)
            if let value = CELValue.read(value) {
                token = path.reversed().reduce(value) { .map(RuleMap([($1, $0)])) }
                text = CELText(text).replacing(path[0], with: "token.\(path[0])")
            } else {
                text = CELText(text).replacing(name, with: "(\(value))")
            }
        }
        // The cases of the parser are about the spelling itself.
        if !test.id.hasPrefix("parse/") { text = CELText.escapingControls(text) }
        let spelled = CELTimes.respell(respell(text))
        return Spelling(expression: spelled, token: token, isRespelled: spelled != test.expression)
    }

    /// The expression with the names that rules have for CEL's functions.
    private static func respell(_ text: String) -> String {
        var text = text.replacing("dyn(", with: "(").replacing("double(", with: "float(")
        text = text.replacing(/\bbytes\(('[^']*')\)/) { "\($0.1).toUtf8()" }
        guard text.hasPrefix("size("), text.hasSuffix(")") else { return text }
        return text.dropFirst(5).dropLast() + ".size()"
    }
}

/// An expression as code and literals, so that text in a string is not read as code.
struct CELText {
    /// Code and quoted literals, alternately. The code is first.
    private var parts: [String] = [""]

    init(_ text: String) {
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
                parts.append(String(scalar))
                continue
            }
            parts[parts.count - 1].unicodeScalars.append(scalar)
            guard let open = quote else { continue }
            if scalar == open, !isEscaped {
                quote = nil
                parts.append("")
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
    }

    /// The text with empty literals.
    var code: String {
        parts.enumerated().map { $0.offset.isMultiple(of: 2) ? $0.element : "''" }.joined()
    }

    /// The text with control characters as escapes. They occur only in literals.
    static func escapingControls(_ text: String) -> String {
        text.unicodeScalars.map { $0.value < 0x20 ? "\\x0" + String($0.value, radix: 16) : String($0) }.joined()
    }

    /// The text with a name replaced where it is code.
    func replacing(_ name: String, with text: String) -> String {
        parts.enumerated().map { offset, part in
            guard offset.isMultiple(of: 2) else { return part }
            return part.replacing(/[A-Za-z_][A-Za-z_0-9]*(\.[a-z]+)*/) { word in
                word.0 == name || word.0.hasPrefix(name + ".") ? text + word.0.dropFirst(name.count) : String(word.0)
            }
        }.joined()
    }
}

/// Times in the syntax of rules, which create them from numbers and not from text.
enum CELTimes {
    static func respell(_ text: String) -> String {
        var text = text.replacing(/timestamp\('(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(\.\d+)?Z'\)/) { time in
            let numbers = [time.1, time.2, time.3, time.4, time.5, time.6].map { Int64($0) ?? 0 }
            return timestamp(numbers, fraction: time.7.map { String($0.dropFirst()) } ?? "")
        }
        text = text.replacing(/timestamp\((\d+)\)/) { "timestamp.value(\($0.1))" }
        text = text.replacing(/duration\('(-?\d+)(s|ns)'\)/) { "duration.value(\($0.1), '\($0.2)')" }
        return selectors(text)
    }

    private static func timestamp(_ numbers: [Int64], fraction: String) -> String {
        // CEL's cases also contain years out of range. 400 years have 146,097 days.
        let shift: Int64 = numbers[0] < 1 ? 1 : numbers[0] > 9999 ? -1 : 0
        let date = CivilDate(year: numbers[0] + shift * 400, month: numbers[1], day: numbers[2])
        let days = (date?.daysSince1970 ?? 0) - shift * 146_097
        let seconds = ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
        let whole = "timestamp.value(\(seconds * 1000))"
        guard !fraction.isEmpty else { return whole }
        let digits = fraction + String(repeating: "0", count: 9 - fraction.count)
        return "(\(whole) + duration.value(\(Int64(digits) ?? 0), 'ns'))"
    }

    /// Rules count months and days from 1, and CEL from 0. Rules have the parts of a duration in seconds only.
    private static func selectors(_ text: String) -> String {
        let isDuration = text.hasPrefix("duration.") || text.hasPrefix("(duration.")
        let spellings = [
            "getFullYear": "year()", "getMonth": "month() - 1", "getDate": "day()", "getDayOfMonth": "day() - 1",
            "getDayOfWeek": "dayOfWeek() % 7", "getDayOfYear": "dayOfYear() - 1", "getSeconds": "seconds()",
            "getHours": isDuration ? "seconds() / 3600" : "hours()",
            "getMinutes": isDuration ? "seconds() / 60" : "minutes()", "getMilliseconds": "nanos() / 1000000",
        ]
        return text.replacing(/(get[A-Z][A-Za-z]*)\(\)/) { spellings[String($0.1)] ?? String($0.0) }
    }
}
