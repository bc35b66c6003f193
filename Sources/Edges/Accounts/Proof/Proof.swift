import Authentication
import GatewayCore
import JOSE
import Revocation

/// A verified credential. It becomes effective when its nonce is consumed and its single use is recorded.
struct Proof: Sendable {
    let principal: Principal
    /// The key under which the use is recorded, and the lifetime of the record in seconds.
    let digest: SHA256Digest
    let lifetime: Int64
    /// Opaque tokens have no nonce.
    let isOpaque: Bool

    /// Returns the key of a token's single use. For a JWS it covers only header and payload: some algorithms let anyone
    /// derive another valid signature, but not change these parts.
    static func use(of token: [UInt8], isJWS: Bool) throws(AccountDenial) -> SHA256Digest {
        guard isJWS, let end = token.lastIndex(of: UInt8(ascii: ".")) else {
            return try AccountDenial.hash(token)
        }
        return try AccountDenial.hash(Array(token[..<end]))
    }

    /// Returns the sign-in that the credential proves. Only a gateway nonce ties it to a recent action of the user.
    func signIn(hasNonce: Bool, now: Int64) -> SignInProof {
        guard hasNonce else { return SignInProof() }
        // A provider's clock may be ahead, so that times are limited to now.
        return SignInProof(
            authenticatedAt: principal.authTime?.notAfter(now),
            confirmedAt: principal.issuedAt?.notAfter(now))
    }

    /// Returns when the credential was made, for comparison with revocations. `nil` if the time is unknown.
    ///
    /// An opaque token without a time counts as made now. It proves an identity only on first use, which is recorded
    /// for `StoreBounds.maximumLifetime`. Within that time, a token used before a revocation cannot be used after it.
    ///
    /// A token with a gateway nonce was made for this call. Without a nonce it may come from a refresh, and the older
    /// `auth_time` applies. Google's `auth_time` is ignored: it is the age of the browser session, weeks in an ordinary
    /// sign-in.
    func madeAt(hasNonce: Bool, now: Int64) -> UnixTime? {
        let isGoogle = principal.signInProvider?.isExactly("google.com") ?? false
        let time = hasNonce || isGoogle ? principal.issuedAt : principal.authTime ?? principal.issuedAt
        return time?.notAfter(now) ?? (isOpaque ? UnixTime(clamping: now) : nil)
    }

    /// Returns the origin of a session that this credential starts.
    func origin() throws(AccountDenial) -> SessionOrigin {
        guard let origin = SessionOrigin(principal, isOpaque ? .accessToken : .idToken) else {
            throw .credential("not a provider's token, or its claims are too large")
        }
        return origin
    }
}

/// The times of a sign-in, by kind of proof.
///
/// The time at which a token was made (`iat`, `created_at`, `issued_at`) is no proof, because tokens are renewed
/// without the user.
struct SignInProof: Sendable, Equatable {
    /// When the user presented credentials, as stated by the provider (`auth_time`).
    var authenticatedAt: UnixTime?
    /// When a token with a fresh gateway nonce was made. The user's device had a session at the provider and took part.
    var confirmedAt: UnixTime?

    /// The effective sign-in time.
    struct Latest: Sendable, Equatable {
        let time: UnixTime
        let isAuthenticated: Bool
    }

    /// Returns the authentication if it is recent, otherwise the later of both. `nil` if no sign-in is proved.
    func latest(now: Int64) -> Latest? {
        if let authenticatedAt,
            authenticatedAt.age(at: now) <= AccountDenial.recentSignIn || authenticatedAt >= confirmedAt ?? 0
        {
            return Latest(time: authenticatedAt, isAuthenticated: true)
        }
        return confirmedAt.map { Latest(time: $0, isAuthenticated: false) }
    }
}

/// The verification and single use of proofs.
struct ProofRedeemer: Sendable {
    let verifier: ProofVerifier
    let nonces: Nonces
    /// Seconds since 1970.
    let now: @Sendable () -> Int64

    /// A proof with a verified token and a matching nonce, not used yet.
    struct Candidate: Sendable {
        let proof: Proof
        fileprivate let nonce: Nonces.Matched?
        fileprivate let verifiedAt: Int64

        /// The sign-in that the proof establishes when it is used.
        var signIn: SignInProof { proof.signIn(hasNonce: nonce != nil, now: verifiedAt) }
        /// When the credential was made, for comparison with revocations.
        var madeAt: UnixTime? { proof.madeAt(hasNonce: nonce != nil, now: verifiedAt) }
    }

    /// Verifies a proof of the named provider without using it.
    func candidate(_ request: ProofRequest, provider: String, for network: PeerNetwork) async throws -> Candidate {
        let proof = try await verifier.verify(request, provider: provider, for: network)
        return Candidate(proof: proof, nonce: try nonces.match(request.nonce, with: proof), verifiedAt: now())
    }

    /// Records the single use. Call it after all checks and before all effects.
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
