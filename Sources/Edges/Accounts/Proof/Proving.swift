import GatewayCore
import JOSE
import Revocation

/// Lets a verified proof count, once.
struct Proving: Sendable {
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
            throw Refusal(
                .invalidNonce, reason: "duplicate: the credential was used before",
                detail: "Duplicate credential: it was used before. Get a new one from the provider, with a new nonce.")
        }
    }
}
