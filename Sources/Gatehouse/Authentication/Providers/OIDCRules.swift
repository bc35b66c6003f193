/// Any OpenID Connect provider (`oidc.NAME`), by the letter of OpenID Connect Core 1.0.
struct OIDCRules: ProviderRules {
    let issuers: [String]

    var algorithms: SignatureAlgorithms { .listed }
    var takesAudienceLists: Bool { true }
}
