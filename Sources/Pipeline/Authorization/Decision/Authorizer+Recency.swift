package import Authentication
package import GatewayCore
package import Revocation

extension Authorizer {
    package enum Recency {
        /// With the recorded sign-in, if the token's own time was not recent enough.
        case recent(UnixTime?)
        case tooOld
        /// The store's record says that the session was revoked. The view may not have received it yet.
        case ended
        case loading
        /// The store itself must be queried.
        case notQueried
        case unknown(StoreFailure)
    }

    /// Checks the sign-in time. The store is read only if the credential's own time is not recent enough.
    package func recency(
        _ maxAge: Int64, _ policy: RoutePolicy, _ facts: CredentialFacts, in context: DecisionContext
    ) -> Recency {
        let own = policy.needsAuthentication ? facts.authenticatedAt : facts.authTime
        if let own = own.known, isRecent(own, maxAge, now: context.now) { return .recent(nil) }
        // Without a session, the store has no record of a later sign-in.
        guard facts.hasSession else { return .tooOld }
        guard viewIsAuthoritative else { return recordedRecency(maxAge, policy, context) }
        guard let age = store.view.age(monotonicNow: context.monotonic) else {
            return context.mayWait ? .loading : .unknown(.notLoaded)
        }
        guard age <= maxStaleness else { return .unknown(.stale) }
        return recency(maxAge, policy, store.session(facts.sessionKey), now: context.now)
    }

    private func recordedRecency(_ maxAge: Int64, _ policy: RoutePolicy, _ context: DecisionContext) -> Recency {
        switch context.records {
        case .records(_, .record(revoked: true, _, _)?, _): .ended
        case .records(_, let session?, _): recency(maxAge, policy, session, now: context.now)
        case .failed(let failure): .unknown(failure)
        case .records, nil: .notQueried
        }
    }

    private func recency(
        _ maxAge: Int64, _ policy: RoutePolicy, _ session: SessionLookup, now: Int64
    ) -> Recency {
        switch session {
        case .none: return .tooOld
        case .faulty: return .unknown(.faultyRecord)
        case .record(_, let signedInAt, let isAuthenticated):
            guard let signedInAt, isAuthenticated || !policy.needsAuthentication,
                isRecent(signedInAt, maxAge, now: now)
            else { return .tooOld }
            return .recent(signedInAt)
        }
    }

    /// Checks `-skew <= now - t <= maxAge`. The skew applies to times in the future only.
    private func isRecent(_ time: UnixTime, _ maxAge: Int64, now: Int64) -> Bool {
        let age = time.age(at: now)
        return age >= -clockSkew && age <= maxAge
    }
}
