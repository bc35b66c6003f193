extension Compiler {
    /// Compiles an expression that must be a boolean.
    mutating func condition(_ expression: Expression, _ scope: Scope, parent: Int32 = -1) -> Int32 {
        let number = self.expression(expression, scope, parent: parent)
        places[Int(number)].isCondition = true
        return number
    }

    /// Compiles an expression and its parts. The parts have larger numbers.
    mutating func expression(_ expression: Expression, _ scope: Scope, parent: Int32) -> Int32 {
        let number = reserve(expression.range, parent: parent)
        if let value = ConstantFolding.value(of: expression) {
            nodes[Int(number)] = ProgramNode(operation: .constant, first: constant(value))
        } else {
            nodes[Int(number)] = node(expression.kind, scope, number)
        }
        return number
    }

    private mutating func node(_ kind: Expression.Kind, _ scope: Scope, _ number: Int32) -> ProgramNode {
        switch kind {
        case .name(let name): reference(name, scope)
        case .member(let base, let name): member(of: base, name.text, scope, number)
        case .index(let base, let index): self.index(base, index, scope, number)
        case .slice(let base, let from, let to): compound(.slice, [base, from, to], scope, number)
        case .list(let elements): listed(.list, elements, scope, number)
        case .map(let entries): listed(.map, entries.flatMap { [$0.key, $0.value] }, scope, number)
        case .path(let parts): path(parts, scope, number)
        case .call(let name, let arguments): call(name.text, arguments, scope, number)
        case .methodCall(let base, let name, let arguments):
            methodCall(base, name.text, arguments, scope, number)
        case .unary(.negate, let operand): compound(.negate, [operand], scope, number)
        case .binary(let binary, let left, let right): self.binary(binary, left, right, scope, number)
        default: logical(kind, scope, number)
        }
    }

    private mutating func logical(_ kind: Expression.Kind, _ scope: Scope, _ number: Int32) -> ProgramNode {
        switch kind {
        case .unary(_, let operand):
            return ProgramNode(operation: .not, first: condition(operand, scope, parent: number))
        case .logical(let logical, let parts):
            let numbers = parts.map { condition($0, scope, parent: number) }
            return ProgramNode(
                operation: logical == .and ? .and : .or, first: list(numbers), count: Int32(clamping: numbers.count))
        case .conditional(let test, let then, let otherwise):
            let test = condition(test, scope, parent: number)
            let then = expression(then, scope, parent: number)
            return ProgramNode(
                operation: .conditional, first: test, second: then,
                third: expression(otherwise, scope, parent: number))
        case .typeTest(let operand, let type):
            let operand = expression(operand, scope, parent: number)
            guard let kinds = KindSet.type(named: type.text) else { return ProgramNode(operation: .unknown) }
            return ProgramNode(operation: .typeTest, first: operand, second: Int32(kinds.rawValue))
        default:
            // Literals are folded.
            return ProgramNode(operation: .unknown)
        }
    }

    private mutating func binary(
        _ binary: BinaryOperator, _ left: Expression, _ right: Expression, _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        if binary == .contains, isHeaders(right, scope), case .string(let name) = left.kind {
            return ProgramNode(operation: .hasHeader, second: self.name(name))
        }
        return compound(ProgramNode.Operation(binary), [left, right], scope, number)
    }

    /// Compiles an operation with one to three parts.
    mutating func compound(
        _ operation: ProgramNode.Operation, _ parts: [Expression], _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        let numbers = parts.map { expression($0, scope, parent: number) }
        return ProgramNode(
            operation: operation, first: numbers[0], second: numbers.count > 1 ? numbers[1] : -1,
            third: numbers.count > 2 ? numbers[2] : -1)
    }

    /// Compiles an operation with any number of parts.
    mutating func listed(
        _ operation: ProgramNode.Operation, _ parts: [Expression], _ scope: Scope, _ number: Int32
    ) -> ProgramNode {
        let numbers = parts.map { expression($0, scope, parent: number) }
        return ProgramNode(operation: operation, first: list(numbers), count: Int32(clamping: numbers.count))
    }

    private mutating func path(_ parts: [Expression.PathPart], _ scope: Scope, _ number: Int32) -> ProgramNode {
        let numbers = parts.map { part in
            switch part {
            case .literal(let text): ~constant(.string(text))
            case .expression(let part): expression(part, scope, parent: number)
            }
        }
        return ProgramNode(operation: .path, first: list(numbers), count: Int32(clamping: numbers.count))
    }
}

extension Compiler {
    /// Compiles `name(...)`: a declared function, which hides a built-in one, or a built-in function.
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

    /// Compiles `base.name(...)`: a function of a namespace, or a method.
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

extension ProgramNode.Operation {
    fileprivate init(_ binary: BinaryOperator) {
        self =
            switch binary {
            case .multiply: .multiply
            case .divide: .divide
            case .remainder: .remainder
            case .add: .add
            case .subtract: .subtract
            case .less: .less
            case .lessOrEqual: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual: .greaterOrEqual
            case .contains: .contains
            case .equal: .equal
            case .notEqual: .notEqual
            }
    }
}

extension Builtin {
    /// Returns whether the call accepts this number of arguments.
    fileprivate func takes(_ count: Int) -> Bool {
        count <= Arguments.limit && overloads.contains { ($0.required...$0.parameters.count).contains(count) }
    }
}
