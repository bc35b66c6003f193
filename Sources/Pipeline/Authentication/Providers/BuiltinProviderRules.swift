package import JOSE

/// Sign in with Apple.
package struct AppleRules: ProviderRules {
    package let issuers: [String]

    /// The domain of the relay addresses for users who hide their own.
    package static let relayDomain = "privaterelay.appleid.com"

    /// Returns Booleans that Apple writes as strings in some tokens, and `is_private_email`, which is missing in some.
    package func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] {
        var rewritten = ClaimText.booleans(["email_verified", "is_private_email"], in: claims)
        if claims["is_private_email"] == nil, let email = claims["email"]?.string {
            let isPrivate = ClaimText.isAddress(email, at: Self.relayDomain)
            rewritten.append(("is_private_email", Array("\(isPrivate)".utf8)))
        }
        return rewritten
    }
}

/// Facebook's Limited Login. Classic logins have no ID token.
struct FacebookRules: ProviderRules {
    let issuers: [String]
}

/// Google's ID tokens.
struct GoogleRules: ProviderRules {
    let issuers: [String]
    let claimRules: [ClaimRule]

    /// Creates the rules. `hostedDomain` is the required Workspace domain, `nil` if any account is accepted. The domain
    /// of the address proves nothing.
    init(issuers: [String], hostedDomain: String?) {
        self.issuers = issuers
        claimRules =
            hostedDomain.map { domain in
                [ClaimRule(claim: "hd", expected: domain) { $0["hd"]?.equals(domain) == true ? nil : .hostedDomain }]
            } ?? []
    }
}

/// Sign In with LinkedIn using OpenID Connect.
struct LinkedInRules: ProviderRules {
    let issuers: [String]

    /// Returns the Boolean that LinkedIn writes as a string.
    func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] {
        ClaimText.booleans(["email_verified"], in: claims)
    }
}

/// Yahoo's ID tokens. The key set also has RSA keys, but ID tokens are signed with ES256.
struct YahooRules: ProviderRules {
    let issuers: [String]

    var algorithms: SignatureAlgorithms { .only([.es256]) }
}

/// Conversions of text in providers' claims.
package enum ClaimText {
    /// Returns the Boolean value of each claim of `names` that is the string `"true"` or `"false"`.
    static func booleans(_ names: [String], in claims: JSONValue) -> [(name: String, json: [UInt8])] {
        names.compactMap { name in
            guard let claim = claims[name] else { return nil }
            if claim.equals("true") { return (name, Array("true".utf8)) }
            if claim.equals("false") { return (name, Array("false".utf8)) }
            return nil
        }
    }

    /// Returns whether an address has exactly this domain: one `@`, a non-empty local part, and the domain's bytes.
    package static func isAddress(_ address: String, at domain: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].elementsEqual(domain.utf8)
    }
}
