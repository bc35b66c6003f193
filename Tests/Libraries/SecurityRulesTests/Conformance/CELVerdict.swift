@testable import SecurityRules

/// What became of a case.
enum CELVerdict: Equatable {
    case outside(CELSubset.Outside)
    /// As CEL says, whether it was checked or not. Where CEL says that it is an error, to be refused at load is one.
    case agrees
    /// As CEL says when it runs; the checker refuses to load it.
    case agreesUnchecked
    case differs(String)

    init(_ test: CELCase) {
        if let reason = CELSubset.outside(test) {
            self = .outside(reason)
            return
        }
        let spelling = CELSubset.spell(test)
        let unchecked = CELAnswer(spelling, isChecked: false)
        guard unchecked.isExpected(test.expected) else {
            self = .differs(unchecked.text)
            return
        }
        let checked = CELAnswer(spelling, isChecked: true)
        switch checked {
        case _ where checked.isExpected(test.expected): self = .agrees
        case .refused: self = .agreesUnchecked
        case .value, .failure: self = .differs("checked, " + checked.text)
        }
    }
}

/// What our language says.
enum CELAnswer {
    case value(RuleValue)
    case failure(RuleFailure)
    case refused(RuleProblems)

    init(_ spelling: CELSubset.Spelling, isChecked: Bool) {
        // In a list: what a header field may be made of is not the question.
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

    /// - Parameter expected: the text of a value; nil: an error.
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
