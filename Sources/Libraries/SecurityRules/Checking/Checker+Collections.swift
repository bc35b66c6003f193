extension Checker {
    mutating func inferList(_ elements: [Expression]) -> Inferred {
        var constants: [RuleValue]? = []
        for element in elements {
            if let constant = infer(element).constant { constants?.append(constant) } else { constants = nil }
        }
        return Inferred(kinds: .list, constant: constants.map { .list($0) })
    }

    mutating func inferMap(_ entries: [Expression.MapEntry]) -> Inferred {
        var keys: Set<[UInt8]> = []
        for entry in entries {
            checkKey(entry.key, &keys)
            _ = infer(entry.value)
        }
        return Inferred(kinds: .map)
    }

    private mutating func checkKey(_ key: Expression, _ keys: inout Set<[UInt8]>) {
        if case .name(let name) = key.kind, variable(named: name) == nil, !isGlobal(name) {
            findings.fail(
                key.range, "a key of a map is an expression, and \(Self.quote(name)) is no name that is known here",
                "quote it: '\(Self.quote(name))'")
            return
        }
        let value = infer(key)
        if !value.kinds.fits(.string) {
            findings.fail(
                key.range, "a key of a map is a string, and this is \(value.kinds.described)",
                "quote it: '\(quote(key))'")
        }
        guard let text = value.stringConstant else { return }
        if !keys.insert(Array(text.utf8)).inserted {
            findings.fail(key.range, "the key '\(Self.quote(text))' is there twice", "take one of the two away")
        }
    }

    mutating func inferPath(_ parts: [Expression.PathPart]) -> Inferred {
        for part in parts {
            guard case .expression(let part) = part else { continue }
            let value = infer(part)
            if !value.kinds.fits([.string, .path]) {
                findings.fail(
                    part.range, "a segment of a path is a string or path, and this is \(value.kinds.described)",
                    value.kinds.fits([.integer, .float, .bool])
                        ? "write $(string(\(quote(part))))" : "put what is a string there")
            }
        }
        return Inferred(kinds: .path)
    }

    mutating func inferIndex(_ base: Expression, _ index: Expression, _ range: SourceRange) -> Inferred {
        if isRequest(base) {
            return inferRequestIndex(base, index)
        }
        let (value, key) = (infer(base), infer(index))
        if value.isFailed { return .failed }
        if let name = key.stringConstant, let member = inferKnownMember(base, value, name, index.range) {
            return member
        }
        return element(base, value, index, key)
    }

    /// What a value has under an index or a key.
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
                    ? "ask with in whether something is in a set" : "use [ ] with a list, map, string or path")
            return .failed
        }
        guard (key.kinds.fits(.integer) && !numbered.isEmpty) || (key.kinds.fits(.string) && !named.isEmpty) else {
            let asked = (numbered.isEmpty ? [] : ["an int"]) + (named.isEmpty ? [] : ["a string"])
            findings.fail(
                index.range,
                "\(kinds.isAnything ? "this" : kinds.described) takes \(asked.joined(separator: " or ")) in [ ], "
                    + "and what stands there is \(key.kinds.described)",
                remedy(forIndex: index, key, isNumbered: !numbered.isEmpty))
            return .failed
        }
        checkBounds(value, key, index)
        return Inferred(kinds: elementKinds(value), origin: elementOrigin(value.origin))
    }

    private func remedy(forIndex index: Expression, _ key: Inferred, isNumbered: Bool) -> String {
        if isNumbered, key.kinds.isKnown(as: [.string, .float]) { return "write int(\(quote(index)))" }
        if !isNumbered, key.kinds.isKnown(as: [.integer, .float, .bool]) { return "write string(\(quote(index)))" }
        return isNumbered ? "write a number there: [0] is the first" : "write a key there, as in ['a']"
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
                base.range, "\(quote(base)) is \(value.kinds.described), and only a string or list has [from:to]",
                value.kinds.fits(.path)
                    ? "take a single segment, as in \(quote(base))[0]" : "take the members one by one")
            return .failed
        }
        for (bound, inferred) in [(from, first), (to, last)] where !inferred.kinds.fits(.integer) {
            findings.fail(
                bound.range, "[from:to] takes ints, and this is \(inferred.kinds.described)",
                "write int(\(quote(bound)))")
        }
        checkBounds(value, first, from)
        if let first = first.integerConstant, let last = last.integerConstant, last < first {
            findings.fail(to.range, "a range that ends before it begins always fails", "write [\(last):\(first)]")
        }
        return Inferred(kinds: kinds, origin: value.origin == .claim ? .claim : .other)
    }
}
