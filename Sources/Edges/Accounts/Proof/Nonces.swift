import TextCoding
import Authentication
import GatewayCore
import JOSE
import Revocation

/// Nonces that the gateway gives out, each for one proof.
struct Nonces: Sendable {
    /// What a nonce may be used for.
    enum Purpose: String, Sendable, CaseIterable {
        case signIn = "sign-in"
        case reauthenticate
        case link
    }

    /// The purpose of one that may be used for each of them.
    static let anyPurpose = "any"
    /// How long a nonce may be used, in seconds.
    static let lifetime: Int64 = 300

    /// A nonce that was found to be the one in a token, and is still to be taken.
    struct Matched: Sendable {
        fileprivate let digest: SHA256Digest
    }

    let store: any NonceStore

    /// A new one.
    func issue(for purpose: Purpose?) async throws -> (raw: String, digest: SHA256Digest) {
        let raw = RandomText.nonce()
        let digest = try AccountDenial.hash(Array(raw.utf8))
        try await store.putNonce(digest, purpose: purpose?.rawValue ?? Self.anyPurpose, lifetime: Self.lifetime)
        return (raw, digest)
    }

    /// Compares the raw nonce with the one in the token: either both are there, or neither.
    ///
    /// - Returns: nil where there are none.
    func match(_ raw: String?, with proof: Proof) throws(AccountDenial) -> Matched? {
        let claim = proof.isOpaque ? nil : proof.principal.claims.root["nonce"]
        switch (raw, claim) {
        case (nil, nil): return nil
        case (nil, _?): throw .nonce("the token has a nonce and the call has none")
        case (_?, nil): throw .nonce("the call has a nonce and the token has none")
        case (let raw?, let claim?):
            guard RandomText.isNonce(raw), let told = claim.string else { throw .nonce("no nonce of ours") }
            let digest = try AccountDenial.hash(Array(raw.utf8))
            let rule = NonceRule(provider: proof.principal.signInProvider ?? "")
            guard rule.matches(told, raw: raw, digest: digest) else { throw .nonce("another nonce than the token's") }
            return Matched(digest: digest)
        }
    }

    /// Takes a nonce: whoever takes it for something else than it was given out for has used it up.
    func take(_ nonce: Matched, for purpose: Purpose) async throws {
        guard let given = try await store.takeNonce(nonce.digest) else {
            throw AccountDenial.nonce("the nonce was never given out, is too old or was used")
        }
        let isRight = given.utf8.elementsEqual(purpose.rawValue.utf8) || given.utf8.elementsEqual(Self.anyPurpose.utf8)
        guard isRight else { throw AccountDenial.nonce("the nonce was given out for something else") }
    }
}

/// How a provider's token tells the nonce that its user's app was given.
enum NonceRule: Sendable {
    /// As the lower-case hexadecimal SHA-256 of it: what Firebase's guides have apps send to Apple.
    case hashed
    /// As that or as it is, since the provider repeats what the app sent, and SDKs send either.
    case hashedOrExact

    init(provider: String) {
        self = provider.utf8.elementsEqual("apple.com".utf8) ? .hashed : .hashedOrExact
    }

    /// Whether a token with this `nonce` was made for the raw one; in a time that depends on neither.
    func matches(_ told: String, raw: String, digest: SHA256Digest) -> Bool {
        let isHash = ConstantTime.equals(told.utf8, HexDigits.text(of: digest.bytes).utf8)
        let isRaw = ConstantTime.equals(told.utf8, raw.utf8)
        switch self {
        case .hashed: return isHash
        case .hashedOrExact: return isHash || isRaw
        }
    }
}
