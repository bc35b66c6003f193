extension Evaluation {
    /// Whether a node that is paid for is true.
    @inline(__always)
    mutating func decide(_ number: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        try decide(program.nodes[Int(number)], number, program)
    }

    /// The same of a node of which only truth matters.
    mutating func decide(_ node: ProgramNode, _ number: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        guard !node.isPredicate else { return try decide(node, program) }
        switch node.operation {
        case .call: return try callTruth(node, program)
        case .conditional: return try truth(try truth(node.first, program) ? node.second : node.third, program)
        default: return try Self.truth(evaluate(number, program))
        }
    }

    /// The same of a predicate.
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

    /// `&&`, which false decides, and `||`, which true does. An operand that fails does not count where another one decides.
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

    /// The failure of a chain in which two operands fail: the first, but for one that the store's answer may take away.
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
}

extension RuleFailure {
    /// Whether the record of the last sign-in is what is missing.
    var isOfSignInRecord: Bool { reason == .needsSignInRecord || reason == .signInRecordUnavailable }
}
