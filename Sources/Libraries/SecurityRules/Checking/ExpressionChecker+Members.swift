extension ExpressionChecker {
    mutating func inferName(_ name: String, _ range: SourceRange) -> Inferred {
        if let index = names.locals.firstIndex(where: { RuleText.equal($0.name, name) }) {
            names.locals[index].isUsed = true
            return names.locals[index].value
        }
        if let variable = names.variable(named: name) { return variable.value }
        if names.mode == .condition, name == "request" {
            findings.fail(range, "'request' is not a value; use its members", "write a member, as in request.auth")
            return .failed
        }
        if names.isGlobal(name), let value = global(name) { return value }
        reportUnknown(name, range)
        return .failed
    }

    private func global(_ name: String) -> Inferred? {
        switch (name, names.mode) {
        case ("auth", .condition): Inferred(kinds: [.map, .null], origin: .auth)
        case ("auth", .value): Inferred(kinds: .map, origin: .auth)
        case ("uid", .value), ("provider", .value), ("token", .value): Self.authMember(name)
        default: nil
        }
    }

    private mutating func reportUnknown(_ name: String, _ range: SourceRange) {
        guard findings.errors.count < RuleProblems.maximumCount else { return }
        if let capture = names.captures[name] {
            findings.fail(
                range,
                "there is no name '\(name.shown)' here: the capture\(findings.place(capture)) belongs to another block",
                names.function == nil
                    ? "move this into that block" : "give the function a parameter, or move it into that block")
        } else if let habit = RuleHabits.name(name, names.mode) {
            findings.fail(range, habit.what, habit.remedy)
        } else if Builtin.namespaces.contains(name) {
            findings.fail(
                range, "'\(name.shown)' is a namespace of functions, not a value",
                "call one, as in \(Builtin.example(ofNamespace: name))")
        } else if names.function(named: name, from: names.block) != nil || Builtin.function(name) != nil {
            findings.fail(
                range, "'\(name.shown)' is a function without a call", "write \(name.shown)(...)")
        } else {
            findings.fail(range, "there is no name '\(name.shown)' here", suggestion(for: name))
        }
    }

    private func suggestion(for name: String) -> String {
        let declared = (names.locals + names.blocks[names.block].captures).map(\.name)
        let globals = names.mode == .condition ? ["auth", "request"] : ["auth", "uid", "provider", "token"]
        if let nearest = NearestName.of(name, among: declared + globals) { return "did you mean \(nearest)?" }
        return "the names here are \((globals + declared.prefix(8).map { $0.shown }).joined(separator: ", "))"
    }
}

