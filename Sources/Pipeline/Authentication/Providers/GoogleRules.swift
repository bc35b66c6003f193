import JOSE

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
