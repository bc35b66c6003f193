import JOSE
import Revocation

/// The name that a provider tells beside its token, as Apple does at a user's first sign-in only.
enum DisplayName {
    private static let expected =
        "Send \"user\" as {\"name\":{\"firstName\":\"...\",\"lastName\":\"...\"}}, with a name of at most"
        + " \(StoreBounds.maximumNameLength) characters."
    /// The object as a string: how web forms carry it.
    private static let limits = JSONLimits(size: 16_384, depth: 8, members: 64)

    /// The name in `user`, an object or the text of one; nil where there is none.
    static func read(_ body: CallBody) throws(AccountDenial) -> String? {
        guard let value = body.value("user") else { return nil }
        guard let text = value.string else { return try name(in: value) }
        guard let document = try? JSONDocument(Array(text.utf8), limits: limits) else { throw .malformed(expected) }
        return try name(in: document.root)
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

    /// The name that a claim has; nil for one that could not be kept.
    static func kept(_ claim: JSONValue?) -> String? {
        guard let text = claim?.string else { return nil }
        let name = String(trimmed(text))
        return isName(name) ? name : nil
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
