/// Why a credential was not accepted: the code that the client reads, and the precise reason for the log.
struct VerificationFailure: Error, Equatable, Sendable {
    /// The precise reason. It goes to the log, never to the client.
    enum Reason: String, Sendable {
        case notCompactJWS = "not a compact JWS"
        case notBearerToken = "not the text of a Bearer token"
        case noOpaqueProvider = "an opaque token, and no provider, or more than one, could be asked about it"
        case customToken = "a custom token"
        case legacyCustomToken = "a legacy custom token"
        case noKeyID = "no kid"
        case algorithm = "the algorithm is not RS256"
        case type = "typ is of another kind of token"
        case issuer = "another issuer"
        case audience = "another audience"
        case subject = "sub is not 1 to 128 bytes of text"
        case userID = "user_id differs from sub"
        case unknownKey = "no key with this kid"
        case signature = "the signature does not fit"
        case expiryMissing = "exp is not an integer"
        case expired = "expired"
        case issuedAt = "iat is not an integer"
        case issuedInFuture = "iat is in the future"
        case notBefore = "nbf is not an integer, or in the future"
        case authenticationTime = "auth_time is not an integer"
        case authenticatedInFuture = "auth_time is in the future"
        case firebaseMember = "the firebase member is malformed"
        case tenant = "another tenant"
        case hashing = "libcrypto could not hash"
        case notUnsigned = "a signed token where only the emulator's count"
    }

    var code: DecisionCode
    var reason: Reason
}
