import Authentication
import Authorization
import CivilCalendar
import GatewayCore

extension AuthorizationTranscript {
    /// Returns the step for the user's account at Identity Toolkit. `nil` if accounts are not looked up.
    func account() -> ExplanationStep? {
        let name = "account"
        guard queriesFirebase else {
            guard principal.facts.evidence != nil, policy.revocation != .off else { return nil }
            return ExplanationStep(
                .failed, name, "the identity belongs to the user by a link from Firebase, which is not queried")
        }
        guard policy.revocation != .off else {
            return ExplanationStep(.note, name, "not checked: the route has revocation: off")
        }
        guard principal.facts.isFirebase else {
            return ExplanationStep(.note, name, "not checked: the user has no Firebase account")
        }
        let decision = findings.lazy.compactMap { if case .account(let decision) = $0 { decision } else { nil } }.first
        switch firebase {
        case .irrelevant, .notQueried: return ExplanationStep(.unknown, name, "Firebase was not queried")
        case .failed(let why): return unavailable(name, why, decision)
        case .reported(.unavailable, let source):
            return unavailable(name, "\(source) returned no usable status", decision)
        case .reported(let status, let source):
            return ExplanationStep(
                decision == nil ? .passed : .failed, name, "\(words(status)), according to \(source)")
        }
    }

    private func unavailable(_ name: String, _ why: String, _ decision: Decision?) -> ExplanationStep {
        let policy = policy.allowsOnStoreFailure ? "allow" : "deny"
        return ExplanationStep(
            decision == nil ? .note : .failed, name,
            "Firebase could not be queried: \(why); the route has on_store_failure: \(policy)")
    }

    private func words(_ status: AccountStatus.State) -> String {
        switch status {
        case .account(_, disabled: true, _): return "the user is disabled in Firebase"
        case _ where principal.facts.evidence.map(status.lacks) ?? false:
            return "Firebase does not list the identity by which the credential belongs to the user"
        case .account(let since?, _, _):
            let count = "only sign-ins since \(RFC3339.text(since)) are valid"
            let validity = principal.facts.validityTime
            guard validity.isBefore(since) else { return "not disabled, and \(count)" }
            let signedIn = validity.known.map { "signed in at \(RFC3339.text($0))" } ?? "signed in at an unknown time"
            return "\(signedIn), and \(count): revoked since"
        case .account: return "not disabled, and nothing is revoked"
        case .missing: return "Firebase has no such account: it was deleted"
        case .unavailable: return "not known"
        }
    }
}
