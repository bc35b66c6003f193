import JOSE
import PrintableText
import Revocation

/// The name that a client sends with a provider's token. Apple states it only at a user's first sign-in.
enum DisplayName {
    private static let expected =
        "Send \"user\" as {\"name\":{\"firstName\":\"...\",\"lastName\":\"...\"}}, with a name of at most"
        + " \(StoreBounds.maximumNameLength) characters."
    /// The limits of the object when sent as a string, as web forms do.
    private static let limits = JSONLimits(size: 16_384, depth: 8, members: 64)

    /// Returns the name in `user`, which is an object or its JSON text. `nil` without a name.
    static func read(_ body: CallBody) throws(AccountDenial) -> String? {
        guard let value = body.value("user") else { return nil }
        guard let text = value.string else { return try name(in: value) }
        guard let document = try? JSONDocument(Array(text.utf8), limits: limits) else { throw .malformed(expected) }
        return try name(in: document.root)
    }

    /// Returns the name in the JSON text of a form. `nil` without an acceptable name, which does not end a sign-in.
    static func inForm(_ text: String) -> String? {
        guard let document = try? JSONDocument(Array(text.utf8), limits: limits) else { return nil }
        return (try? name(in: document.root)) ?? nil
    }

    private static func name(in user: JSONValue) throws(AccountDenial) -> String? {
        guard user.kind == .object else { throw .malformed(expected) }
        guard let name = user["name"] else { return nil }
        guard name.kind == .object else { throw .malformed(expected) }
        var parts: [Substring] = []
        for member in ["firstName", "lastName"] {
            guard let value = name[member], value.kind != .null else { continue }
            guard let text = value.string else { throw .malformed(expected) }
            parts.append(trimmed(text))
        }
        let whole = parts.filter { !$0.isEmpty }.joined(separator: " ")
        guard isName(whole) || whole.isEmpty else { throw .malformed(expected) }
        return whole.isEmpty ? nil : whole
    }

    /// Returns the name in a claim. `nil` if it cannot be stored.
    static func kept(_ claim: JSONValue?) -> String? {
        guard let text = claim?.string else { return nil }
        let name = String(trimmed(text))
        return isName(name) ? name : nil
    }

    /// Blank characters that Unicode counts as symbols, letters or marks: the braille pattern without dots, the null
    /// notehead, the blanks of Egyptian hieroglyphs, and the filler of the Khitan small script.
    private static let blanks: Set<Unicode.Scalar> = [
        "\u{2800}", "\u{1D159}", "\u{13441}", "\u{13442}", "\u{16FE4}",
    ]

    /// Returns the name that a user chose, without surrounding spaces. `nil` if it is too long, has no visible
    /// character, or has a control, a bidirectional control, or another format character. Words of some scripts need a
    /// zero-width joiner or non-joiner.
    static func chosen(_ text: String) -> String? {
        let name = String(trimmed(text))
        let isPrintable = name.unicodeScalars.allSatisfy { scalar in
            PrintableText.isPrintable(scalar) || scalar == "\u{200C}" || scalar == "\u{200D}"
        }
        return isName(name) && isPrintable && name.unicodeScalars.contains(where: isVisible) ? name : nil
    }

    /// Returns whether a scalar is displayed with ink. The fillers of Hangul and variation selectors are default
    /// ignorable code points.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        PrintableText.isPrintable(scalar) && !scalar.properties.isWhitespace
            && !scalar.properties.isDefaultIgnorableCodePoint && !blanks.contains(scalar)
    }

    private static func isName(_ text: String) -> Bool {
        (1...StoreBounds.maximumNameLength).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
