/// A matcher with a list of threads (Pike's machine). All threads advance through the text together, and each
/// instruction is visited once per position. So the time is linear in the size of the text multiplied by that of the
/// program.
///
/// Threads are in the order of preference. A matcher is for one text and any number of searches in it.
struct ThreadMatcher {
    private let program: RegexProgram
    private let text: UnsafeBufferPointer<UInt8>
    private var now: ThreadList
    private var next: ThreadList
    private var follower: ThreadFollower
    /// The bounds of the match and of each requested group; -1 for a group without a match.
    private(set) var found: [Int]

    /// Creates a matcher.
    ///
    /// - Parameter groups: The number of requested groups.
    init(
        _ program: RegexProgram, _ text: UnsafeBufferPointer<UInt8>, groups: Int, _ work: inout WorkBudget
    ) throws(RuleFailure) {
        self.program = program
        self.text = text
        // Two for the match, and two for each requested group.
        let slotCount = 2 * (1 + min(groups, program.groups))
        try work.take(program.instructions.count)
        now = ThreadList(program.instructions.count, slotCount)
        next = ThreadList(program.instructions.count, slotCount)
        follower = ThreadFollower(program, text, slotCount)
        found = follower.slots
    }

    /// Returns whether the whole text matches.
    mutating func matchesWhole(_ work: inout WorkBudget) throws(RuleFailure) -> Bool {
        try run(from: 0, isWhole: true, &work)
    }

    /// Searches the first match at or after `start`, with the preferred alternative, and stores it in `found`.
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

    /// Advances all threads by the scalar at `offset`. A thread that has matched ends all threads of lower preference.
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

    /// Returns whether a thread matches at the end of the text.
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

/// A search of the instructions that are reachable without consuming a scalar.
private struct ThreadFollower {
    private let program: RegexProgram
    private let text: UnsafeBufferPointer<UInt8>
    private let slotCount: Int
    private var stack: [Frame] = []
    /// The slots of the current thread.
    var slots: [Int]

    /// A pending step of the search.
    private struct Frame {
        /// An instruction to visit, or -1 to restore the slot.
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

    /// Adds the instructions that are reachable without consuming a scalar, in the order of preference. Returns the
    /// number of steps.
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

    /// Follows the preferred branch and pushes the others.
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

/// A list of distinct instructions in insertion order, each with slots.
private struct ThreadList {
    private var order: [Int32]
    /// The index of an instruction in `order`, if it is in the list.
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

    /// Returns `false` if the instruction is already in the list.
    mutating func insert(_ instruction: Int32) -> Bool {
        let place = Int(places[Int(instruction)])
        if place < count, order[place] == instruction { return false }
        order[count] = instruction
        places[Int(instruction)] = Int32(count)
        count += 1
        return true
    }

    /// Sets the slots of the last instruction.
    mutating func setSlots(_ values: [Int]) {
        for slot in 0..<slotCount { slots[(count - 1) * slotCount + slot] = values[slot] }
    }

    func copySlots(of index: Int, to values: inout [Int]) {
        for slot in 0..<slotCount { values[slot] = slots[index * slotCount + slot] }
    }
}
