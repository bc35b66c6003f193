import GatewayConfiguration
import GatewayCore
package import JOSE

/// A verifier of ID tokens that one provider issued for the gateway.
///
/// It is a pure function of the token, the provider's keys and the current time, without clock, network or log. The
/// common checks are here; provider-specific ones are in `ProviderRules`.
package struct ProviderVerifier: ClaimChecks {
    /// The provider's ID, such as `apple.com`: `sign_in_provider`.
    package let id: String
    /// The accepted `aud` values.
    package let audiences: [String]
    /// The accepted `azp` values: the audiences, and other clients that may request tokens for them.
    package let parties: [String]
    package let algorithms: SignatureAlgorithms
    let secondFactor: Configuration.Provider.SecondFactor
    package let rules: any ProviderRules
    package let clockSkew: Int64
    /// The index of the key set in the key coordinator.
    package let keySet: Int

    /// A provider's ID token is accepted in the header only.
    package var kind: CredentialKind { .idToken }

    /// Creates the verifier. `nil` if no ID tokens of the provider are accepted.
    init?(_ provider: Configuration.Provider, clockSkew: Int64, keySet: Int) {
        guard let tokens = provider.idTokens, let rules = Self.rules(of: provider.kind, tokens) else { return nil }
        id = provider.id
        audiences = tokens.audiences
        parties = tokens.audiences + tokens.authorizedParties
        algorithms = tokens.algorithms.map { .only($0) } ?? rules.algorithms
        secondFactor = tokens.secondFactor
        self.rules = rules
        self.clockSkew = clockSkew
        self.keySet = keySet
    }

    private static func rules(
        of kind: Configuration.Provider.Kind, _ tokens: Configuration.Provider.IDTokens
    ) -> (any ProviderRules)? {
        switch kind {
        case .apple: AppleRules(issuers: tokens.issuers)
        case .google: GoogleRules(issuers: tokens.issuers, hostedDomain: tokens.hostedDomain)
        case .microsoft: MicrosoftRules(template: tokens.issuers.first ?? "", tenants: tokens.tenants)
        case .facebook: FacebookRules(issuers: tokens.issuers)
        case .yahoo: YahooRules(issuers: tokens.issuers)
        case .linkedin: LinkedInRules(issuers: tokens.issuers)
        case .oidc: OIDCRules(issuers: tokens.issuers)
        case .github, .oauth: nil
        }
    }

    /// Runs the checks that need no key, cheapest first, so that garbage costs little. Returns the key ID.
    func checkBeforeSignature(_ token: UnverifiedJWS, _ view: KeySetView) throws(VerificationFailure) -> String {
        let claims = token.payload.root
        try refuseCustomToken(token)
        let keyID = try keyID(of: token)
        _ = try algorithm(of: token, view)
        try checkType(of: token)
        try checkKind(claims)
        try checkIssuer(claims)
        try checkAudience(claims)
        try checkAuthorizedParty(claims)
        for rule in rules.claimRules { try check(rule, claims) }
        try checkSubject(claims)
        return keyID
    }

    /// Verifies the signature with the key of `view` that the token names, then checks the times.
    func verify(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        try checkKey(key, token.payload.root)
        let accepted = try accept(token, key: key, view)
        let claims = accepted.payload.root
        let expiresAt = try expiry(of: claims, now: now)
        let issuedAt = issueTime(try checkIssuedAt(claims, now: now), now: now)
        try checkNotBefore(claims, now: now)
        let authTime = try optionalAuthTime(of: claims, now: now)
        let identity = ProviderIdentity(
            provider: id, subject: rules.subject(of: claims), federatedID: rules.federatedID(of: claims),
            claims: accepted, rewritten: rules.rewritten(claims), authTime: authTime, issuedAt: issuedAt,
            expiresAt: expiresAt, hasSecondFactor: hasSecondFactor(claims))
        guard let principal = Principal(identity, hasher: hasher) else {
            throw VerificationFailure(code: .internalError, reason: .hashing)
        }
        return principal
    }

    /// Returns when a token was issued, from its `iat`; not later than now.
    private func issueTime(_ issuedAt: UnixTime, now: Int64) -> UnixTime {
        rules.issuedAtOffset == 0
            ? issuedAt : max(issuedAt, issuedAt.adding(rules.issuedAtOffset).notAfter(now))
    }

    /// Verifies the signature and returns the accepted claims.
    package func accept(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView
    ) throws(VerificationFailure) -> AcceptedClaims {
        guard let verified = token.verify(with: key, algorithm: try algorithm(of: token, view)) else {
            throw invalid(.signature)
        }
        return AcceptedClaims(signed: verified)
    }
}
