/// A hashable key of a value. Two keys are equal exactly if their values are.
enum ElementKey: Hashable {
    case null
    case bool(Bool)
    /// An integer, or a float with an integral value.
    case integer(Int64)
    /// Any other float except NaN, which equals nothing.
    case float(Double)
    case text(String)

    /// `nil` for values that are compared individually.
    init?(_ value: RuleValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .float(let value):
            guard !value.isNaN else { return nil }
            self = Int64(exactly: value).map(Self.integer) ?? .float(value)
        case .string(let value): self = .text(value)
        default: return nil
        }
    }

    /// The cost of hashing and comparing.
    var steps: Int {
        if case .text(let text) = self { WorkBudget.steps(bytes: text.utf8.count) } else { 1 }
    }

    static func == (a: ElementKey, b: ElementKey) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.float(let a), .float(let b)): a == b
        case (.text(let a), .text(let b)): RuleText.equal(a, b)
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .text(let value): RuleText.withBytes(value) { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}
