extension Evaluation {
    /// What a function goes back to.
    private struct Caller {
        var frame: Int
        var locals: Int
    }

    /// The value that a declared function returns.
    @inline(never)
    mutating func call(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let caller = try enter(node, program)
        defer { leave(caller) }
        return try value(program.functions[Int(node.second)].result, program)
    }

    /// The same where only truth matters.
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

    /// Evaluates arguments where the call stands, then the `let`s where the function does.
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

    /// The capture that an expression is, if it is only that.
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
