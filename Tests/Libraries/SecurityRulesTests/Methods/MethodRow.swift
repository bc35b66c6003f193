@testable import SecurityRules

/// One call of a method or function, and its outcome.
struct MethodRow: CustomStringConvertible, Sendable {
    let builtin: Builtin
    /// `nil` for functions.
    let receiver: RuleValue?
    let arguments: [RuleValue]
    let expected: Outcome

    init(_ receiver: RuleValue, _ builtin: Builtin, _ arguments: RuleValue..., is value: RuleValue) {
        self.init(builtin: builtin, receiver: receiver, arguments: arguments, expected: .value(value))
    }

    init(_ receiver: RuleValue, _ builtin: Builtin, _ arguments: RuleValue..., fails reason: RuleFailure.Reason) {
        self.init(builtin: builtin, receiver: receiver, arguments: arguments, expected: .failure(reason))
    }

    init(_ builtin: Builtin, _ arguments: RuleValue..., is value: RuleValue) {
        self.init(builtin: builtin, receiver: nil, arguments: arguments, expected: .value(value))
    }

    init(_ builtin: Builtin, _ arguments: RuleValue..., fails reason: RuleFailure.Reason) {
        self.init(builtin: builtin, receiver: nil, arguments: arguments, expected: .failure(reason))
    }

    private init(builtin: Builtin, receiver: RuleValue?, arguments: [RuleValue], expected: Outcome) {
        self.builtin = builtin
        self.receiver = receiver
        self.arguments = arguments
        self.expected = expected
    }

    var outcome: Outcome {
        Outcome { work throws(RuleFailure) in
            try builtin.call(receiver, arguments, &work)
        }
    }

    var description: String {
        let call = "\(builtin.name)(\(arguments.map(\.text).joined(separator: ", ")))"
        return "\(receiver.map { $0.text + "." } ?? "")\(call): \(expected)"
    }
}

extension Builtin {
    func call(
        _ receiver: RuleValue?, _ values: [RuleValue], _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        var arguments = Arguments()
        for value in values { arguments.append(value) }
        guard let receiver else { return try apply(arguments, &work) }
        return try apply(receiver, arguments, &work)
    }
}
