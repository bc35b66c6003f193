@testable import SecurityRules

/// The result of a case.
enum CELVerdict: Equatable {
    case outside(CELSubset.Outside)
    /// The result equals CEL's, with and without the checker. A refusal at load counts as an error.
    case agrees
    /// The result without the checker equals CEL's. The checker refuses to load the case.
    case agreesUnchecked
    case differs(String)

    init(_ test: CELCase) {
        if let reason = CELSubset.outside(test) {
            self = .outside(reason)
            return
        }
        let spelling = CELSubset.spell(test)
        let unchecked = CELOutcome(spelling, isChecked: false)
        guard unchecked.isExpected(test.expected) else {
            self = .differs(unchecked.text)
            return
        }
        let checked = CELOutcome(spelling, isChecked: true)
        switch checked {
        case _ where checked.isExpected(test.expected): self = .agrees
        case .refused: self = .agreesUnchecked
        case .value, .failure: self = .differs("checked, " + checked.text)
        }
    }
}

/// The outcome of a case in rules.
enum CELOutcome {
    case value(RuleValue)
    case failure(RuleFailure)
    case refused(RuleProblems)

    init(_ spelling: CELSubset.Spelling, isChecked: Bool) {
        // The value is in a list, because a header field accepts only some kinds of values.
        let source = RuleSource("[\(spelling.expression)]", name: "case")
        let auth: RuleValue = .map(RuleMap([("token", spelling.token)]))
        let expression: RuleValueExpression
        do {
            expression = isChecked ? try RuleValueExpression(source) : try RuleValueExpression(unchecked: source)
        } catch {
            self = .refused(error)
            return
        }
        do {
            guard case .list(let values) = try RuleEvaluator().evaluate(expression, auth: auth) else {
                self = .value(.unreadable)
                return
            }
            self = .value(values[0])
        } catch {
            self = .failure(error)
        }
    }

    /// - Parameter expected: The text of a value. `nil` for an error.
    func isExpected(_ expected: String?) -> Bool {
        guard case .value(let value) = self else { return expected == nil }
        guard let expected, let known = CELValue.read(expected) else { return false }
        return value.isSame(as: known)
    }

    var text: String {
        switch self {
        case .value(let value): value.text
        case .failure(let failure): "fails: \(failure.reason)"
        case .refused(let problems): "refused: \(problems)"
        }
    }
}
