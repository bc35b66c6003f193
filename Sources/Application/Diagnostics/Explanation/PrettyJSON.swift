import JOSE
import PrintableText

/// JSON text for display: one member per line, indented by two spaces.
enum PrettyJSON {
    static func text(of document: JSONDocument) -> String {
        text(document.root, indent: "")
    }

    private static func text(_ value: JSONValue, indent: String) -> String {
        switch value.kind {
        case .object where value.count > 0:
            lines(
                value.members.map { name, member in
                    "\(PrintableText.quoted(name)): \(text(member, indent: indent + "  "))"
                }, "{",
                "}", indent)
        case .array where value.count > 0:
            lines(value.elements.map { text($0, indent: indent + "  ") }, "[", "]", indent)
        default:
            PrintableText.escaped(String(decoding: value.compact, as: UTF8.self))
        }
    }

    private static func lines(_ lines: [String], _ open: String, _ close: String, _ indent: String) -> String {
        open + "\n" + lines.map { "\(indent)  \($0)" }.joined(separator: ",\n") + "\n\(indent)\(close)"
    }
}
