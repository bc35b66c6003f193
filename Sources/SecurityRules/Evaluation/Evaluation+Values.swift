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
        case .list: return try list(node, program)
        case .map: return try map(node, program)
        case .path: return try path(node, program)
        case .negate, .multiply, .divide, .remainder, .add, .subtract: return try arithmetic(node, program)
        case .call: return try call(node, program)
        case .function: return try function(node, program)
        case .method: return try method(node, program)
        case .debug: return try value(node.first, program)
        case .conditional: return try value(try truth(node.first, program) ? node.second : node.third, program)
        case .unknown: throw RuleFailure(.noSuchMember)
        default: return .bool(try decide(node, program))
        }
    }

    @inline(never)
    private mutating func list(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        var elements: [RuleValue] = []
        elements.reserveCapacity(Int(node.count))
        for number in program.operands(node) { elements.append(try value(number, program)) }
        return .list(elements)
    }

    @inline(never)
    private mutating func map(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        var entries: [(key: String, value: RuleValue)] = []
        entries.reserveCapacity(Int(node.count) / 2)
        var key: String?
        for number in program.operands(node) {
            let part = try value(number, program)
            if let name = key {
                entries.append((name, part))
                key = nil
            } else {
                key = try Self.key(part)
            }
        }
        let map = RuleMap(entries)
        guard map.count == entries.count else { throw RuleFailure(.invalidArgument) }
        return .map(map)
    }

    /// `/a/$(b)`: a string is one segment, a path all of its own.
    @inline(never)
    private mutating func path(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        var segments: [String] = []
        for number in program.operands(node) {
            let part = number < 0 ? program.constants[Int(~number)] : try value(number, program)
            switch part {
            case .string(let segment): segments.append(segment)
            case .path(let path): segments += path.segments
            case .unreadable: throw RuleFailure(.unreadable)
            default: throw RuleFailure(.wrongKind)
            }
        }
        guard segments.count <= RuleLimits.pathSegments else { throw RuleFailure(.overflow) }
        return .path(RulePath(segments))
    }

    @inline(never)
    private mutating func arithmetic(_ node: ProgramNode, _ program: Program) throws(RuleFailure) -> RuleValue {
        let left = try value(node.first, program)
        if node.operation == .negate { return try Arithmetic.negate(left) }
        return try Arithmetic.apply(node.operation, left, value(node.second, program), &work)
    }
}

extension Program {
    /// The operands of a node.
    @inline(__always)
    func operands(_ node: ProgramNode) -> ArraySlice<Int32> {
        operands[Int(node.first)..<Int(node.first) + Int(node.count)]
    }
}
