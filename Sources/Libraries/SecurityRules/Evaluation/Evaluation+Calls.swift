extension Evaluation {
    /// The state that is restored after a call.
    private struct Caller {
        var frame: Int
        var locals: Int
    }

    /// Returns the result of a declared function.
    @inline(never)
    mutating func call(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let caller = try enter(node, program)
        defer { leave(caller) }
        return try value(program.functions[Int(node.second)].result, program)
    }

    /// Returns the result of a declared function as a boolean.
    @inline(never)
    mutating func callTruth(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        let caller = try enter(node, program)
        defer { leave(caller) }
        return try truth(program.functions[Int(node.second)].result, program)
    }

    private mutating func enter(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Caller {
        let caller = Caller(frame: frame, locals: locals.count)
        guard callDepth < RuleLimits.callDepth else { throw RuleFailure(.tooManyCalls) }
        callDepth += 1
        do throws(RuleFailure) {
            try bind(node, program, at: caller.locals)
        } catch {
            leave(caller)
            throw error
        }
        return caller
    }

    /// Evaluates the arguments in the caller's frame, then the `let`s in the function's frame.
    private mutating func bind(_ node: ProgramNode, _ program: Program, at start: Int) throws(RuleFailure) {
        var index = Int(node.first)
        let end = index + Int(node.count)
        while index < end {
            try push(program.operands[index], program)
            index += 1
        }
        frame = start
        let function = program.functions[Int(node.second)]
        for offset in function.lets..<function.lets + function.letCount {
            try push(program.operands[Int(offset)], program)
        }
    }

    private mutating func push(_ number: Int32, _ program: Program) throws(RuleFailure) {
        if recorder == nil, let capture = captureNumber(number, program) {
            try charge(1)
            append(Local(value: .null, capture: capture))
        } else {
            append(Local(value: try value(number, program)))
        }
    }

    @inline(never)
    private mutating func append(_ local: Local) {
        locals.append(local)
    }

    /// Returns the capture of an expression that is only a capture. `nil` for other expressions.
    private func captureNumber(_ number: Int32, _ program: Program) -> Int32? {
        let node = program.nodes[Int(number)]
        switch node.operation {
        case .capture: return node.first
        case .local:
            let capture = locals[frame + Int(node.first)].capture
            return capture < 0 ? nil : capture
        default: return nil
        }
    }

    private mutating func leave(_ caller: Caller) {
        while locals.count > caller.locals { locals.removeLast() }
        frame = caller.frame
        callDepth -= 1
    }

    @inline(__always)
    mutating func local(_ number: Int32, _ program: Program) -> RuleValue {
        let index = frame + Int(number)
        let capture = locals[index].capture
        return capture < 0 ? locals[index].value : self.capture(capture, program)
    }
}

extension Evaluation {
    /// Evaluates a list, map, path or built-in call with any number of operands.
    ///
    /// The operands are kept on `stack`, since expressions nest on the thread's stack.
    @inline(never)
    mutating func compound(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let start = stack.count
        do throws(RuleFailure) {
            if node.operation == .method { try keep(node.second, program) }
            var index = Int(node.first)
            let end = index + Int(node.count)
            while index < end {
                try keep(program.operands[index], program)
                index += 1
            }
            return try combine(node, program, start)
        } catch {
            drop(to: start)
            throw error
        }
    }

    @inline(never)
    private mutating func keep(_ number: Int32, _ program: Program) throws(RuleFailure) {
        // The literal parts of a path are constants, not expressions.
        if number < 0 { return append(program.constants[Int(~number)]) }
        append(try value(number, program))
    }

    @inline(never)
    private mutating func append(_ value: RuleValue) {
        stack.append(value)
    }

    @inline(never)
    private mutating func drop(to count: Int) {
        while stack.count > count { stack.removeLast() }
    }

    @inline(never)
    private mutating func combine(
        _ node: ProgramNode, _ program: Program, _ start: Int
    ) throws(RuleFailure) -> RuleValue {
        let result =
            switch node.operation {
            case .list: RuleValue.list(Array(stack[start...]))
            case .map: try map(stack[start...])
            case .path: try path(stack[start...])
            case .function: try function(node, start)
            default: try method(node, program, start)
            }
        drop(to: start)
        return result
    }

    private func map(_ operands: ArraySlice<RuleValue>) throws(RuleFailure) -> RuleValue {
        var entries: [(key: String, value: RuleValue)] = []
        entries.reserveCapacity(operands.count / 2)
        var key: String?
        for operand in operands {
            if let name = key {
                entries.append((name, operand))
                key = nil
            } else {
                key = try Self.key(operand)
            }
        }
        let map = RuleMap(entries)
        // A map literal must not have duplicate keys.
        guard map.count == entries.count else { throw RuleFailure(.invalidArgument) }
        return .map(map)
    }

    private static func key(_ value: RuleValue) throws(RuleFailure) -> String {
        switch value {
        case .string(let key): return key
        case .unreadable: throw RuleFailure(.unreadable)
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// Builds `/a/$(b)`. A string is one segment; a path contributes all its segments.
    private func path(_ operands: ArraySlice<RuleValue>) throws(RuleFailure) -> RuleValue {
        var segments: [String] = []
        for operand in operands {
            switch operand {
            case .string(let segment): segments.append(segment)
            case .path(let path): segments += path.segments
            case .unreadable: throw RuleFailure(.unreadable)
            default: throw RuleFailure(.wrongKind)
            }
        }
        guard segments.count <= RuleLimits.pathSegments else { throw RuleFailure(.overflow) }
        return .path(RulePath(segments))
    }

    /// Calls a built-in function.
    private mutating func function(_ node: ProgramNode, _ start: Int) throws(RuleFailure) -> RuleValue {
        guard let builtin = Builtin(rawValue: node.detail) else { throw RuleFailure(.noSuchMember) }
        return try builtin.apply(arguments(from: start), &work)
    }

    /// Calls a method of the value below its arguments.
    private mutating func method(
        _ node: ProgramNode, _ program: Program, _ start: Int
    ) throws(RuleFailure) -> RuleValue {
        guard let builtin = Builtin(rawValue: node.detail) else { throw RuleFailure(.noSuchMember) }
        let arguments = arguments(from: start + 1)
        if node.third >= 0, case .string(let text) = stack[start] {
            return try StringMethods.applyPattern(
                builtin, program.patterns[Int(node.third)], text, arguments, &work)
        }
        return try builtin.apply(stack[start], arguments, &work)
    }

    private func arguments(from start: Int) -> Arguments {
        var arguments = Arguments()
        for operand in stack[start...] { arguments.append(operand) }
        return arguments
    }
}
