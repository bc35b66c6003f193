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

/// Facebook's Limited Login. Classic logins have no ID token.
struct FacebookRules: ProviderRules {
    let issuers: [String]
}

/// Google's ID tokens.
struct GoogleRules: ProviderRules {
    let issuers: [String]
    let claimRules: [ClaimRule]

    /// - Parameter hostedDomain: the Workspace domain that users must be of; nil: any account. The address's own domain proves nothing.
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

    /// LinkedIn writes this Boolean as a string.
    func rewritten(_ claims: JSONValue) -> [(name: String, json: [UInt8])] {
        ClaimText.booleans(["email_verified"], in: claims)
    }
}

/// Yahoo's ID tokens: its key set has RSA keys too, but what it signs is ES256.
struct YahooRules: ProviderRules {
    let issuers: [String]

    var algorithms: SignatureAlgorithms { .only([.es256]) }
}

/// Texts in providers' claims that stand for something else.
package enum ClaimText {
    /// The Booleans that `"true"` and `"false"` stand for, of those of `names` that are such strings.
    static func booleans(_ names: [String], in claims: JSONValue) -> [(name: String, json: [UInt8])] {
        names.compactMap { name in
            guard let claim = claims[name] else { return nil }
            if claim.equals("true") { return (name, Array("true".utf8)) }
            if claim.equals("false") { return (name, Array("false".utf8)) }
            return nil
        }
    }

    /// Whether an address has exactly this domain: one `@`, something before it, after it the domain's bytes and no more.
    package static func isAddress(_ address: String, at domain: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].elementsEqual(domain.utf8)
    }
}
