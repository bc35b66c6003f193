/// What rules say of a request.
public enum RuleVerdict: Sendable, Equatable {
    /// A condition is true.
    ///
    /// - rule: the `allow` that decided, by its number in `Ruleset.rules`.
    /// - signedInAt: the recorded sign-in that a `recentSignIn` passed by, where the credential's own time did not suffice.
    case allowed(rule: Int, signedInAt: Int64?)
    /// None is.
    case denied(RuleDenial)
    /// One would be true, had the user signed in at most `maxAge` seconds ago: the longest that suffices.
    case needsRecentSignIn(maxAge: Int64, rule: Int)
    /// One would be true, had the user signed in with a second factor.
    case needsSecondFactor(rule: Int)
    /// The record of the last sign-in decides, and was not read yet: read it and ask again.
    case needsSignInRecord
    /// It decides, and cannot be read.
    case signInRecordUnavailable
}

/// Why no condition is true.
public struct RuleDenial: Sendable, Hashable {
    /// The reasons, the strongest last.
    public enum Reason: UInt8, Sendable {
        /// No `match` has the path, or none of theirs names the operation.
        case noRule
        /// Conditions were asked, and are false.
        case conditionIsFalse
        /// Of those that are not true at least one failed.
        case conditionFailed
        /// A limit of the request was reached.
        case limit
    }

    /// Why.
    public var reason: Reason
    /// The last `allow` that was asked, or the one that failed, by its number in `Ruleset.rules`; nil: none was.
    public var rule: Int?

    /// A reason.
    public init(_ reason: Reason, rule: Int? = nil) {
        self.reason = reason
        self.rule = rule
    }
}
