/// Matches with a list of threads, each at an instruction, that go through the text together (Pike's machine): each instruction is
/// looked at once for a place of the text, so that time is linear in the text times the program.
///
/// Threads are in the order of preference. For one text, and any number of searches in it.
struct ThreadMatcher {
    private let program: RegexProgram
    private let text: UnsafeBufferPointer<UInt8>
    private var now: ThreadList
    private var next: ThreadList
    private var follower: ThreadFollower
    /// Where the match, and each group that is asked for, begins and ends; -1: it was not met.
    private(set) var found: [Int]

    /// - Parameter groups: how many groups are asked for.
    init(
        _ program: RegexProgram, _ text: UnsafeBufferPointer<UInt8>, groups: Int, _ work: inout WorkBudget
    ) throws(RuleFailure) {
        self.program = program
        self.text = text
        // Two for the match, two for each group that is asked for.
        let slotCount = 2 * (1 + min(groups, program.groups))
        try work.take(program.instructions.count)
        now = ThreadList(program.instructions.count, slotCount)
        next = ThreadList(program.instructions.count, slotCount)
        follower = ThreadFollower(program, text, slotCount)
        found = follower.slots
    }

    /// Whether the whole text matches.
    mutating func matchesWhole(_ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        try run(from: 0, isWhole: true, &work)
    }

    /// Whether there is a match that begins at `start` or later: the first, of several the preferred one. It is in `found`.
    mutating func search(from start: Int, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        try run(from: start, isWhole: false, &work)
    }

    private mutating func run(from start: Int, isWhole: Bool, _ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        now.clear()
        var (offset, isFound) = (start, false)
        while true {
            if now.isEmpty, isFound || isWhole && offset > start { break }
            var steps = 1
            if !isFound, !isWhole || offset == start {
                steps += follower.follow(program.start, at: offset, &now, begins: true)
            }
            guard offset < text.count else {
                isFound = finish(offset) || isFound
                break
            }
            var scalar = TextScalar(text, at: offset)
            if scalar.value >= 0x80, program.needsProperties { steps += RegexLimits.propertySteps }
            steps += advance(&scalar, at: offset, isWhole: isWhole, &isFound)
            try work.take(steps)
            swap(&now, &next)
            offset += scalar.length
        }
        return isFound
    }

    /// Lets every thread take the scalar at `offset`; a thread that has matched ends those behind it.
    private mutating func advance(
        _ scalar: inout TextScalar, at offset: Int, isWhole: Bool, _ isFound: inout Bool
    ) -> Int {
        next.clear()
        var steps = now.count
        for index in 0..<now.count {
            let instruction = program.instructions[now.instruction(index)]
            switch instruction.operation {
            case .match where !isWhole:
                keep(index, offset)
                isFound = true
                return steps
            case .scalar where instruction.argument == scalar.value:
                now.copySlots(of: index, to: &follower.slots)
                steps += follower.follow(instruction.next, at: offset + scalar.length, &next)
            case .set where program.sets[Int(instruction.argument)].contains(&scalar):
                now.copySlots(of: index, to: &follower.slots)
                steps += follower.follow(instruction.next, at: offset + scalar.length, &next)
            default: break
            }
        }
        return steps
    }

    /// Whether a thread has matched where the text ends.
    private mutating func finish(_ offset: Int) -> Bool {
        for index in 0..<now.count where program.instructions[now.instruction(index)].operation == .match {
            keep(index, offset)
            return true
        }
        return false
    }

    private mutating func keep(_ index: Int, _ end: Int) {
        now.copySlots(of: index, to: &found)
        found[1] = end
    }
}

/// Finds what can be reached without taking a scalar.
private struct ThreadFollower {
    private let program: RegexProgram
    private let text: UnsafeBufferPointer<UInt8>
    private let slotCount: Int
    private var stack: [Frame] = []
    /// The slots of the thread that is being followed.
    var slots: [Int]

    /// Something to be done after everything above it.
    private struct Frame {
        /// An instruction to follow; -1: set the slot back.
        var instruction: Int32
        var slot: Int32 = 0
        var value = 0
    }

    init(_ program: RegexProgram, _ text: UnsafeBufferPointer<UInt8>, _ slotCount: Int) {
        self.program = program
        self.text = text
        self.slotCount = slotCount
        slots = Array(repeating: -1, count: slotCount)
    }

    /// Adds what can be reached from an instruction without taking a scalar, in the order of preference; tells how much was looked at.
    mutating func follow(_ start: Int32, at offset: Int, _ list: inout ThreadList, begins: Bool = false) -> Int {
        if begins {
            for slot in slots.indices { slots[slot] = -1 }
            slots[0] = offset
        }
        var steps = 0
        stack.append(Frame(instruction: start))
        while let frame = stack.popLast() {
            if frame.instruction < 0 {
                slots[Int(frame.slot)] = frame.value
            } else {
                steps += walk(frame.instruction, offset, &list)
            }
        }
        return steps
    }

    /// Follows the preferred way from an instruction; leaves the others on the stack.
    private mutating func walk(_ start: Int32, _ offset: Int, _ list: inout ThreadList) -> Int {
        var (index, steps) = (start, 0)
        while list.insert(index) {
            steps += 1
            let instruction = program.instructions[Int(index)]
            switch instruction.operation {
            case .split:
                stack.append(Frame(instruction: instruction.other))
            case .save:
                let slot = Int(instruction.argument)
                if slot < slotCount {
                    stack.append(Frame(instruction: -1, slot: Int32(slot), value: slots[slot]))
                    slots[slot] = offset
                }
            case .assert:
                guard let assertion = RegexAssertion(rawValue: UInt8(truncatingIfNeeded: instruction.argument)),
                    assertion.holds(text, at: offset)
                else { return steps }
            case .scalar, .set, .match:
                list.setSlots(slots)
                return steps + slotCount
            }
            index = instruction.next
        }
        return steps + 1
    }
}

/// Instructions in the order in which they came, none twice, each with slots.
private struct ThreadList {
    private var order: [Int32]
    /// Where an instruction stands in `order`, if it does.
    private var places: [Int32]
    private var slots: [Int]
    private let slotCount: Int
    private(set) var count = 0

    init(_ instructions: Int, _ slotCount: Int) {
        order = Array(repeating: 0, count: instructions)
        places = order
        slots = Array(repeating: -1, count: instructions * slotCount)
        self.slotCount = slotCount
    }

    var isEmpty: Bool { count == 0 }

    mutating func clear() {
        count = 0
    }

    func instruction(_ index: Int) -> Int { Int(order[index]) }

    /// False: it is there already.
    mutating func insert(_ instruction: Int32) -> Bool {
        let place = Int(places[Int(instruction)])
        if place < count, order[place] == instruction { return false }
        order[count] = instruction
        places[Int(instruction)] = Int32(count)
        count += 1
        return true
    }

    /// Of the instruction that came last.
    mutating func setSlots(_ values: [Int]) {
        for slot in 0..<slotCount { slots[(count - 1) * slotCount + slot] = values[slot] }
    }

    func copySlots(of index: Int, to values: inout [Int]) {
        for slot in 0..<slotCount { values[slot] = slots[index * slotCount + slot] }
    }
}
