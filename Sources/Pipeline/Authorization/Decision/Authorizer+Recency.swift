package import Authentication
package import GatewayCore
package import Revocation

extension Authorizer {
    package enum Recency {
        /// With the recorded sign-in, where the token's own time did not suffice.
        case recent(UnixTime?)
        case tooOld
        /// The store's own record says that the session was revoked, which its view may not know yet.
        case ended
        case loading
        /// Only the store itself knows.
        case notAsked
        case unknown(StoreFailure)
    }

    /// The store is read only where the credential's own time does not suffice.
    package func recency(
        _ maxAge: Int64, _ policy: RoutePolicy, _ standing: CredentialFacts, in context: DecisionContext
    ) -> Recency {
        let own = policy.needsAuthentication ? standing.authenticatedAt : standing.authTime
        if let own = own.known, isRecent(own, maxAge, now: context.now) { return .recent(nil) }
        // Without a session there is nothing that a later proof could be recorded for.
        guard standing.hasSession else { return .tooOld }
        guard viewIsAuthoritative else { return recordedRecency(maxAge, policy, context) }
        guard let age = store.view.age(monotonicNow: context.monotonic) else {
            return context.mayWait ? .loading : .unknown(.notLoaded)
        }
        guard age <= maxStaleness else { return .unknown(.stale) }
        return recency(maxAge, policy, store.session(standing.sessionKey), now: context.now)
    }

    private func recordedRecency(_ maxAge: Int64, _ policy: RoutePolicy, _ context: DecisionContext) -> Recency {
        switch context.answer {
        case .records(_, .record(revoked: true, _, _)?, _): .ended
        case .records(_, let session?, _): recency(maxAge, policy, session, now: context.now)
        case .failed(let failure): .unknown(failure)
        case .records, nil: .notAsked
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

    /// `-skew <= now - t <= maxAge`; the skew counts once, on the future's side.
    private func isRecent(_ time: UnixTime, _ maxAge: Int64, now: Int64) -> Bool {
        let age = time.age(at: now)
        return age >= -clockSkew && age <= maxAge
    }
}
