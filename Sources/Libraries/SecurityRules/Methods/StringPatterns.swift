extension Builtin {
    /// `matches`, `replace` and `split` with a pattern that is compiled now, charged to the request's work.
    func callPattern(
        _ text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        let regex = try RuleRegex(compiling: arguments.string(0), &work)
        return try callPattern(regex, text, arguments, &work)
    }

    /// The same with a pattern that was compiled when the rules were loaded; the first argument is not looked at.
    func callPattern(
        _ regex: RuleRegex, _ text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        switch self {
        case .matches: return .bool(try regex.matches(text, &work))
        case .replace: return .string(try regex.replaceAll(in: text, with: arguments.string(1), &work))
        case .split: return .list(try regex.split(text, &work).map(RuleValue.string))
        default: throw RuleFailure(.wrongKind)
        }
    }

    /// Whether the first argument is a regular expression.
    var takesPattern: Bool { self == .matches || self == .replace || self == .split }
}
