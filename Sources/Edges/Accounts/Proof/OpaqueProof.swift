package import Authentication
import GatewayCore
import JOSE
import Revocation

/// Asks providers about opaque tokens that calls bring as proof.
package struct OpaqueProof: Sendable {
    /// The providers' ids, by the places that `checker` takes.
    private let providers: [String]
    private let checker: any OpaqueTokenChecking

    package init(providers: [String], checker: any OpaqueTokenChecking) {
        self.providers = providers
        self.checker = checker
    }

    /// Microsoft's, for one, are never taken: nothing proves whom they were issued for.
    static let notTaken = AccountDenial(
        .operationNotAllowed, detail: "Access tokens of this provider are not taken here.")

    func check(_ text: String, provider: String, for network: PeerNetwork) async throws -> Proof {
        guard let place = providers.firstIndex(where: { $0.utf8.elementsEqual(provider.utf8) }) else {
            throw Self.notTaken
        }
        let token = Array(text.utf8)
        guard OpaqueToken.isWellFormed(token) else {
            throw AccountDenial.credential("no text that an opaque token can be")
        }
        let digest = try AccountDenial.hash(token)
        let verdict = await withCheckedContinuation { continuation in
            checker.check(token, key: digest, provider: place, for: network) { continuation.resume(returning: $0) }
        }
        switch verdict {
        case .accepted(let identity, _):
            // Access tokens may be JWS too, which it takes its issuer to read.
            return try proof(
                of: identity, try Proof.use(of: token, isJWS: token.withUnsafeBytes(CompactShape.isJWT)))
        case .refused(let failure, _): throw AccountDenial(failure)
        case .unavailable(let why, let retryAfter, _):
            throw AccountDenial(Denial(.introspectionUnavailable, retryAfter: retryAfter), reason: why)
        }
    }

    /// Many such tokens never end: their use is remembered as long as anything is.
    private func proof(of identity: ProviderIdentity, _ digest: SHA256Digest) throws(AccountDenial) -> Proof {
        guard let hasher = SHA256Hasher(), let principal = Principal(identity, hasher: hasher) else {
            throw .credential("the provider tells more than can be kept, or the uid would be longer than 128 bytes")
        }
        return Proof(
            principal: principal, digest: digest, lifetime: StoreBounds.maximumLifetime, isOpaque: true)
    }
}
