package import GatewayCore

/// The reason why a credential was rejected: the code for the client, and the precise reason for the log.
package struct VerificationFailure: Error, Equatable, Sendable {
    /// The precise reason. It is logged and never sent to the client.
    package enum Reason: String, Sendable {
        case notCompactJWS = "not a compact JWS"
        case notBearerToken = "not a valid Bearer token"
        case noOpaqueProvider = "an opaque token without exactly one provider to introspect it"
        case customToken = "a custom token"
        case legacyCustomToken = "a legacy custom token"
        case noKeyID = "no kid"
        case algorithm = "the algorithm is not RS256"
        case type = "typ is not that of an ID token"
        case issuer = "iss is not the expected issuer"
        case audience = "aud is not an accepted audience"
        case subject = "sub is not 1 to 128 bytes of text"
        case userID = "user_id differs from sub"
        case unknownKey = "no key with this kid"
        case signature = "the signature is invalid"
        case expiryMissing = "exp is not an integer"
        case expired = "expired"
        case issuedAt = "iat is not an integer, or before 1970"
        case issuedInFuture = "iat is in the future"
        case notBefore = "nbf is not an integer, before 1970, or in the future"
        case authenticationTime = "auth_time is not an integer"
        case authenticatedInFuture = "auth_time is in the future, or before 1970"
        case firebaseMember = "the firebase member is malformed"
        case tenant = "another tenant"
        case routeProject = "a credential of another project than the route or the host requires, or of none"
        case routeTenant = "a credential of another tenant than the route or the host requires"
        case unlistedHost = "a credential on a host that identity.firebase.hosts does not list"
        case renamedUser = "the user had another name when the session started"
        case reservedUserID = "sub begins with the prefix of a configured provider"
        case hashing = "libcrypto failed to hash"
        case notUnsigned = "a signed token, but only unsigned emulator tokens are accepted"

        // The gateway's own session cookies.
        case sessionAlgorithm = "the algorithm is not ES256"
        case sessionSource = "src is not a valid session origin; cookies of earlier versions have none"
        case sessionStart = "src has no start time of the session"
        case sessionProvider = "the provider that started the session is no longer configured"
        case session = "sid is not 1 to 128 bytes of text"

        case unlinked = "the identity belongs to no account"

        // Providers' own ID tokens.
        case providerAlgorithm = "the algorithm is not accepted for this provider"
        case eventToken = "a logout or security event token"
        case accessToken = "not an ID token but an access token or another kind of token"
        case microsoftAccessToken =
            "a Microsoft access token or v1.0 token, which does not prove for which client it was issued"
        case issuerSlash = "iss differs from the configured issuer only by a trailing slash"
        case authorizedParty = "azp is not one of the audiences and authorized parties"
        case authorizedPartyMissing = "several audiences without azp"
        case hostedDomain = "hd is not the hosted domain"
        case version = "ver is not 2.0"
        case tenantID = "tid is not a GUID in lower case"
        case foreignTenant = "tid is not one of the accepted tenants"
        case objectID = "oid is not a GUID in lower case"
        case keyIssuer = "the key is not of this issuer"
        case providerSubject = "sub is not 1 to 255 bytes of text"
        case derivedUserID = "the uid derived from provider and subject exceeds 128 bytes"
        case notOpaqueToken = "not a valid opaque token"
        case inactive = "the provider reports the token as inactive"
        case tokenType = "a token of another type"
        case senderConstrained = "the token is sender-constrained, which is not supported"
    }

    package var code: DecisionCode
    package var reason: Reason
    /// The project of a Firebase token that was rejected because it is not a configured one. `nil` if it is unknown, or
    /// only one project is configured.
    package var project: String?

    /// The reason for the log, with the project.
    package var text: String {
        reason.rawValue + (project.map { ": a token of the project \($0), which is not configured" } ?? "")
    }

    package init(code: DecisionCode, reason: Reason) {
        self.code = code
        self.reason = reason
    }
}
