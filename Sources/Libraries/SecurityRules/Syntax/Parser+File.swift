extension Parser {
    /// `rules_version = '2'; service gatehouse.http { ... }`
    mutating func file() -> RulesetSyntax? {
        let start = current.range.start
        version()
        var services: [Block] = []
        while !current.isEnd {
            let before = current.range.start
            if at("service") {
                let word = current.range
                if let block = service() {
                    if !services.isEmpty {
                        fail(word, "there is one service block in a file", "put everything into the first")
                    }
                    services.append(block)
                }
            } else {
                topLevel(hasService: !services.isEmpty)
            }
            if current.range.start == before { advance() }
        }
        guard let block = services.first else {
            if findings.isUsable {
                fail(
                    place, "there is no service block",
                    "write service gatehouse.http { match /path { allow read: if ...; } }")
            }
            return nil
        }
        return RulesetSyntax(functions: block.functions, matches: block.matches, range: range(from: start))
    }

    static let versionLine = "rules_version = '2';"

    private mutating func version() {
        if at(.openBrace) {
            return fail(
                current.range, "this is JSON, as the rules of the Realtime Database are",
                "write \(Self.versionLine) service gatehouse.http { match /path { allow read: if ...; } }")
        }
        guard at("rules_version") else {
            return fail(
                current.range, "rules_version is missing",
                "write \(Self.versionLine) as the first statement of the file")
        }
        advance()
        do {
            try expect(.assign, "write \(Self.versionLine)")
            try versionNumber()
            try endStatement("rules_version")
        } catch {
            skipStatement()
        }
    }

    private mutating func versionNumber() throws(Abandoned) {
        switch current.kind {
        case .string("2"): break
        case .string("1"):
            fail(
                current.range, "rules of version '1' are not read",
                "write \(Self.versionLine), where {name=**} stands for no segment too and may stand anywhere")
        case .string: fail(current.range, "there is no version \(quote(current.range))", "write \(Self.versionLine)")
        case .integer, .float: fail(current.range, "the version is a text", "write \(Self.versionLine)")
        default: try expected("'2'", "write \(Self.versionLine)")
        }
        advance()
    }

    /// `service gatehouse.http { ... }`; nil: nothing of it is usable.
    private mutating func service() -> Block? {
        advance()
        do {
            try serviceName()
        } catch {
            isIncomplete = true
            skipStatement()
            return nil
        }
        return block(Enclosing())
    }

    private mutating func serviceName() throws(Abandoned) {
        let start = current.range
        var name = ""
        while let word = current.word {
            name += word
            advance()
            guard at(.dot) else { break }
            name += "."
            advance()
        }
        guard !name.isEmpty else { try expected("the name of the service", "write service gatehouse.http {") }
        guard !RuleText.equal(name, "gatehouse.http") else { return }
        fail(
            range(from: start.start), "there is no service '\(Lexer.short(name))' here",
            "write service gatehouse.http {")
    }

    /// What stands beside the service block and may not.
    private mutating func topLevel(hasService: Bool) {
        if at(.closeBrace) {
            fail(current.range, "'}' closes nothing", "take it out, or open what it closes")
            return advance()
        }
        if at(.semicolon) { return straySemicolon() }
        isIncomplete = true
        if at("match") || at("allow") || at("function") {
            fail(
                current.range, "\(found) stands outside of the service block",
                "put it into service gatehouse.http { ... }")
        } else if at("rules_version") {
            fail(current.range, "rules_version is the first statement, once", "take this one out")
        } else if !current.isInvalid {
            fail(
                current.range, "expected \(hasService ? "the end" : "service"), found \(found)",
                (hasService ? nil : meant(among: ["service"]))
                    ?? "a file is \(Self.versionLine) and one service gatehouse.http { ... }")
        }
        skipStatement()
    }
}
