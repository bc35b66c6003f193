import Authentication
import GatewayCore
import JOSE
import Revocation

/// Begins sessions in the order that the store gives them among revocations.
struct SessionStarter {
    /// How often the records of an identity and its user may disagree about the start.
    private static let attempts = 4

    let parts: AccountParts

    /// Begins a session of a user.
    ///
    /// The credential is compared with the very records in which the session begins: a revocation that comes before them refuses it, a later one
    /// covers the session. The start is the same in both records. The link is looked at last: whoever ends it removes it first and revokes the
    /// identity's sessions then.
    ///
    /// - Parameters:
    ///   - link: the identity whose credential begins it.
    ///   - madeAt: when the credential was made; nil: nobody knows, and any revocation counts.
    /// - Returns: when it began; nil: the identity is not linked to the user any more.
    func start(_ user: UserKey, _ link: IdentityLink, madeAt: UnixTime?) async throws -> UnixTime? {
        var start = UnixTime(clamping: parts.clock.now())
        for _ in 0..<Self.attempts {
            let identity = try await begin(UserKey(link), at: start, madeAt)
            start = try await begin(user, at: identity, madeAt)
            guard start == identity else { continue }
            return try await parts.store.owner(of: link) == user ? start : nil
        }
        throw AccountDenial(.overloaded, reason: "the account was revoked at the same time, again and again")
    }

    /// Begins a session of Firebase's user.
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
