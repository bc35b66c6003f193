package import SecurityRules

/// The rules of one route: a request passes if each ruleset permits it. A class, so that a policy holds it by one
/// reference.
package final class RouteRules: Sendable {
    /// The rulesets in order of evaluation: the rules file, then the route's own condition. At least one is present.
    package let rulesets: [Ruleset]
    /// Whether a decision may depend on the store's record of the last sign-in.
    package let needsSignInRecord: Bool

    package init(_ rulesets: [Ruleset]) {
        self.rulesets = rulesets
        needsSignInRecord = rulesets.contains(where: \.needsSignInRecord)
    }
}
