extension Evaluation {
    /// The value of a node that is paid for. Small, as expressions nest: what needs room on the stack has a function of its own.
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
}
