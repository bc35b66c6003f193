import Authentication
import Authorization
import CivilCalendar
import GatewayCore
import Revocation

/// The findings of the authorization phases for one request, in order.
struct AuthorizationTranscript {
    let policy: RoutePolicy
    let principal: Principal
    let evidence: RecordEvidence
    let firebase: AccountEvidence
    /// Whether Firebase accounts are looked up.
    let queriesFirebase: Bool
    /// The store's records of the user.
    let records: StoreReader
    let now: Int64
    let findings: [AuthorizationFinding]

    /// Returns the steps up to the phase that decided, including a note for phases without anything to check.
    func steps(until last: DecisionPhase) -> [ExplanationStep] {
        DecisionPhase.allCases.filter { $0 >= .revocation && $0 <= last }.compactMap { phase in
            switch phase {
            case .revocation: revocation()
            case .account: account()
            case .provider: provider()
            case .scopes: scopes()
            case .recency: recency()
            case .secondFactor: secondFactor()
            default: nil
            }
        }
    }

    private func finding<Value>(_ read: (AuthorizationFinding) -> Value?) -> Value? {
        findings.lazy.compactMap(read).first
    }

    // MARK: - Revocation

    private func revocation() -> ExplanationStep? {
        let name = "revocation"
        guard policy.revocation != .off else {
            return ExplanationStep(.note, name, "not checked: the route has revocation: off")
        }
        switch finding({ if case .revocation(let result) = $0 { result } else { nil } }) {
        case .passes where !evidence.isKnown: return ExplanationStep(.unknown, name, evidence.source)
        case .passes: return ExplanationStep(.passed, name, "\(validSince); \(evidence.source)")
        case .revoked(.userDisabled):
            let isUser = if case .record(_, true) = records.user(principal.userKey) { true } else { false }
            let subject = isUser ? "the user" : "the identity that the user signed in with"
            return ExplanationStep(.failed, name, "\(subject) is disabled; \(evidence.source)")
        case .revoked: return ExplanationStep(.failed, name, "\(whyRevoked); \(evidence.source)")
        case .loading, .notQueried, .unknown, nil: return unreadable(name)
        }
    }

    private func unreadable(_ name: String) -> ExplanationStep {
        let isAllowed = policy.allowsOnStoreFailure
        return ExplanationStep(
            isAllowed ? .note : .failed, name,
            "the record of the user or the session is invalid; the route has on_store_failure: \(isAllowed ? "allow" : "deny")"
        )
    }

    private func validSince(_ key: StoreKey) -> UnixTime? {
        guard case .record(let validSince, _) = records.user(key) else { return nil }
        return validSince
    }

    private var validSince: String {
        validSince(principal.userKey).map { "sign-ins since \(RFC3339.text($0)) are valid" }
            ?? "the user has no revocation"
    }

    private var whyRevoked: String {
        let validity = principal.facts.validityTime
        let times = [principal.userKey, principal.facts.linkKey].compactMap(validSince)
        guard let since = times.first(where: validity.isBefore) else { return "this session was revoked" }
        if let start = principal.startedAt {
            return
                "the session started at \(RFC3339.text(start)), but only sessions after \(RFC3339.text(since)) are valid"
        }
        guard let time = validity.known else {
            return "the token has no sign-in time, and only sign-ins since \(RFC3339.text(since)) are valid"
        }
        let what = principal.authTime == nil ? "issued" : "signed in"
        return "\(what) at \(RFC3339.text(time)), but only sign-ins since \(RFC3339.text(since)) are valid"
    }

    // MARK: - How, and how recently, the user signed in

    private func provider() -> ExplanationStep? {
        let name = "providers"
        guard !policy.providers.isEmpty else {
            return ExplanationStep(.note, name, "not checked: any provider is accepted")
        }
        let used = principal.signInProvider.map { ShownText.quoted($0) } ?? "none"
        let wanted = policy.providers.joined(separator: ", ")
        return finding { if case .provider(let isPermitted) = $0 { isPermitted } else { nil } } == true
            ? ExplanationStep(.passed, name, "\(used) is one of \(wanted)")
            : ExplanationStep(.failed, name, "signed in with \(used), but only \(wanted) are accepted")
    }

    private func scopes() -> ExplanationStep? {
        let name = "scopes"
        guard !policy.scopes.isEmpty else { return ExplanationStep(.note, name, "not required by this route") }
        let tokenScopes = "the token has \(ShownText.list(principal.scopes))"
        let wanted = policy.scopes.joined(separator: ", ")
        return finding { if case .scopes(let isPermitted) = $0 { isPermitted } else { nil } } == true
            ? ExplanationStep(.passed, name, "\(wanted): \(tokenScopes)")
            : ExplanationStep(.failed, name, "\(tokenScopes), but the route requires \(wanted)")
    }

    private func recency() -> ExplanationStep? {
        let name = "recent sign-in"
        guard let maxAge = policy.recentSignIn else {
            return ExplanationStep(.note, name, "not required by this route")
        }
        guard let authTime = principal.authTime else {
            return ExplanationStep(.failed, name, "the token has no sign-in time, so it is never recent")
        }
        let signedIn = "signed in \(HumanTime.moment(authTime.seconds, now: now))"
        let wanted = HumanTime.span(maxAge)
        switch finding({ if case .recency(let result) = $0 { result } else { nil } }) {
        case .recent(nil): return ExplanationStep(.passed, name, "\(signedIn); the maximum age is \(wanted)")
        case .recent(let recorded?):
            let proof = HumanTime.moment(recorded.seconds, now: now)
            return ExplanationStep(.passed, name, "proved again \(proof); \(evidence.source)")
        case .tooOld where !evidence.isKnown:
            return ExplanationStep(
                .unknown, name,
                "\(signedIn), and the maximum age is \(wanted); whether a later sign-in is recorded is unknown")
        case .tooOld:
            return ExplanationStep(
                .failed, name, "\(signedIn), and the maximum age is \(wanted); no later sign-in is recorded")
        case .ended, .loading, .notQueried, .unknown, nil:
            return ExplanationStep(.failed, name, "the session's record is invalid, so a later sign-in cannot be read")
        }
    }

    private func secondFactor() -> ExplanationStep? {
        let name = "second factor"
        guard policy.secondFactor else { return ExplanationStep(.note, name, "not required by this route") }
        return principal.hasSecondFactor
            ? ExplanationStep(.passed, name, "used")
            : ExplanationStep(.failed, name, "not used, but required by the route")
    }
}
