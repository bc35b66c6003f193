extension Evaluation {
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

    /// Compares a value with a capture in place, without making a string of it.
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

    /// The bytes of an operand that is a capture of one segment, which are its text; nil: it is something else.
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
