package import Authentication
import GatewayCore
import JOSE
import Revocation

/// The introspection of opaque tokens that calls present as proof.
package struct OpaqueProof: Sendable {
    /// The provider IDs, in the order of the checker's indices.
    private let providers: [String]
    private let checker: any OpaqueTokenChecking

    package init(providers: [String], checker: any OpaqueTokenChecking) {
        self.providers = providers
        self.checker = checker
    }

    /// The denial for a provider whose opaque tokens are not configured or never accepted, such as Microsoft, whose
    /// access tokens do not prove for which client they were issued.
    static let notTaken = AccountDenial(
        .operationNotAllowed, detail: "Access tokens of this provider are not accepted.")

    func check(_ text: String, provider: String, for network: PeerNetwork) async throws -> Proof {
        guard let place = providers.firstIndex(where: { $0.utf8.elementsEqual(provider.utf8) }) else {
            throw Self.notTaken
        }
        let token = Array(text.utf8)
        guard OpaqueToken.isWellFormed(token) else {
            throw AccountDenial.credential("not a valid opaque token")
        }
        let digest = try AccountDenial.hash(token)
        let verdict = await withCheckedContinuation { continuation in
            checker.check(token, key: digest, provider: place, for: network) { continuation.resume(returning: $0) }
        }
        switch verdict {
        case .accepted(let identity, _):
            // Access tokens may be JWS as well, although only their issuer interprets them.
            return try proof(
                of: identity, try Proof.use(of: token, isJWS: token.withUnsafeBytes(CompactShape.isJWT)))
        case .refused(let failure, _): throw AccountDenial(failure)
        case .unavailable(let why, let retryAfter, _):
            throw AccountDenial(Denial(.introspectionUnavailable, retryAfter: retryAfter), reason: why)
        }
    }

    /// Creates the proof. Many opaque tokens never expire, so that their use is recorded for the maximum time.
    private func proof(of identity: ProviderIdentity, _ digest: SHA256Digest) throws(AccountDenial) -> Proof {
        guard let hasher = SHA256Hasher(), let principal = Principal(identity, hasher: hasher) else {
            throw .credential("the provider's claims are too large, or the uid would exceed 128 bytes")
        }
        return Proof(
            principal: principal, digest: digest, lifetime: StoreBounds.maximumLifetime, isOpaque: true)
    }
}
