/// Escaping of untrusted text for output.
///
/// A terminal interprets control characters, a line separator forges a log line, and a bidirectional control reorders
/// the characters that follow it. Each output for readers (log, access log, error messages, tables) applies these
/// functions to all text.
package enum PrintableText {
    /// Returns whether a scalar is displayed as a character. Control and format characters (including bidirectional
    /// controls), line separators, and private and unassigned scalars are not.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return scalar.value >= 0x20 && scalar.value != 0x7F }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }

    /// Returns the text with each unprintable scalar as `\uXXXX`, one escape for each UTF-16 unit as in JSON. The
    /// meaning of a JSON document does not change.
    ///
    /// - Parameter keepsLineFeeds: Whether line feeds are kept, for text with the program's own layout.
    package static func escaped(_ text: String, keepsLineFeeds: Bool = false) -> String {
        let isShown = { (scalar: Unicode.Scalar) in isPrintable(scalar) || (keepsLineFeeds && scalar == "\n") }
        guard !text.unicodeScalars.allSatisfy(isShown) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isShown(scalar) { shown.unicodeScalars.append(scalar) } else { shown += escape(scalar) }
        }
        return shown
    }

    /// Returns at most `limit` scalars, escaped, followed by `...` if the text is longer.
    package static func short(_ text: some StringProtocol, limit: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return escaped(String(String.UnicodeScalarView(scalars[..<end]))) + (end < scalars.endIndex ? "..." : "")
    }

    /// Returns the text as a quoted JSON string.
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

    /// Returns the value of a field in a line of fields. A value that contains a separator or an unprintable
    /// character is quoted as a JSON string.
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
