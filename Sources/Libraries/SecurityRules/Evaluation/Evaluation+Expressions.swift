extension Evaluation {
    /// Evaluates a node that has been charged. Expressions nest, so the stack frame must stay small: cases with large
    /// frames are separate functions.
    mutating func evaluate(_ number: Int32, _ program: Program) throws(RuleFailure) -> RuleValue {
        let node = program.nodes[Int(number)]
        switch node.operation {
        case .constant: return program.constants[Int(node.first)]
        case .binding: return binding(node.detail)
        case .local: return local(node.first, program)
        case .capture: return capture(node.first, program)
        case .claim: return try claim(node, program)
        case .member: return try member(node, program)
        case .index: return try index(node, program)
        case .slice: return try slice(node, program)
        case .header, .headerOrDefault: return try header(node, program)
        case .list, .map, .path, .function, .method: return try compound(node, program)
        case .negate, .multiply, .divide, .remainder, .add, .subtract: return try arithmetic(node, program)
        case .call: return try call(node, program)
        case .debug: return try value(node.first, program)
        case .conditional: return try value(try truth(node.first, program) ? node.second : node.third, program)
        case .unknown: throw RuleFailure(.noSuchMember)
        default: return .bool(try decide(node, program))
        }
    }

    @inline(never)
    private mutating func arithmetic(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let left = try value(node.first, program)
        if node.operation == .negate { return try Arithmetic.negate(left) }
        return try Arithmetic.apply(node.operation, left, value(node.second, program), &work)
    }

    /// `auth.a.b`
    @inline(never)
    private mutating func claim(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        // A recorder receives each step separately.
        if recorder != nil, node.first >= 0 {
            let name = program.names[Int(program.operands[Int(node.second + node.count - 1)])]
            return try value(node.first, program).member(name, &work)
        }
        try charge(Int(node.count))
        var current = binding(ProgramBinding.auth.rawValue)
        for offset in node.second..<node.second + node.count {
            current = try current.member(program.names[Int(program.operands[Int(offset)])], &work)
        }
        return current
    }

    @inline(never)
    private mutating func member(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        try value(node.first, program).member(program.names[Int(node.second)], &work)
    }

    @inline(never)
    private mutating func index(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let base = try value(node.first, program)
        return try base.element(value(node.second, program), &work)
    }

    @inline(never)
    private mutating func slice(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let base = try value(node.first, program)
        let from = try value(node.second, program)
        return try base.slice(from, value(node.third, program), &work)
    }
}

extension Evaluation {
    /// Evaluates a node that has been charged as a boolean.
    @inline(__always)
    mutating func decide(_ number: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        try decide(program.nodes[Int(number)], number, program)
    }

    /// Evaluates a node whose truth value matters.
    mutating func decide(_ node: ProgramNode, _ number: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        guard !node.isPredicate else { return try decide(node, program) }
        switch node.operation {
        case .call: return try callTruth(node, program)
        case .conditional: return try truth(try truth(node.first, program) ? node.second : node.third, program)
        default: return try Self.truth(evaluate(number, program))
        }
    }

    /// Evaluates a predicate.
    mutating func decide(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        switch node.operation {
        case .not: return try !truth(node.first, program)
        case .and: return try chain(node, program, decidedBy: false)
        case .or: return try chain(node, program, decidedBy: true)
        case .equal: return try isEqual(node, program)
        case .notEqual: return try !isEqual(node, program)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return try isOrdered(node, program)
        case .contains: return try contains(node, program)
        case .typeTest: return try hasType(node, program)
        case .recentSignIn: return try recentSignIn(node, program)
        case .secondFactor: return secondFactor()
        case .hasHeader: return hasHeader(node, program)
        default: throw RuleFailure(.notBoolean)
        }
    }

