extension RegexParser {
    enum GroupKind {
        case capturing
        case plain
        /// `(?i)`: flags for the rest of the enclosing group.
        case flags
    }

    /// Parses the text after a `(` and sets the flags of the group.
    mutating func groupKind(_ start: Int) throws(RegexProblem) -> GroupKind {
        guard take("?") else { return .capturing }
        switch (current, peek(1)) {
        case ("=", _), ("!", _), ("<", "="), ("<", "!"):
            throw problem(
                at: start, "lookahead and lookbehind are not supported, since they cannot be matched in linear time",
                "write the permitted characters, or use two conditions: s.matches('a') && !s.matches('b')")
        case (">", _):
            throw problem(at: start, "atomic groups are not supported", "use (?:...): matching never backtracks")
        case ("P", "="), ("P", ">"):
            throw problem(at: start, Self.noBackReferences, "write the permitted characters")
        case ("P", "<"):
            position += 2
            return try name(start)
        case ("<", _):
            position += 1
            return try name(start)
        default:
            return try flagGroup(start)
        }
    }

    static let noBackReferences = "back references are not supported, since they cannot be matched in linear time"

    private mutating func name(_ start: Int) throws(RegexProblem) -> GroupKind {
        var name = ""
        while let scalar = current, scalar != ">" {
            guard scalar == "_" || scalar.isASCII && scalar.properties.isAlphabetic || Self.isDigit(scalar) else {
                throw problem("a group name consists of letters, digits and _", "write (?P<name>...)")
            }
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take(">"), !name.isEmpty else {
            throw problem(at: start, "the group name is missing or not closed by `>`", "write (?P<name>...)")
        }
        guard names.insert(name).inserted else {
            throw problem(at: start, "duplicate group name `\(name)`", "rename one of them")
        }
        return .capturing
    }

    /// Parses `(?i)`, `(?s-m:...)` or `(?:...)`.
    private mutating func flagGroup(_ start: Int) throws(RegexProblem) -> GroupKind {
        var (changed, clears, namedAny) = (flags, false, false)
        while let scalar = current {
            position += 1
            switch scalar {
            case "i": changed.foldsCase = !clears
            case "m": changed.isMultiline = !clears
            case "s": changed.dotMatchesLineFeed = !clears
            case "U": changed.isUngreedy = !clears
            case "-" where !clears:
                (clears, namedAny) = (true, false)
                continue
            case ":" where !clears || namedAny, ")" where !clears || namedAny:
                flags = changed
                return scalar == ":" ? .plain : .flags
            default:
                throw problem(
                    at: start, "`\(text(from: start, to: position))` does not begin a supported group",
                    "the flags are i, m, s and U: (?i), (?i:...), (?-s); other groups are (...), (?:...), (?P<name>...)"
                )
            }
            namedAny = true
        }
        throw problem(at: start, "the group is not closed", "add `)`")
    }
}
