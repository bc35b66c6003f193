extension Evaluation {
    /// A list, map or path, or a call of what is ours: of any number of operands.
    ///
    /// They wait on `stack` until all are there, not on the thread's stack, on which expressions nest.
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
        // The text of a path between its expressions is no expression.
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
        // Of two equal keys one would be lost.
        guard map.count == entries.count else { throw RuleFailure(.invalidArgument) }
        return .map(map)
    }

    /// `/a/$(b)`: a string is one segment, a path all of its own.
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

    /// A function of ours.
    private mutating func function(_ node: ProgramNode, _ start: Int) throws(RuleFailure) -> RuleValue {
        guard let builtin = Builtin(rawValue: node.detail) else { throw RuleFailure(.noSuchMember) }
        return try builtin.apply(arguments(from: start), &work)
    }

    /// A method of a value, which lies below its arguments.
    private mutating func method(
        _ node: ProgramNode, _ program: Program, _ start: Int
    ) throws(RuleFailure) -> RuleValue {
        guard let builtin = Builtin(rawValue: node.detail) else { throw RuleFailure(.noSuchMember) }
        let arguments = arguments(from: start + 1)
        if node.third >= 0, case .string(let text) = stack[start] {
            return try builtin.callPattern(program.patterns[Int(node.third)], text, arguments, &work)
        }
        return try builtin.apply(stack[start], arguments, &work)
    }

    private func arguments(from start: Int) -> Arguments {
        var arguments = Arguments()
        for operand in stack[start...] { arguments.append(operand) }
        return arguments
    }
}
