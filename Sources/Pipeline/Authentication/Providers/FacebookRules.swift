/// Facebook's Limited Login. Classic logins have no ID token.
struct FacebookRules: ProviderRules {
    let issuers: [String]
}
