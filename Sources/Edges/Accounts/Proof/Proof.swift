import Authentication
import GatewayCore
import JOSE
import Revocation

/// A credential whose token was verified: whom it names. It counts once its nonce was taken and its one use was made.
struct Proof: Sendable {
    let principal: Principal
    /// What the use of it is remembered by, and for how long, in seconds.
    let digest: SHA256Digest
    let lifetime: Int64
    /// Opaque tokens have no nonces.
    let isOpaque: Bool

    /// What the one use of a token is remembered by: of what has the form of a JWS its header and payload. Whoever has it can make another
    /// signature of some algorithms fit, but not change these.
    static func use(of token: [UInt8], isJWS: Bool) throws(AccountDenial) -> SHA256Digest {
        guard isJWS, let end = token.lastIndex(of: UInt8(ascii: ".")) else {
            return try AccountDenial.hash(token)
        }
        return try AccountDenial.hash(Array(token[..<end]))
    }

    /// When its user proved who they are. Only a nonce of ours ties the credential to something that the user just did.
    func signIn(hasNonce: Bool, now: Int64) -> SignInProof {
        guard hasNonce else { return SignInProof() }
        // A provider's clock may be ahead: nobody proved anything later than now.
        return SignInProof(
            authenticatedAt: principal.authTime?.notAfter(now),
            confirmedAt: principal.issuedAt?.notAfter(now))
    }

    /// When the credential was made: what it is compared with revocations by. Nil: nobody knows.
    ///
    /// An opaque token whose provider does not say it counts as made now. It proves something only the first time that it is presented, which is
    /// remembered for `StoreBounds.maximumLifetime`: one that proved something before a revocation does not do so after it within that time.
    ///
    /// A token with a nonce of ours was made for this call. Without one it may come from a refresh, and the older `auth_time` decides; but Google's
    /// is the age of the browser's session there, weeks old in an ordinary sign-in.
    func madeAt(hasNonce: Bool, now: Int64) -> UnixTime? {
        let isGoogle = principal.signInProvider?.isExactly("google.com") ?? false
        let time = hasNonce || isGoogle ? principal.issuedAt : principal.authTime ?? principal.issuedAt
        return time?.notAfter(now) ?? (isOpaque ? UnixTime(clamping: now) : nil)
    }

    /// What a session is that it begins.
    func origin() throws(AccountDenial) -> SessionOrigin {
        guard let origin = SessionOrigin(principal, isOpaque ? .accessToken : .idToken) else {
            throw .credential("no provider's token, or its claims are too large")
        }
        return origin
    }
}

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
            authenticatedAt.age(at: now) <= AccountDenial.recentSignIn || authenticatedAt >= confirmedAt ?? 0
        {
            return Latest(time: authenticatedAt, isAuthenticated: true)
        }
        return confirmedAt.map { Latest(time: $0, isAuthenticated: false) }
    }
}

/// Lets a verified proof count, once.
struct ProofRedeemer: Sendable {
    let verifier: ProofVerifier
    let nonces: Nonces
    /// Seconds since 1970.
    let now: @Sendable () -> Int64

    /// A proof whose token was verified and whose nonce is the token's; it was not used yet.
    struct Candidate: Sendable {
        let proof: Proof
        fileprivate let nonce: Nonces.Matched?
        fileprivate let verifiedAt: Int64

        /// When its user proved who they are, once it is used.
        var signIn: SignInProof { proof.signIn(hasNonce: nonce != nil, now: verifiedAt) }
        /// When it was made, for revocations.
        var madeAt: UnixTime? { proof.madeAt(hasNonce: nonce != nil, now: verifiedAt) }
    }

    /// - Parameter provider: the one that the request names.
    func candidate(_ request: ProofRequest, provider: String, for network: PeerNetwork) async throws -> Candidate {
        let proof = try await verifier.verify(request, provider: provider, for: network)
        return Candidate(proof: proof, nonce: try nonces.match(request.nonce, with: proof), verifiedAt: now())
    }

    /// Makes the one use of it: after all that is to be checked of it, before all that it leads to.
    func use(_ candidate: Candidate, for purpose: Nonces.Purpose) async throws {
        if let nonce = candidate.nonce { try await nonces.take(nonce, for: purpose) }
        let proof = candidate.proof
        guard try await nonces.store.markSeen(proof.digest, lifetime: proof.lifetime) else {
            throw AccountDenial(
                .invalidNonce, reason: "duplicate: the credential was used before",
                detail: "Duplicate credential: it was used before. Get a new one from the provider, with a new nonce.")
        }
    }
}
