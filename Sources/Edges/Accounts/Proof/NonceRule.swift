import GatewayCore
import JOSE

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
        let isHash = ConstantTime.equals(told.utf8, HexText.text(digest.bytes).utf8)
        let isRaw = ConstantTime.equals(told.utf8, raw.utf8)
        switch self {
        case .hashed: return isHash
        case .hashedOrExact: return isHash || isRaw
        }
    }
}
