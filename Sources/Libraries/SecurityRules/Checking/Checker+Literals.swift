extension Checker {
    /// Literals that a method, a host or a provider is never equal to.
    mutating func checkLiterals(_ left: Expression, _ a: Inferred, _ right: Expression, _ b: Inferred) {
        for (value, literal, other) in [(a, right, b), (b, left, a)] {
            switch value.origin {
            case .method:
                for text in other.stringConstants { checkMethod(text, literal.range) }
            case .provider:
                for text in other.stringConstants { checkProvider(text, literal.range) }
            case .host:
                for text in other.stringConstants { checkHost(text, literal.range) }
            default: break
            }
        }
    }

    private mutating func checkMethod(_ text: String, _ range: SourceRange) {
        guard !RuleText.equal(text, text.asciiUppercased) else { return }
        let what = "request.method is the method of HTTP, in capitals, so it is never '\(Self.quote(text))'"
        let remedy =
            switch text {
            case "get", "read", "list": "write 'GET', or allow \(text)"
            case "create": "write 'POST', or allow create"
            case "update": "write 'PUT' or 'PATCH', or allow update"
            case "write": "write ['POST', 'PUT', 'PATCH', 'DELETE'], or allow write"
            default: "write '\(Self.quote(text.asciiUppercased))'"
            }
        findings.fail(range, what, remedy)
    }

    private mutating func checkHost(_ text: String, _ range: SourceRange) {
        let host = text.asciiLowercased
        if !RuleText.equal(text, host) {
            findings.fail(range, "request.host is in lower case, so this is never true", "write '\(Self.quote(host))'")
        } else if !text.hasPrefix("["), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            findings.fail(
                range, "request.host has no port, so this is never true",
                "write '\(Self.quote(String(text[..<colon])))'")
        }
    }

    /// The providers that have a short name in `auth.provider`, as Realtime Database rules know them.
    private mutating func checkProvider(_ text: String, _ range: SourceRange) {
        let short = ["google", "facebook", "github", "twitter"]
        guard let name = short.first(where: { RuleText.equal($0 + ".com", text) }) else { return }
        findings.warn(
            range, "auth.provider has short names, so it is never '\(text)'",
            "write '\(Self.quote(name))', or compare auth.token.firebase.sign_in_provider")
    }
}
