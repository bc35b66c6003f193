extension Configuration.Route {
    private static let maximumScopes = 32
    private static let maximumScopeSize = 128

    /// What an access token must have been given for.
    static func scopes(_ value: ConfigurationValue) -> [String]? {
        guard let scopes = value.list(scope) else { return nil }
        guard scopes.count <= maximumScopes else {
            return value.fail("\(value.name) has more than \(maximumScopes) scopes", "remove some")
        }
        return scopes
    }

    private static func scope(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: maximumScopeSize) else { return nil }
        guard text.utf8.allSatisfy(ScopeToken.allows) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a scope",
                "write one scope an entry, in visible ASCII without '\"' and '\\'")
        }
        return text
    }
}

/// The words that scopes and authentication contexts are made of (RFC 6749 section 3.3): what may stand, with spaces between,
/// in a quoted parameter of a challenge.
enum ScopeToken {
    static func allows(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
