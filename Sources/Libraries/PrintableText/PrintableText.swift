/// Text of unknown origin in a form that is safe to read.
///
/// A terminal obeys control characters, a line separator forges a line of a log, and a bidirectional control shows characters in another
/// order than they have. Each sink for readers (log, access log, error printer, tables) applies these functions to all that it writes.
package enum PrintableText {
    /// Whether a scalar shows as a character of its own. Control and format characters (bidirectional controls are format characters),
    /// separators of lines, and private and unassigned scalars do not.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return scalar.value >= 0x20 && scalar.value != 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }

    /// The text with each unprintable scalar as `\uXXXX`, one for each UTF-16 unit as in JSON. A document of JSON keeps its meaning.
    ///
    /// - Parameter keepsLineFeeds: For text that has its layout from the program.
    package static func escaped(_ text: String, keepsLineFeeds: Bool = false) -> String {
        let isShown = { (scalar: Unicode.Scalar) in isPrintable(scalar) || (keepsLineFeeds && scalar == "\n") }
        guard !text.unicodeScalars.allSatisfy(isShown) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isShown(scalar) { shown.unicodeScalars.append(scalar) } else { shown += escape(scalar) }
        }
        return shown
    }

    /// The first scalars of a text, `...` where there are more than `limit`, escaped.
    package static func short(_ text: some StringProtocol, limit: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return escaped(String(String.UnicodeScalarView(scalars[..<end]))) + (end < scalars.endIndex ? "..." : "")
    }

    /// As a JSON string with its quotes.
    package static func quoted(_ text: String) -> String {
        var shown = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                shown += "\\"
                shown.unicodeScalars.append(scalar)
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            default:
                if isPrintable(scalar) { shown.unicodeScalars.append(scalar) } else { shown += escape(scalar) }
            }
        }
        return shown + "\""
    }

    /// The value of a field in a line of fields: as it is, or as a JSON string where its end, or a second field in it, could be in doubt.
    package static func field(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "\"", "\\", "=": false
            default: isPrintable(scalar) && !scalar.properties.isWhitespace
            }
        }
        return isPlain && !text.isEmpty ? text : quoted(text)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar)?.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined() ?? ""
    }
}
