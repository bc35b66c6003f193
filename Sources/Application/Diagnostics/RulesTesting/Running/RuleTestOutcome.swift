package import SecurityRules

/// The result of the rules for a test's request.
package struct RuleTestOutcome: Sendable {
    /// The kind of result.
    package enum Kind: Sendable, Hashable {
        case allowed
        /// With the reason for display.
        case denied(String)
        /// With the maximum age in seconds.
        case needsRecentSignIn(Int64)
        case needsSecondFactor
    }

    /// The kind of result.
    package let kind: Kind
    /// The `allow` that decided, or that was evaluated last. `nil` if none was evaluated.
    package let rule: RuleStatement?

    init(_ verdict: RuleVerdict, of ruleset: Ruleset) {
        let number: Int?
        (kind, number) = Self.parts(of: verdict)
        rule = number.flatMap { ruleset.rules.indices.contains($0) ? ruleset.rules[$0] : nil }
    }

    private static func parts(of verdict: RuleVerdict) -> (Kind, Int?) {
        switch verdict {
        case .allowed(let rule, _): (.allowed, rule)
        case .denied(let denial): (.denied(denial.reason.words), denial.rule)
        case .needsRecentSignIn(let maxAge, let rule): (.needsRecentSignIn(maxAge), rule)
        case .needsSecondFactor(let rule): (.needsSecondFactor, rule)
        // A test always has the record.
        case .needsSignInRecord, .signInRecordUnavailable: (.denied("the record of the sign-in is missing"), nil)
        }
    }

    /// Returns whether the result is the expected one.
    func meets(_ expectation: RuleTestExpectation, line: Int?) -> Bool {
        if let line, rule?.location.line != line { return false }
        return switch (expectation, kind) {
        case (.allow, .allowed), (.deny, .denied), (.secondFactor, .needsSecondFactor): true
        case (.stepUp(let expected), .needsRecentSignIn(let maxAge)): expected == nil || expected == maxAge
        default: false
        }
    }
}

extension RuleTestOutcome: CustomStringConvertible {
    /// The result in the terms of expectations, with the rule that decided.
    package var description: String {
        let place = rule.map { " by \($0.label)" } ?? ""
        switch kind {
        case .allowed: return "allow\(place)"
        case .denied(let why): return "deny: \(why)\(rule.map { ", \($0.label) at last" } ?? "")"
        case .needsRecentSignIn(let maxAge): return "\(RuleTestExpectation.stepUp(maxAge: maxAge))\(place)"
        case .needsSecondFactor: return "second-factor\(place)"
        }
    }
}

extension RuleDenial.Reason {
    fileprivate var words: String {
        switch self {
        case .noRule: "no allow matches this path and method"
        case .conditionIsFalse: "no condition is true"
        case .conditionFailed: "no condition is true, and one failed"
        case .limit: "a limit of the request was reached"
        }
    }
}
