import TextCoding
import Authentication
import GatewayCore
import JOSE
import Revocation

/// The nonces that the gateway issues, each for one proof.
struct Nonces: Sendable {
    /// The permitted use of a nonce.
    enum Purpose: String, Sendable, CaseIterable {
        case signIn = "sign-in"
        case reauthenticate
        case link
    }

    /// The purpose of a nonce that may be used for any call.
    static let anyPurpose = "any"
    /// The lifetime of a nonce, in seconds.
    static let lifetime: Int64 = 300

    /// A nonce that matches the one in a token but is not yet consumed.
    struct Matched: Sendable {
        fileprivate let digest: SHA256Digest
    }

    let store: any NonceStore

    /// Creates and stores a nonce.
    func issue(for purpose: Purpose?) async throws -> (raw: String, digest: SHA256Digest) {
        let raw = RandomText.nonce()
        let digest = try AccountDenial.hash(Array(raw.utf8))
        try await store.putNonce(digest, purpose: purpose?.rawValue ?? Self.anyPurpose, lifetime: Self.lifetime)
        return (raw, digest)
    }

    /// Compares the raw nonce with the one in the token. Either both are present or neither. Returns the matched nonce,
    /// or `nil` if neither is present.
    func match(_ raw: String?, with proof: Proof) throws(AccountDenial) -> Matched? {
        let claim = proof.isOpaque ? nil : proof.principal.claims.root["nonce"]
        switch (raw, claim) {
        case (nil, nil): return nil
        case (nil, _?): throw .nonce("the token has a nonce and the call has none")
        case (_?, nil): throw .nonce("the call has a nonce and the token has none")
        case (let raw?, let claim?):
            guard RandomText.isNonce(raw), let claimed = claim.string else {
                throw .nonce("not a nonce of this gateway")
            }
            let digest = try AccountDenial.hash(Array(raw.utf8))
            let rule = NonceRule(provider: proof.principal.signInProvider ?? "")
            guard rule.matches(claimed, raw: raw, digest: digest) else {
                throw .nonce("the nonce differs from the token's")
            }
            return Matched(digest: digest)
        }
    }

    /// Consumes a nonce. A nonce for another purpose is consumed too.
    func take(_ nonce: Matched, for purpose: Purpose) async throws {
        guard let stored = try await store.takeNonce(nonce.digest) else {
            throw AccountDenial.nonce("the nonce was never issued, has expired or was already used")
        }
        let isRight =
            stored.utf8.elementsEqual(purpose.rawValue.utf8) || stored.utf8.elementsEqual(Self.anyPurpose.utf8)
        guard isRight else { throw AccountDenial.nonce("the nonce was issued for another purpose") }
    }
}

/// The encoding of the nonce in a provider's token.
enum NonceRule: Sendable {
    /// The lower-case hexadecimal SHA-256, as Firebase's guides specify for Apple.
    case hashed
    /// The SHA-256 or the raw value. The provider copies what the app sent, and SDKs send either.
    case hashedOrExact

    init(provider: String) {
        self = provider.utf8.elementsEqual("apple.com".utf8) ? .hashed : .hashedOrExact
    }

    /// Returns whether a token's `nonce` is for the raw one, in constant time.
    func matches(_ claimed: String, raw: String, digest: SHA256Digest) -> Bool {
        let isHash = ConstantTime.equals(claimed.utf8, HexDigits.text(of: digest.bytes).utf8)
        let isRaw = ConstantTime.equals(claimed.utf8, raw.utf8)
        switch self {
        case .hashed: return isHash
        case .hashedOrExact: return isHash || isRaw
        }
    }
}
