import GatewayCore

extension Configuration.Accounts {
    private static let maximumPreviousKeys = 8
    private static let maximumOrigins = 64
    private static let rates = 1...100_000

    /// What the files hold is checked by who signs with them.
    init(_ mapping: MappingReader) {
        self.init()
        location = mapping.location(of: "session_key")
        mapping.set(&issuer, "issuer") { $0.string(atMost: 1_024) }
        mapping.set(&sessionKey, "session_key") { $0.string() }
        let current = sessionKey
        mapping.set(&previousSessionKeys, "previous_session_keys") {
            $0.keyFiles(atMost: Self.maximumPreviousKeys, besides: current)
        }
        mapping.set(&origins, "origins", Self.origins)
        mapping.set(&oneAccountPerEmail, "one_account_per_email") { $0.boolean() }
        mapping.set(&unlinked, "unlinked") { $0.choice() }
        mapping.set(&hideAccountExistence, "hide_account_existence") { $0.boolean() }
        mapping.set(&callsPerAddress, "calls_per_address") { $0.integer(in: Self.rates) }
        mapping.set(&callsPerAccount, "calls_per_account") { $0.integer(in: Self.rates) }
    }

    private static func origins(_ value: ConfigurationValue) -> [String]? {
        guard let origins = value.oneOrList({ $0.origin() }) else { return nil }
        guard origins.count <= maximumOrigins else {
            return value.fail("\(value.name) has more than \(maximumOrigins) origins", "remove some")
        }
        return origins
    }
}

extension Configuration.Accounts {
    /// Reports what does not go with the rest of the file.
    ///
    /// - Parameter place: where `accounts` stands.
    func check(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration, hasIdentity: Bool) {
        checkKeys(mapping, at: place, others)
        if let issuer, let owner = others.identity.owner(ofIssuer: issuer) {
            mapping.context.fail(
                mapping.location(of: "issuer"), "accounts.issuer is the issuer of \(owner)",
                "name your own, as in https://api.example.com")
        }
        if others.identity.credentials.cookie == nil {
            mapping.context.fail(
                place, "accounts needs a session cookie, and identity.credentials.cookie is null",
                "name the cookie there, or remove accounts")
        }
        if !hasIdentity {
            mapping.context.fail(
                place, "accounts is on, and identity names nobody who could sign in",
                "add identity.firebase.project or an entry of identity.providers, or remove accounts")
        }
    }

    private func checkKeys(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration) {
        if case .redis = others.store, mapping.value("session_key") == nil {
            mapping.context.fail(
                place, "accounts.session_key is missing: a shared store holds no secrets",
                "add session_key: FILE, a private key (PEM, P-256) that all gateways have")
        }
        if let sessionKey, sessionKey == others.headers.assertion?.key {
            mapping.context.fail(
                mapping.location(of: "session_key"), "accounts.session_key is the key that signs assertions",
                "name a key of its own")
        }
        if mapping.value("previous_session_keys") != nil, mapping.value("session_key") == nil {
            mapping.context.fail(
                mapping.location(of: "previous_session_keys"),
                "accounts.previous_session_keys stands without session_key",
                "add session_key: FILE, or remove it")
        }
    }
}
