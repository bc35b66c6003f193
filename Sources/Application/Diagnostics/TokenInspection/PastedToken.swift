import Authentication

/// A token in the forms that people paste: a header field, a cookie, with quotes, spaces and line breaks.
package struct PastedToken: Sendable, Equatable {
    /// The token; the whole text if it has none of these forms.
    package let text: String

    /// Extracts the token of `Bearer TOKEN`, `Authorization: Bearer TOKEN`, `Cookie: NAME=TOKEN; ...`,
    /// `Set-Cookie: NAME=TOKEN; ...` or `NAME=TOKEN`.
    ///
    /// - Parameter cookie: The name of the session cookie. In a `Cookie` field without it, the only JWT is taken.
    package init(_ pasted: String, cookie: String) {
        var rest = Self.unquoted(pasted[...])
        if let value = Self.field(rest, named: ["authorization"]) {
            rest = Self.withoutScheme(value)
        } else if let value = Self.field(rest, named: ["cookie", "set-cookie"]) {
            rest = Self.cookies(value).first { $0.name == cookie }?.value ?? Self.onlyJWT(in: value) ?? value
        } else {
            rest = Self.cookies(rest).first { $0.name == cookie }?.value ?? Self.withoutScheme(rest)
        }
        text = Self.joined(Self.unquoted(rest))
    }

    /// Returns the text without white space and quotes around it, and without a comma or semicolon at its end.
    private static func unquoted(_ text: Substring) -> Substring {
        var text = trimmed(text)
        while let last = text.last, last == "," || last == ";" { text = trimmed(text.dropLast()) }
        while text.count >= 2, let first = text.first, first == text.last, "\"'`".contains(first) {
            text = trimmed(text.dropFirst().dropLast())
        }
        return text
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// Returns the value of a header field.
    private static func field(_ text: Substring, named names: [String]) -> Substring? {
        guard let colon = text.firstIndex(of: ":"), names.contains(text[..<colon].lowercased()) else { return nil }
        return unquoted(text[text.index(after: colon)...])
    }

    private static func withoutScheme(_ text: Substring) -> Substring {
        let scheme = text.prefix { !$0.isWhitespace }
        guard scheme.lowercased() == "bearer", scheme.endIndex < text.endIndex else { return text }
        return trimmed(text[scheme.endIndex...])
    }

    private static func cookies(_ text: Substring) -> [(name: Substring, value: Substring)] {
        text.split(separator: ";").compactMap { pair in
            guard let equals = pair.firstIndex(of: "=") else { return nil }
            return (trimmed(pair[..<equals]), pair[pair.index(after: equals)...])
        }
    }

    private static func onlyJWT(in text: Substring) -> Substring? {
        let tokens = cookies(text).map { unquoted($0.value) }.filter { isJWT($0) }
        return tokens.count == 1 ? tokens[0] : nil
    }

    private static func isJWT(_ text: some StringProtocol) -> Bool {
        Array(text.utf8).withUnsafeBytes { CompactShape.seemsJWT($0) }
    }

    /// Joins the lines of a wrapped token. Spaces within a line remain, unless the text without them is a JWT.
    private static func joined(_ text: Substring) -> String {
        let joined = text.split(whereSeparator: \.isNewline).map { trimmed($0) }.joined()
        let packed = joined.filter { !$0.isWhitespace }
        return packed.hasPrefix("ey") && isJWT(packed) ? packed : joined
    }
}
