import GatewayCore
package import SecurityRules

/// The combined result of all rulesets of a route.
enum RuleResult: Equatable {
    /// With the recorded sign-in that satisfied a condition, if the credential's own time did not suffice.
    case passes(signedInAt: UnixTime?)
    case needsSecondFactor
    case needsRecentSignIn(maxAge: Int64)
    /// The record of the last sign-in is required but unreadable.
    case recordIsUnavailable
    /// The record of the last sign-in is required but was not read yet.
    case needsRecord
    case denied

    init(_ verdict: RuleVerdict) {
        switch verdict {
        case .allowed(_, let signedInAt): self = .passes(signedInAt: signedInAt.map(UnixTime.init(clamping:)))
        case .denied: self = .denied
        case .needsRecentSignIn(let maxAge, _): self = .needsRecentSignIn(maxAge: maxAge)
        case .needsSecondFactor: self = .needsSecondFactor
        case .needsSignInRecord: self = .needsRecord
        case .signInRecordUnavailable: self = .recordIsUnavailable
        }
    }

    /// The precedence of results from several rulesets. A definite denial precedes a step-up, and a step-up is
    /// requested only if it can help.
    var rank: Int {
        switch self {
        case .passes: 0
        case .needsSecondFactor: 1
        case .needsRecentSignIn: 2
        case .recordIsUnavailable: 3
        case .needsRecord: 4
        case .denied: 5
        }
    }

    /// Returns the combination of two results.
    func and(_ other: RuleResult) -> RuleResult {
        switch (self, other) {
        case (.passes(let one), .passes(let other)): .passes(signedInAt: one ?? other)
        case (.needsRecentSignIn(let one), .needsRecentSignIn(let other)): .needsRecentSignIn(maxAge: min(one, other))
        default: rank < other.rank ? other : self
        }
    }
}

/// The logged part of a decision by rules. It contains nothing of the request or its token.
package struct RuleFinding: Equatable {
    package let outcome: RuleVerdict
    /// The `allow` statement that decided, as `FILE:LINE`. `nil` if none matches the path and method.
    package var rule: String?
    /// The reason of a denial. `nil` if the request passes or the result is not known yet.
    package var reason: String?

    package init(_ verdict: RuleVerdict, in ruleset: Ruleset) {
        outcome = verdict
        let number: Int?
        switch verdict {
        case .allowed(let rule, _): number = rule
        case .denied(let denial): (number, reason) = (denial.rule, denial.reason.shown)
        case .needsRecentSignIn(_, let rule): (number, reason) = (rule, "rules: the sign-in is not recent")
        case .needsSecondFactor(let rule): (number, reason) = (rule, "rules: no second factor was used")
        case .needsSignInRecord, .signInRecordUnavailable: number = nil
        }
        if let number, ruleset.rules.indices.contains(number) { rule = ruleset.rules[number].label }
    }
}

extension RuleDenial.Reason {
    /// The text for the log and for `explain`.
    var shown: String {
        switch self {
        case .noRule: "rules: no allow for this path and method"
        case .conditionIsFalse: "rules: the condition is false"
        case .conditionFailed: "rules: the condition failed"
        case .limit: "rules: a limit of the request was reached"
        }
    }
}
