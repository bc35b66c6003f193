package import GatewayCore
package import JOSE
package import Revocation

/// The verification of provider events. They are signed with the keys of ID tokens for the same audiences. The checks
/// are the same, except for claims that events lack.
extension ProviderVerifier {
    /// Runs the checks that need no key.
    ///
    /// - Parameter type: The only accepted `typ` in lower case, apart from `JWT` and none.
    /// - Returns: The key ID.
    package func checkEventBeforeSignature(
        _ token: UnverifiedJWS, type: String, _ view: KeySetView
    ) throws(VerificationFailure) -> String {
        let claims = token.payload.root
        let keyID = try keyID(of: token)
        _ = try algorithm(of: token, view)
        if token.type?.lowercased() != type { try checkType(of: token) }
        try checkIssuer(claims)
        try checkAudience(claims)
        // Events may omit restricted claims, such as Google's hosted domain.
        for rule in rules.claimRules where claims[rule.claim] != nil { try check(rule, claims) }
        return keyID
    }

    /// Verifies the signature, then checks the times: `iat` is required, `exp` optional.
    ///
    /// - Parameter key: The key of `view` that the token names.
    package func verifyEvent(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView, now: Int64
    ) throws(VerificationFailure) -> SignedEvent {
        try checkKey(key, token.payload.root)
        let claims = try accept(token, key: key, view).payload.root
        let expiresAt = claims["exp"] == nil ? nil : try expiry(of: claims, now: now)
        let issuedAt = try checkIssuedAt(claims, now: now)
        try checkNotBefore(claims, now: now)
        return SignedEvent(verifier: self, claims: claims, issuedAt: issuedAt, expiresAt: expiresAt)
    }
}

/// An event with verified signature, issuer, audience and times. Only a provider's verifier creates one.
package struct SignedEvent: Sendable {
    /// The verifier of the provider that issued the event.
    package let verifier: ProviderVerifier
    package let claims: JSONValue
    package let issuedAt: UnixTime
    package let expiresAt: UnixTime?

    fileprivate init(verifier: ProviderVerifier, claims: JSONValue, issuedAt: UnixTime, expiresAt: UnixTime?) {
        self.verifier = verifier
        self.claims = claims
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }

    /// Returns the identity that `claims`, or a part of them, name. An account may be linked to it.
    package func subject(in claims: JSONValue) throws(VerificationFailure) -> IdentityLink {
        try verifier.checkSubject(claims)
        return IdentityLink(provider: verifier.id, subject: verifier.rules.subject(of: claims))
    }
}