extension ExpressionChecker {
    mutating func inferMember(_ base: Expression, _ name: Name) -> Inferred {
        if names.isRequest(base) { return requestMember(name.text, name.range) }
        if let namespace = names.namespace(base) {
            if Builtin.function(name.text, in: namespace) != nil {
                findings.fail(
                    name.range, "\(namespace).\(name.shown) is a function without a call",
                    "write \(namespace).\(name.shown)(...)")
            } else {
                reportUnknownFunction(name, in: namespace)
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
        return value.kinds.fits([.list, .string])
            ? "select an element by its index: \(text)[0]" : "only a map has members"
    }

    /// Infers a member of a built-in value. `nil` if the value is not built-in or can have any member.
    mutating func inferKnownMember(
        _ base: Expression, _ value: Inferred, _ name: String, _ range: SourceRange
    ) -> Inferred? {
        switch value.origin {
        case .auth: return authMember(base, name, range)
        case .headers:
            checkHeader(name, range)
            return Inferred(kinds: [.string, .unreadable], origin: .field)
        case .query: return Inferred(kinds: [.string, .unreadable], origin: .field)
        case .app: return appMember(base, name, range)
        default: return nil
        }
    }

    private mutating func appMember(_ base: Expression, _ name: String, _ range: SourceRange) -> Inferred {
        if name == "id" || name == "name" { return Inferred(kinds: .string) }
        findings.fail(range, "\(quote(base)) has no member \(name.shown)", "it has id and name")
        return .failed
    }

    static func authMember(_ name: String) -> Inferred? {
        switch name {
        case "uid": Inferred(kinds: .string, origin: .uid)
        case "provider": Inferred(kinds: [.string, .null], origin: .provider)
        case "project": Inferred(kinds: [.string, .null])
        case "token": Inferred(kinds: .map, origin: .token)
        default: nil
        }
    }

    private mutating func authMember(_ base: Expression, _ name: String, _ range: SourceRange) -> Inferred {
        if let member = Self.authMember(name) { return member }
        let text = quote(base)
        let remedy =
            NearestName.of(name, among: ["uid", "provider", "project", "token"]).map { "did you mean \(text).\($0)?" }
            ?? "it has uid, provider, project and token; a claim is a member of the token: \(text).token.\(name.shown)"
        findings.fail(range, "\(text) has no member \(name.shown)", remedy)
        return .failed
    }

    /// Infers a member of `request`.
    mutating func requestMember(_ name: String, _ range: SourceRange) -> Inferred {
        switch name {
        case "auth": return Inferred(kinds: [.map, .null], origin: .auth)
        case "app": return Inferred(kinds: [.map, .null], origin: .app)
        case "method": return Inferred(kinds: .string, origin: .method)
        case "host": return Inferred(kinds: .string, origin: .host)
        case "path": return Inferred(kinds: [.path, .unreadable], origin: .path)
        case "time": return Inferred(kinds: .timestamp, origin: .time)
        case "query": return Inferred(kinds: .map, origin: .query)
        case "headers": return Inferred(kinds: .map, origin: .headers)
        default:
            reportUnknownRequestMember(name, range)
            return .failed
        }
    }

    private mutating func reportUnknownRequestMember(_ name: String, _ range: SourceRange) {
        if let habit = RuleHabits.requestMember(name) {
            findings.fail(range, habit.what, habit.remedy)
            return
        }
        let members = ["auth", "app", "method", "path", "time", "host", "query", "headers"]
        let remedy =
            NearestName.of(name, among: members).map { "did you mean request.\($0)?" }
            ?? "it has \(members.joined(separator: ", "))"
        findings.fail(range, "request has no member \(name.shown)", remedy)
    }

    /// `request['auth']`
    mutating func inferRequestIndex(_ base: Expression, _ index: Expression) -> Inferred {
        let key = infer(index).stringConstant
        findings.fail(
            base.range, "request is not a value; use its members",
            "write request.\(key.map { $0.shown } ?? "auth")")
        return .failed
    }

    /// Checks a literal field name of `request.headers`.
    mutating func checkHeader(_ name: String, _ range: SourceRange) {
        let lowercased = name.asciiLowercased
        switch lowercased {
        case "authorization", "cookie", "proxy-authorization":
            findings.fail(
                range, "rules cannot read credentials, so there is no field \(lowercased)",
                "use auth, the verified identity")
        case _ where !RuleText.equal(lowercased, name):
            findings.fail(
                range, "the names of request.headers are in lower case, so this is never present",
                "write '\(lowercased.shown)'")
        default: break
        }
    }
}

extension ExpressionChecker {
    mutating func inferIndex(_ base: Expression, _ index: Expression, _ range: SourceRange) -> Inferred {
        if names.isRequest(base) {
            return inferRequestIndex(base, index)
        }
        let (value, key) = (infer(base), infer(index))
        if value.isFailed { return .failed }
        if let name = key.stringConstant, let member = inferKnownMember(base, value, name, index.range) {
            return member
        }
        return element(base, value, index, key)
    }

    /// Infers the element at an index or a key.
    private mutating func element(
        _ base: Expression, _ value: Inferred, _ index: Expression, _ key: Inferred
    ) -> Inferred {
        let kinds = value.kinds
        let numbered = kinds.intersection([.string, .list, .path])
        let named = kinds.intersection([.map, .path])
        guard !numbered.union(named).isEmpty else {
            findings.fail(
                base.range, "\(quote(base)) is \(kinds.described), which has no [ ]",
                kinds.fits(.set)
                    ? "use 'in' to test for an element of a set" : "use [ ] with a list, map, string or path")
            return .failed
        }
        guard (key.kinds.fits(.integer) && !numbered.isEmpty) || (key.kinds.fits(.string) && !named.isEmpty) else {
            let accepted = (numbered.isEmpty ? [] : ["an int"]) + (named.isEmpty ? [] : ["a string"])
            findings.fail(
                index.range,
                "\(kinds.isAnything ? "this" : kinds.described) takes \(accepted.joined(separator: " or ")) in [ ], "
                    + "but this is \(key.kinds.described)",
                remedy(forIndex: index, key, isNumbered: !numbered.isEmpty))
            return .failed
        }
        checkBounds(value, key, index)
        return Inferred(kinds: elementKinds(value), origin: elementOrigin(value.origin))
    }

    private func remedy(forIndex index: Expression, _ key: Inferred, isNumbered: Bool) -> String {
        if isNumbered, key.kinds.isKnown(as: [.string, .float]) { return "write int(\(quote(index)))" }
        if !isNumbered, key.kinds.isKnown(as: [.integer, .float, .bool]) { return "write string(\(quote(index)))" }
        return isNumbered ? "write an index: [0] is the first element" : "write a key, as in ['a']"
    }

    private func elementKinds(_ value: Inferred) -> KindSet {
        if value.origin == .headers || value.origin == .query { return [.string, .unreadable] }
        return value.kinds.isDisjoint(with: [.list, .map]) ? [.string, .unreadable] : .any
    }

    private func elementOrigin(_ origin: Inferred.Origin) -> Inferred.Origin {
        switch origin {
        case .token, .claim: .claim
        case .headers, .query: .field
        default: .other
        }
    }

    private mutating func checkBounds(_ value: Inferred, _ key: Inferred, _ index: Expression) {
        guard let place = key.integerConstant else { return }
        if place < 0 {
            findings.fail(
                index.range, "an index below 0 always fails",
                "count from the start: [0] is the first; the last is [x.size() - 1]")
        } else if case .list(let elements)? = value.constant, place >= elements.count {
            findings.fail(
                index.range, "this list has \(elements.count) elements, so [\(place)] always fails",
                "the first is [0]")
        }
    }

    mutating func inferSlice(
        _ base: Expression, _ from: Expression, _ to: Expression, _ range: SourceRange
    ) -> Inferred {
        let (value, first, last) = (infer(base), infer(from), infer(to))
        if value.isFailed { return .failed }
        let kinds = value.kinds.intersection([.string, .list])
        guard !kinds.isEmpty else {
            findings.fail(
                base.range, "\(quote(base)) is \(value.kinds.described), but [from:to] requires a string or list",
                value.kinds.fits(.path)
                    ? "select a single segment, as in \(quote(base))[0]" : "select the members individually")
            return .failed
        }
        for (bound, inferred) in [(from, first), (to, last)] where !inferred.kinds.fits(.integer) {
            findings.fail(
                bound.range, "[from:to] takes ints, but this is \(inferred.kinds.described)",
                "write int(\(quote(bound)))")
        }
        checkBounds(value, first, from)
        if let first = first.integerConstant, let last = last.integerConstant, last < first {
            findings.fail(to.range, "a range that ends before it begins always fails", "write [\(last):\(first)]")
        }
        return Inferred(kinds: kinds, origin: value.origin == .claim ? .claim : .other)
    }
}
