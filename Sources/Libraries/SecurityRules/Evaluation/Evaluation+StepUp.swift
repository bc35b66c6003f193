extension Evaluation {
    /// Which other sign-in would let the request pass; nil: none would.
    ///
    /// Each assumption is asked with limits of its own; at most two for each duration that conditions ask for, and four besides.
    mutating func stepUp(_ program: Program) -> RuleVerdict? {
        let (recency, factor) = (signIn.wasNotRecent, signIn.lackedSecondFactor)
        guard recency || factor, isSignedIn() else { return nil }
        let limits = (expressionsLeft, work)
        defer {
            (expressionsLeft, work) = limits
            signIn.assumedAge = nil
            signIn.assumesSecondFactor = false
        }
        if recency, let verdict = recentSignInThatSuffices(program) { return verdict }
        if factor {
            switch ask(program, age: nil, secondFactor: true) {
            case .allowed(let rule, _): return .needsSecondFactor(rule: rule)
            // Then the store's answer decides what is missing.
            case .needsSignInRecord: return .needsSignInRecord
            case .signInRecordUnavailable: return .signInRecordUnavailable
            default: break
            }
        }
        return signIn.lackedSecondFactor ? recentSignInThatSuffices(program, secondFactor: true) : nil
    }

    /// The longest time ago that the user may have signed in, of those that conditions ask for.
    private mutating func recentSignInThatSuffices(_ program: Program, secondFactor: Bool = false) -> RuleVerdict? {
        guard let rule = allows(program, age: 0, secondFactor: secondFactor) else { return nil }
        for age in signIn.ages.sorted(by: >) {
            if let rule = allows(program, age: age, secondFactor: secondFactor) {
                return .needsRecentSignIn(maxAge: age, rule: rule)
            }
        }
        return .needsRecentSignIn(maxAge: 0, rule: rule)
    }

    /// The rule that is true under an assumption.
    private mutating func allows(_ program: Program, age: Int64?, secondFactor: Bool) -> Int? {
        guard case .allowed(let rule, _) = ask(program, age: age, secondFactor: secondFactor) else { return nil }
        return rule
    }

    /// What rules say under an assumption.
    private mutating func ask(_ program: Program, age: Int64?, secondFactor: Bool) -> RuleVerdict {
        renewLimits()
        signIn.assumedAge = age
        signIn.assumesSecondFactor = secondFactor
        recorder?.begin(.assuming(signedInAgo: age, secondFactor: secondFactor))
        return ask(program)
    }
}
