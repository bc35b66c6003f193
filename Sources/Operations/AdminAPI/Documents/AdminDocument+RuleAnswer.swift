import GatewayCore
import SecurityRules

extension AdminDocument {
    /// Returns the evaluation of rules.
    static func evaluation(_ answer: RuleAnswer) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("path", answer.path)
                body.add("route", orNull: answer.route)
                body.add("applies", answer.applies)
                body.add("results", answer.results) { result, output in result.write(to: &output) }
                body.add("warnings", answer.warnings)
            })
    }
}

extension RuleAnswer.Result {
    fileprivate func write(to output: inout ObjectText) {
        var maximumAge: Int64?
        if case .needsRecentSignIn(let age, _) = verdict { maximumAge = age }
        output.add("file", file)
        output.add("verdict", word)
        output.add("rule", orNull: rule)
        output.add("reason", orNull: reason)
        output.add("max_age", orNull: maximumAge)
        output.add("allows", trace.sections) { section, output in
            output.add("rule", section.rule.label)
            output.add("text", section.rule.text)
            output.add("expressions", section.lines) { line, output in
                output.add("depth", Int64(line.depth))
                output.add("line", Int64(line.location.line))
                output.add("column", Int64(line.location.column))
                output.add("text", line.text)
                output.add("outcome", line.outcome)
                output.add("failed", line.isFailure)
            }
        }
        output.add("omitted", Int64(trace.omitted))
    }

    private var word: String {
        switch verdict {
        case .allowed: "allow"
        case .denied, .needsSignInRecord, .signInRecordUnavailable: "deny"
        case .needsRecentSignIn: "step-up"
        case .needsSecondFactor: "second-factor"
        }
    }
}
