import GatewayCore
import Logging
import PrintableText

/// The form of a line of the process log: `TIME LEVEL LABEL: KEY=VALUE ... [SOURCE] MESSAGE`, whatever is in its parts.
enum LogLine {
    /// The longest value of a field, in scalars.
    static let longestValue = 4096

    static func text(
        milliseconds: Int64, level: Logger.Level, label: String, metadata: Logger.Metadata, source: String,
        message: String
    ) -> String {
        var line = "\(time(milliseconds)) \(level) \(PrintableText.escaped(label)):"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(PrintableText.field(key))=\(PrintableText.field(cut("\(value)")))"
        }
        return line + " [\(PrintableText.escaped(source))] \(PrintableText.escaped(cut(message)))\n"
    }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: longestValue, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "..."
    }

    private static func time(_ milliseconds: Int64) -> String {
        let (second, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let digits = String(fraction.magnitude)
        return String(RFC3339.text(second).dropLast()) + "." + String(repeating: "0", count: 3 - digits.count) + digits
            + "Z"
    }
}
