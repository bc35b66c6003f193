import Authorization
import CivilCalendar
import PrintableText
import SecurityRules

/// The steps of a route's rules: for each ruleset the evaluated `allow` statements, the values of their conditions'
/// parts, and the verdict.
struct RuleTranscript {
    /// The maximum numbers of statements per ruleset and of parts per condition.
    private static let statementLimit = 32
    private static let partLimit = 24

    let rules: RouteRules
    /// One verdict for each evaluated ruleset.
    let verdicts: [RuleVerdict]
    let recorder: RuleRecorder

    var steps: [ExplanationStep] {
        verdicts.indices.flatMap { index in
            let ruleset = rules.rulesets[index]
            let name = ruleset.isCondition ? "allow" : "rules"
            return evaluated(index, ruleset, name) + [verdict(verdicts[index], of: ruleset, name)]
        }
    }

    // MARK: - Evaluated statements

    private func evaluated(_ index: Int, _ ruleset: Ruleset, _ name: String) -> [ExplanationStep] {
        let entries = recorder.entries.filter { $0.ruleset == index && $0.pass == .actual }
        var seen: Set<Int> = []
        let numbers = entries.map(\.rule).filter { ruleset.rules.indices.contains($0) && seen.insert($0).inserted }
        let steps = numbers.prefix(Self.statementLimit).flatMap { number in
            statement(ruleset.rules[number], entries.filter { $0.rule == number }, ruleset, name)
        }
        let more = numbers.count - Self.statementLimit
        return more > 0 ? steps + [ExplanationStep(.note, name, "and \(more) more statements")] : steps
    }

    private func statement(
        _ statement: RuleStatement, _ entries: [RuleRecorder.Entry], _ ruleset: Ruleset, _ name: String
    ) -> [ExplanationStep] {
        let whole = entries.last { $0.expression == statement.condition }
        let parts = entries.filter { $0.expression != statement.condition }.compactMap { part($0, ruleset) }
        let more = parts.count - Self.partLimit
        let (mark, outcome) = Self.outcome(of: whole)
        let line = ExplanationStep(mark, name, "\(statement.label) is \(outcome): \(Self.shown(statement.text))")
        let rest = more > 0 ? [ExplanationStep(.note, "", "  and \(more) more")] : []
        return [line] + parts.prefix(Self.partLimit).map { ExplanationStep(.note, "", "  \($0)") } + rest
    }

    /// Returns the line of a part. `nil` for literals (`5`, `'admin'`) and for maps on the path to a member.
    private func part(_ entry: RuleRecorder.Entry, _ ruleset: Ruleset) -> String? {
        guard ruleset.expressions.indices.contains(entry.expression) else { return nil }
        let text = ruleset.expressions[entry.expression].text
        switch entry.outcome {
        case .value(.map): return nil
        case .value(let value):
            let value = value.text
            return text.utf8.elementsEqual(value.utf8) ? nil : "\(Self.shown(text)) is \(PrintableText.escaped(value))"
        case .failure(let why): return "\(Self.shown(text)) failed: \(PrintableText.escaped(why))"
        }
    }

    /// Returns the outcome of a statement. A statement that is not true is no failure, because another one may be.
    private static func outcome(of entry: RuleRecorder.Entry?) -> (ExplanationStep.Mark, String) {
        switch entry?.outcome {
        case .value(.bool(true)): (.passed, "true")
        case .value(.bool(false)): (.note, "false")
        case .value(let other): (.note, PrintableText.escaped(other.text))
        case .failure(let why): (.note, "not true, because it failed (\(PrintableText.escaped(why)))")
        case nil: (.note, "not decided")
        }
    }

    // MARK: - The verdict

    private func verdict(_ verdict: RuleVerdict, of ruleset: Ruleset, _ name: String) -> ExplanationStep {
        let label = RuleFinding(verdict, in: ruleset).rule ?? "the rules"
        switch verdict {
        case .allowed(_, let signedInAt):
            let proof = signedInAt.map { ", by the sign-in that is recorded for \(RFC3339.text($0))" } ?? ""
            return ExplanationStep(.passed, name, "allowed by \(label)\(proof)")
        case .denied(let denial): return ExplanationStep(.failed, name, Self.shown(denial.reason))
        case .needsRecentSignIn(let maxAge, _):
            return ExplanationStep(.failed, name, "\(label) requires a sign-in at most \(HumanTime.span(maxAge)) ago")
        case .needsSecondFactor: return ExplanationStep(.failed, name, "\(label) requires a second factor")
        case .needsSignInRecord, .signInRecordUnavailable:
            return ExplanationStep(.failed, name, "the session's record is invalid, so a later sign-in cannot be read")
        }
    }

    private static func shown(_ reason: RuleDenial.Reason) -> String {
        switch reason {
        case .noRule: "denied: no allow matches this path and method"
        case .conditionIsFalse: "denied: no evaluated condition is true"
        case .conditionFailed: "denied: no evaluated condition is true, and a condition failed"
        case .limit: "denied: the request reached a limit of rules"
        }
    }

    /// Returns the text on one line, truncated.
    private static func shown(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return PrintableText.escaped(line.count > 100 ? line.prefix(97) + "..." : line)
    }
}

extension Ruleset {
    /// Whether the ruleset is the condition of a route.
    fileprivate var isCondition: Bool { rules.count == 1 && rules[0].pattern.isEmpty }
}
