/// The decision of rules.
public enum RuleVerdict: Sendable, Equatable {
    /// A condition is true.
    ///
    /// - rule: The `allow` that decided, as an index of `Ruleset.rules`.
    /// - signedInAt: The recorded sign-in that satisfied a `recentSignIn` in place of the credential's time.
    case allowed(rule: Int, signedInAt: Int64?)
    /// No condition is true.
    case denied(RuleDenial)
    /// A condition would be true if the user had signed in at most `maxAge` seconds ago, the greatest sufficient age.
    case needsRecentSignIn(maxAge: Int64, rule: Int)
    /// A condition would be true if the user had signed in with a second factor.
    case needsSecondFactor(rule: Int)
    /// The decision depends on the record of the last sign-in, which has to be read before another evaluation.
    case needsSignInRecord
    /// The decision depends on the record of the last sign-in, which cannot be read.
    case signInRecordUnavailable
}

/// The reason that no condition is true.
public struct RuleDenial: Sendable, Hashable {
    /// The reasons in increasing precedence.
    public enum Reason: UInt8, Sendable {
        /// No `match` has the path, or no matching one names the operation.
        case noRule
        /// All conditions are false.
        case conditionIsFalse
        /// At least one condition failed, and no other is true.
        case conditionFailed
        /// The request reached a limit.
        case limit
    }

    /// The reason.
    public var reason: Reason
    /// The last evaluated `allow`, or the one that failed, as an index of `Ruleset.rules`. `nil` if no `allow` was
    /// evaluated.
    public var rule: Int?

    /// Creates a denial.
    public init(_ reason: Reason, rule: Int? = nil) {
        self.reason = reason
        self.rule = rule
    }
}
