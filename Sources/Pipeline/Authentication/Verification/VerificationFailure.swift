package import GatewayCore

/// The reason why a credential was rejected: the code for the client, and the precise reason for the log.
package struct VerificationFailure: Error, Equatable, Sendable {
    /// The precise reason. It is logged and never sent to the client.
    package enum Reason: String, Sendable {
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
        case issuedAt = "iat is not an integer, or before 1970"
        case issuedInFuture = "iat is in the future"
        case notBefore = "nbf is not an integer, before 1970, or in the future"
        case authenticationTime = "auth_time is not an integer"
        case authenticatedInFuture = "auth_time is in the future, or before 1970"
        case firebaseMember = "the firebase member is malformed"
        case tenant = "another tenant"
        case reservedUserID = "sub begins as the uids of a provider's own tokens do"
        case hashing = "libcrypto could not hash"
        case notUnsigned = "a signed token where only the emulator's count"

        // The gateway's own session cookies.
        case sessionAlgorithm = "the algorithm is not ES256"
        case sessionSource = "src names no origin of sessions; cookies of earlier versions have none"
        case sessionStart = "src tells no time at which the session began"
        case sessionProvider = "the provider that began the session is not configured any more"
        case session = "sid is not 1 to 128 bytes of text"

        case unlinked = "the identity belongs to no account"

        // Providers' own ID tokens.
        case providerAlgorithm = "the algorithm is none that the provider signs with"
        case eventToken = "a logout or security event token"
        case accessToken = "an access token, or another one that is no ID token"
        case microsoftAccessToken =
            "a Microsoft access or v1.0 token: they are never taken, since nothing proves whom they were issued for"
        case issuerSlash = "the issuer is the configured one but for a slash at its end"
        case authorizedParty = "azp is none of the audiences and authorized parties"
        case authorizedPartyMissing = "several audiences and no azp"
        case hostedDomain = "hd is not the hosted domain"
        case version = "ver is not 2.0"
        case tenantID = "tid is not a GUID in lower case"
        case foreignTenant = "tid is none of the tenants"
        case objectID = "oid is not a GUID in lower case"
        case keyIssuer = "the key is not of this issuer"
        case providerSubject = "sub is not 1 to 255 bytes of text"
        case derivedUserID = "the uid of the provider and its subject is longer than 128 bytes"
        case notOpaqueToken = "no text that an opaque token can be"
        case inactive = "the provider says that the token does not count"
        case tokenType = "a token of another type"
        case senderConstrained = "the token is bound to a key whose proof is not asked for"
    }

    package var code: DecisionCode
    package var reason: Reason

    package init(code: DecisionCode, reason: Reason) {
        self.code = code
        self.reason = reason
    }
}
