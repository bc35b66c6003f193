package import SecurityRules

/// The rules of one route: a request passes when each ruleset lets it. An object, so that a policy holds it by one reference.
package final class RouteRules: Sendable {
    /// The rules file, then the route's own condition: one of them at least, in the order in which they are asked.
    package let rulesets: [Ruleset]
    /// Whether a decision may hang on the store's record of the last sign-in.
    package let needsSignInRecord: Bool

    package init(_ rulesets: [Ruleset]) {
        self.rulesets = rulesets
        needsSignInRecord = rulesets.contains(where: \.needsSignInRecord)
    }
}
