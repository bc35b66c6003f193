package import GatewayCore
package import JOSE
package import Revocation

/// What a provider tells of its users: signed by the keys of its ID tokens, for the same audiences. The checks are the same, but for what an ID
/// token has and an event has not.
extension ProviderVerifier {
    /// The checks that need no key.
    ///
    /// - Parameter type: the one `typ`, in lower case, that counts besides JWT and none.
    /// - Returns: the key's id.
    package func checkEventBeforeSignature(
        _ token: UnverifiedJWS, type: String, _ view: KeySetView
    ) throws(VerificationFailure) -> String {
        let claims = token.payload.root
        let keyID = try keyID(of: token)
        _ = try algorithm(of: token, view)
        if token.type?.lowercased() != type { try checkType(of: token) }
        try checkIssuer(claims)
        try checkAudience(claims)
        // What they restrict, such as Google's domain, events need not tell.
        for rule in rules.claimRules where claims[rule.claim] != nil { try check(rule, claims) }
        return keyID
    }

    /// Checks the signature, then what the claims say about time: `iat` must be there, `exp` may.
    ///
    /// - Parameter key: the key of `view` that the token names.
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

/// An event whose signature, issuer, audience and times were verified. Only a provider's verifier makes one.
package struct SignedEvent: Sendable {
    /// Whose event it is.
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

    /// Whom `claims`, or a part of them, name, as an account may be linked to them.
    package func subject(in claims: JSONValue) throws(VerificationFailure) -> IdentityLink {
        try verifier.checkSubject(claims)
        return IdentityLink(provider: verifier.id, subject: verifier.rules.subject(of: claims))
    }
}
