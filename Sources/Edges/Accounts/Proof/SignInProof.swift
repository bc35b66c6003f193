import GatewayCore

/// When a user proved who they are, by each kind of proof.
///
/// When a token was made (`iat`, `created_at`, `issued_at`) is no proof by itself: tokens are renewed without their users.
struct SignInProof: Sendable, Equatable {
    /// When the user presented credentials, as the provider says (`auth_time`).
    var authenticatedAt: UnixTime?
    /// When a token with a fresh nonce of ours was made: the user's device had a session at the provider then, and took part.
    var confirmedAt: UnixTime?

    /// The time that counts as the sign-in.
    struct Latest: Sendable, Equatable {
        let time: UnixTime
        let isAuthenticated: Bool
    }

    /// The authentication, as long as calls take it for recent; else the later of both. Nil: nothing was proved.
    func latest(now: Int64) -> Latest? {
        if let authenticatedAt,
            authenticatedAt.age(at: now) <= Refusal.recentSignIn || authenticatedAt >= confirmedAt ?? 0
        {
            return Latest(time: authenticatedAt, isAuthenticated: true)
        }
        return confirmedAt.map { Latest(time: $0, isAuthenticated: false) }
    }
}