    /// Evaluates `&&`, which false decides, or `||`, which true decides. An operand that fails is ignored if another
    /// one decides.
    @inline(never)
    private mutating func chain(
        _ node: ProgramNode, _ program: Program, decidedBy deciding: Bool
    ) throws(RuleFailure) -> Bool {
        var failure: RuleFailure?
        var index = Int(node.first)
        let end = index + Int(node.count)
        while index < end {
            do throws(RuleFailure) {
                if try truth(program.operands[index], program) == deciding { return deciding }
            } catch {
                if error.endsTheRequest { throw error }
                failure = Self.weightier(failure, error)
            }
            index += 1
        }
        if let failure { throw failure }
        return !deciding
    }

    /// Returns the failure of a chain with two failures: the first, unless a store lookup could resolve the second.
    private static func weightier(_ first: RuleFailure?, _ second: RuleFailure) -> RuleFailure {
        guard let first else { return second }
        return !first.isOfSignInRecord && second.isOfSignInRecord ? second : first
    }

    @inline(never)
    private mutating func hasType(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        let kind = try value(node.first, program).kind
        guard kind != .unreadable else { throw RuleFailure(.unreadable) }
        return KindSet(rawValue: UInt16(truncatingIfNeeded: node.second)).contains(KindSet(kind))
    }

    @inline(never)
    mutating func isEqual(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        if recorder == nil {
            if let segment = plainSegment(node.second, program) {
                return try isEqual(node.first, segment, program)
            }
            if let segment = plainSegment(node.first, program) {
                return try isEqual(node.second, segment, program)
            }
        }
        let left = try value(node.first, program)
        return try RuleValue.equal(left, value(node.second, program), &work)
    }

    /// Compares a value with a capture in place, without creating a string.
    private mutating func isEqual(
        _ other: Int32, _ segment: UnsafeRawBufferPointer, _ program: Program
    ) throws(RuleFailure) -> Bool {
        try charge(1)
        switch try value(other, program) {
        case .string(let text):
            try work.take(bytes: segment.count)
            return RuleText.equal(text, segment)
        case .unreadable: throw RuleFailure(.unreadable)
        default: return false
        }
    }

    /// Returns the bytes of an operand that is a capture of one segment, if they equal its text. `nil` otherwise.
    @inline(__always)
    private func plainSegment(_ number: Int32, _ program: Program) -> UnsafeRawBufferPointer? {
        let node = program.nodes[Int(number)]
        guard node.operation == .capture || node.operation == .local else { return nil }
        let capture = node.operation == .capture ? node.first : locals[frame + Int(node.first)].capture
        return capture < 0 ? nil : plainCapture(capture, program)
    }

    @inline(never)
    mutating func isOrdered(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        let left = try value(node.first, program)
        let order = try RuleValue.compare(left, value(node.second, program), &work)
        return switch node.operation {
        case .less: order == .less
        case .lessOrEqual: order == .less || order == .equal
        case .greater: order == .greater
        default: order == .greater || order == .equal
        }
    }

    /// `a in b`
    @inline(never)
    mutating func contains(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        let element = try value(node.first, program)
        return try RuleValue.contains(value(node.second, program), element, &work)
    }
}

extension Evaluation {
    /// `recentSignIn(d)`
    @inline(never)
    mutating func recentSignIn(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> Bool {
        switch try value(node.first, program) {
        case .duration(let duration):
            guard isSignedIn() else { return false }
            return try signIn.isRecent(within: duration.seconds)
        case .unreadable: throw RuleFailure(.unreadable)
        default: throw RuleFailure(.wrongKind)
        }
    }

    mutating func secondFactor() -> Bool {
        isSignedIn() && signIn.hasSecondFactor()
    }

    /// Returns whether `auth` is not null.
    mutating func isSignedIn() -> Bool {
        if case .null = binding(ProgramBinding.auth.rawValue) { return false }
        return true
    }
}

extension RuleFailure {
    /// Whether the record of the last sign-in is missing.
    var isOfSignInRecord: Bool { reason == .needsSignInRecord || reason == .signInRecordUnavailable }
}
