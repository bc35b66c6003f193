import JOSE

/// Any OpenID Connect provider (`oidc.NAME`), by the letter of OpenID Connect Core 1.0.
struct OIDCRules: ProviderRules {
    /// Claims that say what an access token was given for (RFC 9068 section 2.2.3, and its other spelling); ID tokens have none.
    private static let accessClaims = ["scope", "scp"]
    /// Keycloak's names of other tokens than ID tokens, in a claim called `typ`.
    private static let otherTypes = ["Bearer", "DPoP", "Refresh", "Offline", "Logout"]

    let issuers: [String]

    var algorithms: SignatureAlgorithms { .listed }
    var takesAudienceLists: Bool { true }

    /// Not every provider writes `at+jwt` into the header of access tokens, which may well be for one of our audiences.
    func kindFlaw(_ claims: JSONValue) -> VerificationFailure.Reason? {
        if Self.accessClaims.contains(where: { claims[$0] != nil }) { return .accessToken }
        // Amazon Cognito's.
        if let use = claims["token_use"], !use.equals("id") { return .accessToken }
        let isOther = Self.otherTypes.contains { claims["typ"]?.equals($0) == true }
        return isOther ? .accessToken : nil
    }
}
