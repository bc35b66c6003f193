import JOSE
import PrintableText
import Revocation

/// Claims and texts of tokens as steps of an account show them.
enum ShownText {
    /// As a JSON string of at most `limit` scalars.
    static func quoted(_ text: String, limit: Int = 160) -> String {
        let part = text.unicodeScalars.prefix(limit)
        return PrintableText.quoted(String(part) + (part.endIndex < text.unicodeScalars.endIndex ? "..." : ""))
    }

    /// Texts as JSON strings; `none` for no text.
    static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "none" : PrintableText.short(texts.map { quoted($0) }.joined(separator: ", "), limit: 160)
    }

    /// A claim: strings quoted, everything else as JSON text.
    static func claim(_ value: JSONValue?) -> String {
        guard let value else { return "missing" }
        if let text = value.string { return quoted(text) }
        return PrintableText.short(String(decoding: value.compact, as: UTF8.self), limit: 160)
    }
}

extension UserKey {
    /// The uid in quotes, and the tenant where it is a part of the name.
    var shown: String {
        ShownText.quoted(uid) + (tenant.map { " of the tenant \(ShownText.quoted($0))" } ?? "")
    }
}
