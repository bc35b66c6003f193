import GatewayCore

extension Configuration.Route {
    static func path(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 2_048) else { return nil }
        guard text.hasPrefix("/") else {
            return value.fail("\(value.name) is \(value.shown), which does not begin with '/'", "begin it with '/'")
        }
        return withoutForeignCaptures(text, value)
    }

    /// Rejects `:name` and `<name>`, which are captures in other routers but would be literals here.
    private static func withoutForeignCaptures(_ text: String, _ value: ConfigurationValue) -> String? {
        for segment in text.split(separator: "/") {
            let isNamed = segment.hasPrefix(":") && segment.count > 1
            guard isNamed || segment.hasPrefix("<") && segment.hasSuffix(">") else { continue }
            let name = (segment.split(separator: ":").last ?? "").filter {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
            }
            return value.fail(
                "\(value.name) has the segment \(Quoted(String(segment))), which would match only literally",
                "write {\(name.isEmpty ? "name" : name)}")
        }
        return text
    }

    static func upstream(_ value: ConfigurationValue, _ names: [String]) -> String? {
        guard let name = value.string(atMost: 64) else { return nil }
        if names.contains(name) { return name }
        let remedy =
            Spelling.suggestion(for: name, among: names).map { "did you mean '\($0)'?" } ?? "add it under upstreams"
        return value.fail("there is no upstream \(value.shown)", remedy)
    }

    static func host(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 255)?.lowercased() else { return nil }
        guard HostName.isPattern(text) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a host", "write a name without a port, or *.example.com in quotes"
            )
        }
        return text
    }

    /// The prefix of an unregistered method.
    private static let extensionPrefix = "EXTENSION:"

    /// Returns a method of the IANA registry, or any other with `extension:NAME`.
    static func method(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 32 + extensionPrefix.count)?.uppercased() else { return nil }
        let isExtension = text.hasPrefix(extensionPrefix)
        let name = isExtension ? String(text.dropFirst(extensionPrefix.count)) : text
        guard FieldName.isValid(name), name.utf8.count <= 32 else {
            return value.fail("\(value.name) is \(value.shown), not a method", "write a method as in GET")
        }
        guard name != "CONNECT" else { return value.fail("CONNECT is not supported", "remove it") }
        guard isExtension || RegisteredMethods.names.contains(name) else {
            let meant = Spelling.suggestion(for: name, among: RegisteredMethods.names)
            return value.fail(
                "\(value.name) is \(value.shown), an unregistered method",
                (meant.map { "did you mean '\($0)'? else " } ?? "") + "write extension:\(name)")
        }
        return name
    }

    static func provider(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return value.fail("\(value.name) is not a provider id", "write an id as in apple.com")
        }
        return text
    }

    /// Returns a prefix. Routing parses it further, like the path.
    static func prefix(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 1_024) else { return nil }
        guard text.hasPrefix("/") else {
            return value.fail("\(value.name) is \(value.shown), which does not begin with '/'", "write it as in /api")
        }
        return withoutForeignCaptures(text, value)
    }

    /// Returns an `Upgrade` protocol. Protocols that carry further requests are rejected, since those requests would
    /// bypass the decision.
    static func upgrade(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 32)?.lowercased() else { return nil }
        guard FieldName.isValid(text) else {
            return value.fail("\(value.name) is \(value.shown), not a protocol", "write a token as in websocket")
        }
        guard text != "h2c", text != "http", text != "tls" else {
            return value.fail(
                "\(value.shown) would forward requests without an authorization decision",
                "remove it, or write websocket")
        }
        return text
    }

    /// Returns a parameter name that has only one spelling in a query, except for escapes.
    static func parameter(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 64) else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isName, !text.isEmpty else {
            return value.fail(
                "\(value.name) is \(value.shown), not a parameter name", "write letters, digits, '_', '-' or '.'")
        }
        return text
    }

    /// Returns the kind of revocation check.
    static func revocation(_ value: ConfigurationValue) -> Configuration.RevocationMode? {
        guard let isNone = value.isNone() else { return nil }
        if isNone { return .off }
        return value.choice(of: ["replicated", "strict", "none"]).flatMap(Configuration.RevocationMode.init)
    }

    private static let maximumScopes = 32
    private static let maximumScopeSize = 128

    /// Returns the required scopes of an access token.
    static func scopes(_ value: ConfigurationValue) -> [String]? {
        value.list(atMost: maximumScopes, of: "scopes", scope)
    }

    private static func scope(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: maximumScopeSize) else { return nil }
        guard text.utf8.allSatisfy(ScopeToken.allows) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a scope",
                "write one scope per entry, in visible ASCII without '\"' and '\\'")
        }
        return text
    }
}

/// The characters of scopes and authentication contexts (RFC 6749 section 3.3), which are valid in a quoted parameter
/// of a challenge.
enum ScopeToken {
    static func allows(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// The methods of the IANA registry (RFC 9110 section 16.1.1), except `PRI`, `*` and `CONNECT`, which are never
/// forwarded.
enum RegisteredMethods {
    static let names = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "ACL", "BASELINE-CONTROL", "BIND",
        "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
        "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPFIND", "PROPPATCH", "REBIND", "REPORT", "SEARCH",
        "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]
}
