import Authorization
import GatewayCore
import JOSE
import Revocation

@testable import Authentication
@testable import CoreFixtures

extension SDKCase {
    /// What Gatehouse answers: the authenticator's refusal, else the authorizer's decision.
    func code() throws -> DecisionCode {
        guard isSent else { return try decide(nil) }
        let authenticator = try authenticator()
        let outcome = Array(token.utf8).withUnsafeBytes {
            authenticator.authenticate($0, kind: kind, now: now, monotonic: 0, waitingSince: nil)
        }
        return switch outcome {
        case .verified(let entry): try decide(entry)
        case .refused(let failure): failure.code
        case .unavailable, .awaitKeys, .awaitOwner: .keysUnavailable
        }
    }

    private func authenticator() throws -> Authenticator {
        let host = kind == .idToken ? "securetoken.google.com" : "session.firebase.google.com"
        let verifier = FirebaseVerifier(
            kind: kind, issuer: issuer ?? "https://\(host)/\(project)", project: project, tenant: tenant,
            clockSkew: skew, insecureEmulator: emulator, keySet: 0)
        let authenticator = Authenticator(
            verifiers: VerifierTable([.firebase(verifier)]), keySets: 1, hasher: try SHA256Hasher.required(),
            counters: WorkerCounters(routes: 1, upstreams: 1),
            render: { _ in RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false) })
        authenticator.install(view, set: 0)
        return authenticator
    }

    private var view: KeySetView {
        switch keys {
        case .fetched:
            KeySetView(
                keys: Self.keySet, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
                usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        case .unavailable: KeySetView(completedFetches: 1, cooldownUntil: .max, nextFetchAt: .max)
        }
    }

    private func decide(_ identity: VerifiedTokenCache.Entry?) throws -> DecisionCode {
        let store = StoreView()
        if storeIsLoaded { store.setAlwaysFresh() } else { store.setStale() }
        if let user, let identity { store.setUser(identity.principal.userKey, to: RecordWord(user)) }
        var policy = RoutePolicy()
        policy.revocation = revocation
        let authorizer = Authorizer(store: store.reader(), clockSkew: skew, maxStaleness: 60)
        let context = DecisionContext(now: now, monotonic: 0, mayWait: false)
        return switch authorizer.decide(policy, identity: identity, in: context, storeFailure: { _ in }) {
        case .permit: .ok
        case .deny(let denial): denial.code
        case .awaitStore, .queryStore, .lookUp: .storeUnavailable
        }
    }
}
