package import GatewayCore

/// The reason why an App Check token was rejected. It is logged and never sent to the client.
package enum AppCheckFailure: String, Error, Sendable, CaseIterable {
    case repeated = "the field is repeated"
    case placeholder = "the placeholder of an SDK whose attestation failed"
    case notCompactJWS = "not a compact JWS"
    case algorithm = "the algorithm is not RS256"
    case type = "typ is not JWT"
    case noKeyID = "no kid"
    case issuer = "iss is not that of the project number"
    case audience = "aud is not a list with the project"
    case app = "sub is not a configured App ID"
    case unknownKey = "no key with this kid"
    case signature = "the signature is invalid"
    case expiryMissing = "exp is not an integer"
    case expired = "expired"
    case issuedAt = "iat is not an integer, or in the future"
    case notBefore = "nbf is not an integer, or in the future"
    case hashing = "libcrypto failed to hash"

    /// The code for the client.
    package var code: DecisionCode { self == .expired ? .appTokenExpired : .invalidAppToken }
}
