import Authentication
import GatewayCore
import Revocation

/// The start of sessions, in the store's order relative to revocations.
struct SessionStarter {
    /// The maximum number of attempts if the records of an identity and its user disagree about the start.
    private static let attempts = 4

    let parts: AccountParts

    /// Starts a session of a user.
    ///
    /// The credential is compared with the same records in which the session starts: an earlier revocation rejects it,
    /// a later one includes the session. The start is the same in both records. The link is checked last, because
    /// unlinking removes the link first and then revokes the identity's sessions.
    ///
    /// - Parameters:
    ///   - link: The identity whose credential starts the session.
    ///   - madeAt: When the credential was made. `nil` if it is unknown; then any revocation applies.
    /// - Returns: The start. `nil` if the identity is no longer linked to the user.
    func start(_ user: UserKey, _ link: IdentityLink, madeAt: UnixTime?) async throws -> UnixTime? {
        var start = UnixTime(clamping: parts.clock.now())
        for _ in 0..<Self.attempts {
            let identity = try await begin(UserKey(link), at: start, madeAt)
            start = try await begin(user, at: identity, madeAt)
            guard start == identity else { continue }
            return try await parts.store.owner(of: link) == user ? start : nil
        }
        throw AccountDenial(.overloaded, reason: "the account was repeatedly revoked concurrently")
    }

    /// Starts a session of a Firebase user.
    func start(_ user: UserKey, madeAt: UnixTime?) async throws -> UnixTime {
        try await begin(user, at: UnixTime(clamping: parts.clock.now()), madeAt)
    }

    private func begin(_ user: UserKey, at time: UnixTime, _ madeAt: UnixTime?) async throws -> UnixTime {
        let start = try await parts.store.beginSession(user, at: time.seconds)
        guard !start.record.disabled else { throw AccountDenial(.userDisabled) }
        if let since = start.record.credentialsSince, madeAt.map({ $0 < since }) ?? true {
            throw AccountDenial(
                CredentialKind.idToken.revokedCode, reason: "the credential was made before the revocation")
        }
        return start.started
    }
}
