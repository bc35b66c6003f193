import JOSE

/// Any OpenID Connect provider (`oidc.NAME`), strictly by OpenID Connect Core 1.0.
struct OIDCRules: ProviderRules {
    /// The claims for the scopes of an access token (RFC 9068 section 2.2.3, and another spelling). ID tokens have
    /// neither.
    private static let accessClaims = ["scope", "scp"]
    /// Keycloak's values of the claim `typ` in tokens other than ID tokens.
    private static let otherTypes = ["Bearer", "DPoP", "Refresh", "Offline", "Logout"]

    let issuers: [String]

    var algorithms: SignatureAlgorithms { .listed }
    var takesAudienceLists: Bool { true }

    /// Rejects access tokens. Some providers omit `at+jwt` in their header, and their audience may be one of ours.
    func kindFailure(_ claims: JSONValue) -> VerificationFailure.Reason? {
        if Self.accessClaims.contains(where: { claims[$0] != nil }) { return .accessToken }
        // `token_use` is a claim of Amazon Cognito.
        if let use = claims["token_use"], !use.equals("id") { return .accessToken }
        let isOther = Self.otherTypes.contains { claims["typ"]?.equals($0) == true }
        return isOther ? .accessToken : nil
    }
}
