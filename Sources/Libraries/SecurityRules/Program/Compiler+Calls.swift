extension Compiler {
    /// `name(...)`: a declared function, which hides one of ours, or one of ours.
    mutating func call(
        _ name: String, _ arguments: [Expression], _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        if let function = scope.functions[name] {
            var node = listed(.call, arguments, scope, number)
            node.second = function
            return functions[Int(function)].parameters == node.count ? node : ProgramNode(operation: .unknown)
        }
        guard let builtin = Builtin.function(name) else {
            _ = listed(.list, arguments, scope, number)
            return ProgramNode(operation: .unknown)
        }
        switch builtin {
        case .debug where arguments.count == 1: return compound(.debug, arguments, scope, number)
        case .recentSignIn where arguments.count == 1: return compound(.recentSignIn, arguments, scope, number)
        case .secondFactor where arguments.isEmpty: return ProgramNode(operation: .secondFactor)
        default: return function(builtin, arguments, scope, number)
        }
    }

    /// `base.name(...)`: a function of a namespace, or a method.
    mutating func methodCall(
        _ base: Expression, _ name: String, _ arguments: [Expression], _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        if case .name(let namespace) = base.kind, !isDeclared(namespace, scope),
            Builtin.namespaces.contains(namespace)
        {
            guard let builtin = Builtin.function(name, in: namespace) else { return ProgramNode(operation: .unknown) }
            return function(builtin, arguments, scope, number)
        }
        if name == "get", isHeaders(base, scope), arguments.count == 2, case .string(let field) = arguments[0].kind {
            let absent = expression(arguments[1], scope, parent: number)
            return ProgramNode(operation: .headerOrDefault, second: self.name(field), third: absent)
        }
        return method(name, of: base, arguments, scope, number)
    }

    private mutating func function(
        _ builtin: Builtin, _ arguments: [Expression], _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        var node = listed(.function, arguments, scope, number)
        node.detail = builtin.rawValue
        return builtin.takes(arguments.count) ? node : ProgramNode(operation: .unknown)
    }

    private mutating func method(
        _ name: String, of base: Expression, _ arguments: [Expression], _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        let receiver = expression(base, scope, parent: number)
        var node = listed(.method, arguments, scope, number)
        guard let builtin = Builtin.method(name), builtin.takes(arguments.count) else {
            return ProgramNode(operation: .unknown)
        }
        node.detail = builtin.rawValue
        node.second = receiver
        if builtin.takesPattern, case .string(let text) = arguments[0].kind {
            node.third = pattern(text)
        }
        return node
    }
}

extension Builtin {
    /// Whether it can be called with that many arguments.
    fileprivate func takes(_ count: Int) -> Bool {
        count <= Arguments.limit && overloads.contains { ($0.required...$0.parameters.count).contains(count) }
    }
}
