import JOSE
import PrintableText
import Revocation

/// The display of claims and texts in the steps of an explanation.
enum ShownText {
    /// Returns a JSON string of at most `limit` scalars.
    static func quoted(_ text: String, limit: Int = 160) -> String {
        let part = text.unicodeScalars.prefix(limit)
        return PrintableText.quoted(String(part) + (part.endIndex < text.unicodeScalars.endIndex ? "..." : ""))
    }

    /// Returns JSON strings, or `none` without texts.
    static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "none" : PrintableText.short(texts.map { quoted($0) }.joined(separator: ", "), limit: 160)
    }

    /// Returns a claim: strings quoted, other values as JSON text.
    static func claim(_ value: JSONValue?) -> String {
        guard let value else { return "missing" }
        if let text = value.string { return quoted(text) }
        return PrintableText.short(String(decoding: value.compact, as: UTF8.self), limit: 160)
    }
}

extension UserKey {
    /// The uid in quotes, with the tenant and the project if they are part of the user key.
    var shown: String {
        ShownText.quoted(uid) + (tenant.map { " of the tenant \(ShownText.quoted($0))" } ?? "")
            + (project.map { " of the project \(ShownText.quoted($0))" } ?? "")
    }
}
