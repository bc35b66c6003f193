import GatewayCore
package import SecurityRules

/// What all the rules of a route together say of a request.
enum RuleAnswer: Equatable {
    /// With the recorded sign-in that a condition passed by, where the credential's own time did not suffice.
    case passes(signedInAt: UnixTime?)
    case needsSecondFactor
    case needsRecentSignIn(maxAge: Int64)
    /// The record of the last sign-in decides, and cannot be read.
    case recordIsUnavailable
    /// The record of the last sign-in decides, and was not read yet.
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

    /// What is told where several rulesets say different things: who is denied whatever they do is not sent to sign in again, and nobody is
    /// before it is known that it would help.
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

    /// What both say together.
    func and(_ other: RuleAnswer) -> RuleAnswer {
        switch (self, other) {
        case (.passes(let one), .passes(let other)): .passes(signedInAt: one ?? other)
        case (.needsRecentSignIn(let one), .needsRecentSignIn(let other)): .needsRecentSignIn(maxAge: min(one, other))
        default: rank < other.rank ? other : self
        }
    }
}

/// What the log tells of a decision by rules. Nothing of the request or its token is in it.
package struct RuleFinding: Equatable {
    package let outcome: RuleVerdict
    /// The `allow` that decided, `FILE:LINE`; nil: there is none for the path and method.
    package var rule: String?
    /// Why the request does not pass; nil: it does, or it is not known yet.
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
    /// For the log and explanations.
    var shown: String {
        switch self {
        case .noRule: "rules: no allow for this path and method"
        case .conditionIsFalse: "rules: the condition is false"
        case .conditionFailed: "rules: the condition failed"
        case .limit: "rules: a limit of the request was reached"
        }
    }
}
