import GatewayConfiguration
import GatewayCore
package import JOSE

/// Decides whether a token is an ID token of one provider, issued for us.
///
/// A pure function of the token, the provider's keys and now: no clock, network or log inside. One shape for all providers; what differs is in
/// their `ProviderRules`.
package struct ProviderVerifier: ClaimChecks {
    /// The provider's id, such as `apple.com`: `sign_in_provider`.
    package let id: String
    /// The `aud` values that count.
    package let audiences: [String]
    /// The `azp` values that count: the audiences, and who else may ask for tokens for them.
    package let parties: [String]
    package let algorithms: SignatureAlgorithms
    let secondFactor: Configuration.Provider.SecondFactor
    package let rules: any ProviderRules
    package let clockSkew: Int64
    /// Which key set verifies, as numbered by the key coordinator.
    package let keySet: Int

    /// A provider's ID token counts in the header only.
    package var kind: CredentialKind { .idToken }

    /// Nil for a provider none of whose ID tokens count.
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

    /// The checks that need no key, cheapest first, so that garbage costs little.
    ///
    /// - Returns: the key's id.
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

    /// Checks the signature, then what the claims say about time.
    ///
    /// - Parameter key: the key of `view` that the token names.
    func verify(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        try checkKey(key, token.payload.root)
        let accepted = try accept(token, key: key, view)
        let claims = accepted.payload.root
        let expiresAt = try expiry(of: claims, now: now)
        let issuedAt = issueTime(try checkIssuedAt(claims, now: now), now: now)
        try checkNotBefore(claims, now: now)
        let authTime = try authTimeIfTold(of: claims, now: now)
        let identity = ProviderIdentity(
            provider: id, subject: rules.subject(of: claims), federatedID: rules.federatedID(of: claims),
            claims: accepted, rewritten: rules.rewritten(claims), authTime: authTime, issuedAt: issuedAt,
            expiresAt: expiresAt, hasSecondFactor: hasSecondFactor(claims))
        guard let principal = Principal(identity, hasher: hasher) else {
            throw VerificationFailure(code: .internalError, reason: .hashing)
        }
        return principal
    }

    /// When a token was issued, by its `iat`: not later than now.
    private func issueTime(_ issuedAt: UnixTime, now: Int64) -> UnixTime {
        rules.issuedAtOffset == 0
            ? issuedAt : max(issuedAt, issuedAt.adding(rules.issuedAtOffset).notAfter(now))
    }

    /// The signature's verdict: what makes claims of a token's text.
    package func accept(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView
    ) throws(VerificationFailure) -> AcceptedClaims {
        guard let verified = token.verify(with: key, algorithm: try algorithm(of: token, view)) else {
            throw invalid(.signature)
        }
        return AcceptedClaims(signed: verified)
    }
}
