/// The arguments of a call, stored inline: at most four.
struct Arguments {
    private var first = RuleValue.null
    private var second = RuleValue.null
    private var third = RuleValue.null
    private var fourth = RuleValue.null
    private(set) var count = 0

    /// The maximum number of arguments of a built-in call.
    static let limit = 4

    mutating func append(_ value: RuleValue) {
        switch count {
        case 0: first = value
        case 1: second = value
        case 2: third = value
        default: fourth = value
        }
        count += 1
    }

    subscript(_ index: Int) -> RuleValue {
        switch index {
        case 0: first
        case 1: second
        case 2: third
        default: fourth
        }
    }
}

extension Arguments {
    func string(_ index: Int) throws(RuleFailure) -> String {
        guard case .string(let value) = self[index] else { throw self[index].isNotWhatIsTaken }
        return value
    }

    func integer(_ index: Int) throws(RuleFailure) -> Int64 {
        guard case .integer(let value) = self[index] else { throw self[index].isNotWhatIsTaken }
        return value
    }

    /// Returns an integer or a float, as a float.
    func number(_ index: Int) throws(RuleFailure) -> Double {
        switch self[index] {
        case .integer(let value): return Double(value)
        case .float(let value): return value
        default: throw self[index].isNotWhatIsTaken
        }
    }

    func list(_ index: Int) throws(RuleFailure) -> [RuleValue] {
        guard case .list(let value) = self[index] else { throw self[index].isNotWhatIsTaken }
        return value
    }

    func set(_ index: Int) throws(RuleFailure) -> RuleSet {
        guard case .set(let value) = self[index] else { throw self[index].isNotWhatIsTaken }
        return value
    }

    /// Returns the elements of a list or a set.
    func elements(_ index: Int) throws(RuleFailure) -> [RuleValue] {
        switch self[index] {
        case .list(let value): return value
        case .set(let value): return value.elements
        default: throw self[index].isNotWhatIsTaken
        }
    }

    func map(_ index: Int) throws(RuleFailure) -> RuleMap {
        guard case .map(let value) = self[index] else { throw self[index].isNotWhatIsTaken }
        return value
    }

    func duration(_ index: Int) throws(RuleFailure) -> RuleDuration {
        guard case .duration(let value) = self[index] else { throw self[index].isNotWhatIsTaken }
        return value
    }
}

extension RuleValue {
    /// The failure of using this value as an argument, operand or receiver.
    var isNotWhatIsTaken: RuleFailure {
        if case .unreadable = self { RuleFailure(.unreadable) } else { RuleFailure(.wrongKind) }
    }
}
