package import JOSE

/// Sign in with Apple.
package struct AppleRules: ProviderRules {
    package let issuers: [String]

    /// The domain of the addresses that Apple makes for users who hide theirs.
    package static let relayDomain = "privaterelay.appleid.com"

    /// Apple writes Booleans as strings in some tokens, and leaves `is_private_email` out of some.
    package func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] {
        var rewritten = ClaimText.booleans(["email_verified", "is_private_email"], in: claims)
        if claims["is_private_email"] == nil, let email = claims["email"]?.string {
            let isPrivate = ClaimText.isAddress(email, at: Self.relayDomain)
            rewritten.append(("is_private_email", Array("\(isPrivate)".utf8)))
        }
        return rewritten
    }
}
