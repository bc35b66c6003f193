/// A regular expression as instructions that refer to their successors.
struct RegexProgram: Sendable {
    struct Instruction: Sendable {
        enum Operation: UInt8, Sendable {
            /// Consumes the scalar `argument`.
            case scalar
            /// Consumes a scalar of the set `argument`.
            case set
            /// Continues at `next`, or at `other` if that fails.
            case split
            /// Stores the position in the slot `argument`.
            case save
            /// Continues if the assertion `argument` holds.
            case assert
            case match
        }

        var operation: Operation
        var argument: UInt32 = 0
        var next: Int32 = 0
        var other: Int32 = 0
    }

    let instructions: [Instruction]
    let sets: [ScalarSet]
    let start: Int32
    /// The number of capturing groups.
    let groups: Int
    /// Whether non-ASCII scalars require lookups in Unicode tables.
    let needsProperties: Bool

    init(_ source: RegexParser.Result) {
        var compiler = RegexCompiler()
        let end = compiler.append(Instruction(operation: .match))
        start = compiler.compile(source.root, next: end)
        instructions = compiler.instructions
        sets = source.sets
        groups = source.groups
        needsProperties = source.sets.contains { $0.needsProperties }
    }

    /// Returns whether a `scalar` or `set` instruction consumes the scalar.
    @inline(__always)
    static func takes(
        _ instruction: Instruction, _ scalar: inout TextScalar, _ sets: UnsafeBufferPointer<ScalarSet>
    ) -> Bool {
        instruction.operation == .scalar
            ? instruction.argument == scalar.value : sets[Int(instruction.argument)].contains(&scalar)
    }
}

/// A compiler that emits instructions from last to first, so that successors are known.
///
/// Its recursion depth is that of the pattern, and it emits at most as many instructions as the node's size.
struct RegexCompiler {
    private(set) var instructions: [RegexProgram.Instruction] = []

    mutating func append(_ instruction: RegexProgram.Instruction) -> Int32 {
        instructions.append(instruction)
        return Int32(instructions.count - 1)
    }

    /// Compiles `node` with the successor `next` and returns its first instruction.
    mutating func compile(_ node: RegexNode, next: Int32) -> Int32 {
        switch node.kind {
        case .empty: return next
        case .scalar(let value): return append(.init(operation: .scalar, argument: value, next: next))
        case .set(let index): return append(.init(operation: .set, argument: UInt32(index), next: next))
        case .assertion(let assertion):
            return append(.init(operation: .assert, argument: UInt32(assertion.rawValue), next: next))
        case .group(let inner, let number):
            let end = append(.init(operation: .save, argument: UInt32(2 * number + 1), next: next))
            let inside = compile(inner, next: end)
            return append(.init(operation: .save, argument: UInt32(2 * number), next: inside))
        case .sequence(let nodes): return nodes.reversed().reduce(next) { compile($1, next: $0) }
        case .choice(let nodes): return compile(choice: nodes, next: next)
        case .repetition(let inner, let repetition): return compile(inner, repetition, next: next)
        }
    }

    private mutating func compile(choice nodes: [RegexNode], next: Int32) -> Int32 {
        var start: Int32?
        for node in nodes.reversed() {
            let branch = compile(node, next: next)
            start = start.map { append(.init(operation: .split, next: branch, other: $0)) } ?? branch
        }
        return start ?? next
    }

    private mutating func compile(_ node: RegexNode, _ repetition: RegexRepetition, next: Int32) -> Int32 {
        var (start, copies) = (next, repetition.minimum)
        if let maximum = repetition.maximum {
            // a{0,2} is (a(a)?)?
            for _ in repetition.minimum..<max(maximum, repetition.minimum) {
                start = split(compile(node, next: start), next, repetition)
            }
        } else if repetition.minimum > 0 {
            start = compile(atLeastOne: node, repetition, next: next)
            copies -= 1
        } else if node.isNullable {
            // Otherwise (a|b*)* could end with an empty iteration before other alternatives are tried.
            start = split(compile(atLeastOne: node, repetition, next: next), next, repetition)
        } else {
            start = append(.init(operation: .split))
            setSplit(start, compile(node, next: start), next, repetition)
        }
        for _ in 0..<copies { start = compile(node, next: start) }
        return start
    }

    private mutating func compile(
        atLeastOne node: RegexNode, _ repetition: RegexRepetition, next: Int32
    ) -> Int32 {
        let again = append(.init(operation: .split))
        let body = compile(node, next: again)
        setSplit(again, body, next, repetition)
        return body
    }

    private mutating func split(_ more: Int32, _ done: Int32, _ repetition: RegexRepetition) -> Int32 {
        let split = append(.init(operation: .split))
        setSplit(split, more, done, repetition)
        return split
    }

    private mutating func setSplit(_ split: Int32, _ more: Int32, _ done: Int32, _ repetition: RegexRepetition) {
        instructions[Int(split)].next = repetition.isGreedy ? more : done
        instructions[Int(split)].other = repetition.isGreedy ? done : more
    }
}
