/// A matcher of whole texts with a set of states in one machine word (Glushkov's automaton): no allocation, and few
/// steps for each scalar.
///
/// It supports patterns of at most `RegexLimits.wordPositions` scalars and sets, without `\b`, `\B` and the `^` and
/// `$` of `(?m)`. A state is a scalar or set that has consumed the last scalar.
struct WordMatcher: Sendable {
    /// The states that can consume the first scalar.
    private let first: UInt64
    /// The successors of each state.
    private let following: [UInt64]
    /// The final states.
    private let final: UInt64
    private let matchesEmpty: Bool
    /// The states that consume each ASCII scalar.
    private let ascii: [UInt64]
    /// The instruction of each state.
    private let takers: [RegexProgram.Instruction]

    /// `nil` if the pattern is not supported.
    init?(_ program: RegexProgram) {
        let instructions = program.instructions
        guard instructions.count <= RegexLimits.wordInstructions else { return nil }
        let positions = instructions.indices.filter { instructions[$0].isTaker }
        guard positions.count <= RegexLimits.wordPositions, instructions.allSatisfy(\.isPlain) else { return nil }
        var closures = Closures(instructions, positions)
        let start = closures.reach(program.start, atStart: true)
        let reached = positions.map { closures.reach(instructions[$0].next, atStart: false) }
        first = start.takers
        matchesEmpty = start.matchesAtEnd
        following = reached.map(\.takers)
        final = reached.enumerated().reduce(0) { $1.element.matchesAtEnd ? $0 | 1 << UInt64($1.offset) : $0 }
        takers = positions.map { instructions[$0] }
        ascii = Self.table(takers, program.sets)
    }

    private static func table(_ takers: [RegexProgram.Instruction], _ sets: [ScalarSet]) -> [UInt64] {
        var table = [UInt64](repeating: 0, count: 128)
        for (state, taker) in takers.enumerated() {
            let bit: UInt64 = 1 << UInt64(state)
            if taker.operation == .scalar {
                if taker.argument < 128 { table[Int(taker.argument)] |= bit }
            } else {
                let set = sets[Int(taker.argument)].ascii
                for byte in UInt8(0)..<128 where set.contains(byte) { table[Int(byte)] |= bit }
            }
        }
        return table
    }

    func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ program: RegexProgram, _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        try following.withBuffer { following throws(RuleFailure) in
            try ascii.withBuffer { ascii throws(RuleFailure) in
                try run(text, following, ascii, program, &work)
            }
        }
    }

    @inline(__always)
    private func run(
        _ text: UnsafeBufferPointer<UInt8>, _ following: UnsafeBufferPointer<UInt64>,
        _ ascii: UnsafeBufferPointer<UInt64>, _ program: RegexProgram, _ work: inout WorkBudget
    ) throws(RuleFailure) -> Bool {
        guard !text.isEmpty else { return matchesEmpty }
        var (candidates, states, offset) = (first, UInt64(0), 0)
        while true {
            let byte = text[offset]
            if byte < 0x80 {
                states = candidates & ascii[Int(byte)]
                offset += 1
            } else {
                var scalar = TextScalar(text, at: offset)
                states = try takersBeyondASCII(candidates, &scalar, program, &work)
                offset += scalar.length
            }
            guard states != 0 else { return false }
            guard offset < text.count else { return states & final != 0 }
            var (left, steps) = (states, 1)
            candidates = 0
            while left != 0 {
                candidates |= following[left.trailingZeroBitCount]
                left &= left &- 1
                steps += 1
            }
            try work.take(steps)
        }
    }

    @inline(never)
    private func takersBeyondASCII(
        _ candidates: UInt64, _ scalar: inout TextScalar, _ program: RegexProgram, _ work: inout WorkBudget
    ) throws(RuleFailure) -> UInt64 {
        try work.take(program.needsProperties ? RegexLimits.propertySteps : 1)
        var (left, states) = (candidates, UInt64(0))
        while left != 0 {
            let state = left.trailingZeroBitCount
            let taker = takers[state]
            let takes =
                taker.operation == .scalar
                ? taker.argument == scalar.value : program.sets[Int(taker.argument)].contains(&scalar)
            if takes { states |= 1 << UInt64(state) }
            left &= left &- 1
            try work.take(1)
        }
        return states
    }
}

/// The instructions that are reachable without consuming a scalar.
private struct Closures {
    struct Reached {
        var takers: UInt64 = 0
        /// Whether the match is reachable at the end of the text.
        var matchesAtEnd = false
    }

    private let instructions: [RegexProgram.Instruction]
    /// The state of each consuming instruction.
    private var states: [Int]
    private var seen: [Int]
    private var turn = 0

    init(_ instructions: [RegexProgram.Instruction], _ positions: [Int]) {
        self.instructions = instructions
        states = Array(repeating: 0, count: instructions.count)
        seen = Array(repeating: 0, count: instructions.count)
        for (state, position) in positions.enumerated() { states[position] = state }
    }

    mutating func reach(_ start: Int32, atStart: Bool) -> Reached {
        var reached = Reached()
        // Consuming instructions do not count at the end of the text, and the match counts only there. So there are
        // two passes.
        walk(start, atStart: atStart, atEnd: false, &reached)
        walk(start, atStart: atStart, atEnd: true, &reached)
        return reached
    }

    private mutating func walk(_ start: Int32, atStart: Bool, atEnd: Bool, _ reached: inout Reached) {
        turn += 1
        var stack = [start]
        while let index = stack.popLast().map(Int.init) {
            guard seen[index] != turn else { continue }
            seen[index] = turn
            let instruction = instructions[index]
            switch instruction.operation {
            case .scalar, .set: if !atEnd { reached.takers |= 1 << UInt64(states[index]) }
            case .split: stack += [instruction.next, instruction.other]
            case .save: stack.append(instruction.next)
            case .assert:
                let isStart = instruction.argument == UInt32(RegexAssertion.textStart.rawValue)
                if isStart ? atStart : atEnd { stack.append(instruction.next) }
            case .match: if atEnd { reached.matchesAtEnd = true }
            }
        }
    }
}

extension RegexProgram.Instruction {
    /// Whether the instruction consumes a scalar.
    var isTaker: Bool { operation == .scalar || operation == .set }

    /// Whether an assertion, if any, is for the start or the end of the text.
    fileprivate var isPlain: Bool {
        operation != .assert || argument <= UInt32(RegexAssertion.textEnd.rawValue)
    }
}

extension Array {
    /// Calls a body that throws `RuleFailure` with the elements' buffer.
    @inline(__always)
    func withBuffer<R>(_ body: (UnsafeBufferPointer<Element>) throws(RuleFailure) -> R) throws(RuleFailure) -> R {
        try withUnsafeBufferPointer(body)
    }
}
