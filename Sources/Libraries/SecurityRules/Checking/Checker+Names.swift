extension Checker {
    /// Whether a name alone is a value of the language.
    func isGlobal(_ name: String) -> Bool {
        switch mode {
        case .condition: name == "auth" || name == "request"
        case .value: name == "auth" || name == "uid" || name == "provider" || name == "token"
        }
    }

    mutating func inferName(_ name: String, _ range: SourceRange) -> Inferred {
        if let index = locals.firstIndex(where: { RuleText.equal($0.name, name) }) {
            locals[index].isUsed = true
            return locals[index].value
        }
        if let variable = variable(named: name) { return variable.value }
        if mode == .condition, name == "request" {
            findings.fail(range, "'request' is no value: only its members are", "name one, as in request.auth")
            return .failed
        }
        if isGlobal(name), let value = global(name) { return value }
        tellUnknown(name, range)
        return .failed
    }

    private func global(_ name: String) -> Inferred? {
        switch (name, mode) {
        case ("auth", .condition): Inferred(kinds: [.map, .null], origin: .auth)
        case ("auth", .value): Inferred(kinds: .map, origin: .auth)
        case ("uid", .value), ("provider", .value), ("token", .value): Self.authMember(name)
        default: nil
        }
    }

    private mutating func tellUnknown(_ name: String, _ range: SourceRange) {
        guard findings.errors.count < RuleProblems.maximumCount else { return }
        if let capture = captures[name] {
            findings.fail(
                range, "there is no name '\(Self.quote(name))' here: the capture\(place(capture)) is of another block",
                function == nil
                    ? "move this into that block" : "give the function a parameter, or move it into that block")
        } else if let habit = RuleHabits.name(name, mode) {
            findings.fail(range, habit.what, habit.remedy)
        } else if Builtin.namespaces.contains(name) {
            findings.fail(
                range, "'\(Self.quote(name))' is no value: it has functions only",
                "call one, as in \(Self.example(ofNamespace: name))")
        } else if function(named: name, from: block) != nil || Builtin.function(name) != nil {
            findings.fail(
                range, "'\(Self.quote(name))' is a function, and is not called", "write \(Self.quote(name))(...)")
        } else {
            findings.fail(range, "there is no name '\(Self.quote(name))' here", suggestion(for: name))
        }
    }

    private func suggestion(for name: String) -> String {
        let names = (locals + blocks[block].captures).map(\.name)
        let globals = mode == .condition ? ["auth", "request"] : ["auth", "uid", "provider", "token"]
        if let nearest = NearestName.of(name, among: names + globals) { return "did you mean \(nearest)?" }
        return "what there is: \((globals + names.prefix(8).map { Self.quote($0) }).joined(separator: ", "))"
    }

    /// Whether an expression is the name `request`, which is no value.
    func isRequest(_ expression: Expression) -> Bool {
        guard mode == .condition, case .name("request") = expression.kind else { return false }
        return true
    }

    /// The name of a namespace, unless it is a variable.
    func namespace(_ expression: Expression) -> String? {
        guard case .name(let name) = expression.kind, Builtin.namespaces.contains(name), variable(named: name) == nil
        else {
            return nil
        }
        return name
    }
}
