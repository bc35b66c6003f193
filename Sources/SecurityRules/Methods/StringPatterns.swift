extension Builtin {
    /// `matches`, `replace` and `split`.
    func callPattern(
        _ text: String, _ arguments: borrowing Arguments, _ work: inout WorkBudget
    ) throws(RuleFailure) -> RuleValue {
        throw RuleFailure(.invalidText)
    }
}
