import JOSE

/// Sign In with LinkedIn using OpenID Connect.
struct LinkedInRules: ProviderRules {
    let issuers: [String]

    /// LinkedIn writes this Boolean as a string.
    func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] {
        ClaimText.booleans(["email_verified"], in: claims)
    }
}
