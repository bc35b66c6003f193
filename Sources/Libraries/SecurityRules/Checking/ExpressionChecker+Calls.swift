extension ExpressionChecker {
    /// `name(...)`
    mutating func inferCall(_ name: Name, _ arguments: [Expression]) -> Inferred {
        let values = arguments.map { infer($0) }
        if let index = names.function(named: name.text, from: names.block) { return call(index, name, values.count) }
        guard let builtin = Builtin.function(name.text) else {
            reportUnknownFunction(name, arguments)
            return .failed
        }
        if names.mode == .value, builtin == .recentSignIn || builtin == .secondFactor {
            findings.fail(
                name.range, "\(name.shown) requires a request, but this is evaluated once for each token",
                "use it in allow or in a rules file")
            return .failed
        }
        let result = result(of: builtin, nil, name, arguments, values)
        // `debug` returns its argument unchanged.
        if builtin == .debug, let value = values.first, values.count == 1 {
            return Inferred(kinds: value.kinds, origin: value.origin)
        }
        return result
    }

    private mutating func call(_ index: Int, _ name: Name, _ count: Int) -> Inferred {
        if names.function == nil { calledByConditions.insert(index) }
        let called = names.functions[index]
        if called.syntax.parameters.count != count {
            let parameters = called.syntax.parameters.map(\.shown)
            findings.fail(
                name.range, "\(name.shown) takes \(BuiltinCallChecker.arguments(parameters.count)), but has \(count)",
                "it is declared as \(name.shown)(\(parameters.joined(separator: ", ")))")
        }
        return Inferred(kinds: called.result)
    }

    private mutating func reportUnknownFunction(_ name: Name, _ arguments: [Expression]) {
        guard findings.errors.count < RuleProblems.maximumCount else { return }
        let argument = arguments.first.map { quote($0) } ?? "x"
        if let habit = RuleHabits.function(name.text, argument) {
            findings.fail(name.range, habit.what, habit.remedy)
        } else {
            findings.fail(name.range, "there is no function '\(name.shown)'", remedy(forFunction: name.text, argument))
        }
    }

    private func remedy(forFunction name: String, _ argument: String) -> String {
        if let other = names.functions.first(where: { RuleText.equal($0.syntax.name.text, name) }) {
            let line = findings.source.line(other.syntax.name.range.start)
            return
                "the one on line \(line) is in another block: move it to an enclosing block of both, or to the service block"
        }
        if Builtin.method(name) != nil { return "it is a method: \(argument).\(name)(...)" }
        if let namespace = Builtin.namespaces.first(where: { Builtin.function(name, in: $0) != nil }) {
            return "write \(namespace).\(name)(...)"
        }
        let known = names.functions.lazy.map(\.syntax.name.text) + Builtin.plainFunctions
        if let nearest = NearestName.of(name, among: known) { return "did you mean \(nearest)?" }
        return names.mode == .condition
            ? "declare it: function \(name.shown)(...) { return ...; }" : "use a built-in function"
    }

    /// `base.name(...)`
    mutating func inferMethod(_ base: Expression, _ name: Name, _ arguments: [Expression]) -> Inferred {
        if let namespace = names.namespace(base) { return inferNamespace(namespace, name, arguments) }
        if names.isRequest(base) {
            findings.fail(
                base.range, "request is not a value; use its members, as in request.auth",
                "call \(name.shown) on a member: request.auth.token, request.path, request.headers")
            return .failed
        }
        if case .name(let text) = base.kind, names.variable(named: text) == nil,
            let habit = RuleHabits.namespace(text, name.shown)
        {
            findings.fail(base.range, habit.what, habit.remedy)
            return .failed
        }
        let receiver = infer(base)
        let values = arguments.map { infer($0) }
        if receiver.isFailed { return .failed }
        guard let builtin = Builtin.method(name.text) else {
            reportUnknownMethod(name, base, receiver, arguments)
            return .failed
        }
        checkFields(builtin, receiver, arguments, values)
        return result(of: builtin, (base, receiver), name, arguments, values)
    }

    private mutating func inferNamespace(_ namespace: String, _ name: Name, _ arguments: [Expression]) -> Inferred {
        let values = arguments.map { infer($0) }
        guard let builtin = Builtin.function(name.text, in: namespace) else {
            reportUnknownFunction(name, in: namespace)
            return .failed
        }
        return result(of: builtin, nil, name, arguments, values)
    }

    mutating func reportUnknownFunction(_ name: Name, in namespace: String) {
        let functions = Builtin.functions(of: namespace)
        let remedy =
            NearestName.of(name.text, among: functions).map { "did you mean \(namespace).\($0)?" }
            ?? "it has \(functions.joined(separator: ", "))"
        findings.fail(name.range, "\(namespace) has no function '\(name.shown)'", remedy)
    }

    private mutating func reportUnknownMethod(
        _ name: Name, _ base: Expression, _ receiver: Inferred, _ arguments: [Expression]
    ) {
        guard findings.errors.count < RuleProblems.maximumCount else { return }
        let call = RuleHabits.Call(
            receiver: quote(base), kinds: receiver.kinds, argument: arguments.first.map { quote($0) } ?? "x")
        if let habit = RuleHabits.method(name.text, call) {
            findings.fail(name.range, habit.what, habit.remedy)
            return
        }
        let methods = Builtin.methods(of: receiver.kinds)
        var remedy = "it has \(methods.joined(separator: ", "))"
        if methods.isEmpty { remedy = "it has no methods" }
        if receiver.kinds.isAnything { remedy = "the manual lists the methods of each type" }
        if let nearest = NearestName.of(name.text, among: methods) { remedy = "did you mean \(nearest)?" }
        findings.fail(name.range, "there is no method '\(name.shown)'", remedy)
    }

    /// `request.headers.get('name', ...)`, `auth.get('name', ...)`
    private mutating func checkFields(
        _ builtin: Builtin, _ receiver: Inferred, _ arguments: [Expression], _ values: [Inferred]
    ) {
        guard builtin == .get, receiver.origin == .headers, let name = values.first?.stringConstant else { return }
        checkHeader(name, arguments[0].range)
    }

    private mutating func result(
        of builtin: Builtin, _ receiver: CheckedOperand?, _ name: Name, _ arguments: [Expression], _ values: [Inferred]
    ) -> Inferred {
        let call = BuiltinCall(
            builtin: builtin, receiver: receiver, name: name, arguments: Array(zip(arguments, values)))
        return builtins.result(of: call, &findings)
    }
}
