extension Checker {
    mutating func inferMember(_ base: Expression, _ name: Name) -> Inferred {
        if isRequest(base) { return requestMember(name.text, name.range) }
        if let namespace = namespace(base) {
            if Builtin.function(name.text, in: namespace) != nil {
                findings.fail(
                    name.range, "\(namespace).\(name.shown) is a function, and is not called",
                    "write \(namespace).\(name.shown)(...)")
            } else {
                tellUnknownFunction(name, in: namespace)
            }
            return .failed
        }
        let value = infer(base)
        if value.isFailed { return .failed }
        if let member = inferKnownMember(base, value, name.text, name.range) { return member }
        return member(of: value, base, name)
    }

    private mutating func member(of value: Inferred, _ base: Expression, _ name: Name) -> Inferred {
        let text = quote(base)
        if RuleText.equal(name.text, "length") {
            findings.fail(
                name.range, "there is no length", "write \(text).size(); a member of that name is \(text)['length']")
            return .failed
        }
        guard value.kinds.fits([.map, .path]) else {
            findings.fail(
                name.range, "\(text) is \(value.kinds.described), which has no members",
                remedy(forMember: name.text, value, text))
            return .failed
        }
        if value.kinds.fits(.map) {
            let isClaim = value.origin == .token || value.origin == .claim
            return Inferred(kinds: .any, origin: isClaim ? .claim : .other)
        }
        return Inferred(kinds: [.string, .unreadable])
    }

    private func remedy(forMember name: String, _ value: Inferred, _ text: String) -> String {
        if let method = Builtin.method(name), method.overloads.contains(where: { value.kinds.fits($0.receiver ?? []) })
        {
            return "call it: \(text).\(name)()"
        }
        return value.kinds.fits([.list, .string]) ? "take one by its index: \(text)[0]" : "only a map has members"
    }

    /// A member of what the language itself gives; nil: the value is none of those, or may have any member.
    mutating func inferKnownMember(
        _ base: Expression, _ value: Inferred, _ name: String, _ range: SourceRange
    ) -> Inferred? {
        switch value.origin {
        case .auth: return authMember(base, name, range)
        case .headers:
            checkHeader(name, range)
            return Inferred(kinds: [.string, .unreadable], origin: .field)
        case .query: return Inferred(kinds: [.string, .unreadable], origin: .field)
        default: return nil
        }
    }

    static func authMember(_ name: String) -> Inferred? {
        switch name {
        case "uid": Inferred(kinds: .string, origin: .uid)
        case "provider": Inferred(kinds: [.string, .null], origin: .provider)
        case "token": Inferred(kinds: .map, origin: .token)
        default: nil
        }
    }

    private mutating func authMember(_ base: Expression, _ name: String, _ range: SourceRange) -> Inferred {
        if let member = Self.authMember(name) { return member }
        let text = quote(base)
        let remedy =
            NearestName.of(name, among: ["uid", "provider", "token"]).map { "did you mean \(text).\($0)?" }
            ?? "it has uid, provider and token; a claim is a member of the token: \(text).token.\(Self.quote(name))"
        findings.fail(range, "\(text) has no member \(Self.quote(name))", remedy)
        return .failed
    }

    /// A member of `request`.
    mutating func requestMember(_ name: String, _ range: SourceRange) -> Inferred {
        switch name {
        case "auth": return Inferred(kinds: [.map, .null], origin: .auth)
        case "method": return Inferred(kinds: .string, origin: .method)
        case "host": return Inferred(kinds: .string, origin: .host)
        case "path": return Inferred(kinds: [.path, .unreadable], origin: .path)
        case "time": return Inferred(kinds: .timestamp, origin: .time)
        case "query": return Inferred(kinds: .map, origin: .query)
        case "headers": return Inferred(kinds: .map, origin: .headers)
        default:
            tellUnknownRequestMember(name, range)
            return .failed
        }
    }

    private mutating func tellUnknownRequestMember(_ name: String, _ range: SourceRange) {
        if let habit = RuleHabits.requestMember(name) {
            findings.fail(range, habit.what, habit.remedy)
            return
        }
        let members = ["auth", "method", "path", "time", "host", "query", "headers"]
        let remedy =
            NearestName.of(name, among: members).map { "did you mean request.\($0)?" }
            ?? "it has \(members.joined(separator: ", "))"
        findings.fail(range, "request has no member \(Self.quote(name))", remedy)
    }

    /// `request['auth']`
    mutating func inferRequestIndex(_ base: Expression, _ index: Expression) -> Inferred {
        let key = infer(index).stringConstant
        findings.fail(
            base.range, "request is no value: only its members are",
            "write request.\(key.map { Self.quote($0) } ?? "auth")")
        return .failed
    }

    /// The name of a field of `request.headers`, written down.
    mutating func checkHeader(_ name: String, _ range: SourceRange) {
        let lowercased = name.asciiLowercased
        switch lowercased {
        case "authorization", "cookie", "proxy-authorization":
            findings.fail(
                range, "credentials are not shown to rules, so there is no field \(lowercased)",
                "use auth, which is what they prove")
        case _ where !RuleText.equal(lowercased, name):
            findings.fail(
                range, "the names of request.headers are in lower case, so this is never there",
                "write '\(Self.quote(lowercased))'")
        default: break
        }
    }
}

extension String {
    /// With `a` to `z` for `A` to `Z`, and nothing else changed.
    var asciiLowercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    var asciiUppercased: String {
        String(
            decoding: utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
