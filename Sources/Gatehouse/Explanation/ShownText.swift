import JOSE

/// Text of others made safe to look at: a terminal obeys what it prints, and what a reader sees should be what is there.
enum ShownText {
    /// As a JSON string, at most `limit` characters of it, with everything that does not print escaped.
    static func quoted(_ text: String, limit: Int = 160) -> String {
        let part = text.count > limit ? text.prefix(limit) + "..." : text[...]
        var bytes: [UInt8] = []
        JSONWriter.appendString(String(part), to: &bytes)
        return escaped(String(decoding: bytes, as: UTF8.self))
    }

    /// The text with what does not print escaped as JSON escapes it, and nothing else changed.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isPrintable($0) }) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isPrintable(scalar) { shown.unicodeScalars.append(scalar) } else { shown += escape(scalar) }
        }
        return shown
    }

    /// Texts as JSON strings; `none` for no text.
    static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "none" : escaped(limited(texts.map { quoted($0) }.joined(separator: ", ")))
    }

    /// A claim: strings quoted, everything else as JSON text.
    static func claim(_ value: JSONValue?) -> String {
        guard let value else { return "missing" }
        if let text = value.string { return quoted(text) }
        let text = String(decoding: value.compact, as: UTF8.self)
        return escaped(limited(text))
    }

    private static func limited(_ text: String) -> String {
        text.count > 160 ? text.prefix(160) + "..." : text
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
