package import GatewayCore

extension Configuration {
    /// The gateway's own accounts and sessions (`accounts`), under `/.gatehouse/`.
    package struct Accounts: Sendable, Hashable {
        /// What a provider's token means whose user has no account (`unlinked`).
        package enum Unlinked: String, Sendable, Hashable, CaseIterable {
            /// It names the derived uid `PROVIDER:SUBJECT`.
            case derive
            /// It may not pass: 403.
            case deny
        }

        /// `iss` and `aud` of our tokens (`issuer`), at most 1,024 bytes. Default: nil, made once and kept in the store.
        package var issuer: String?
        /// The file with the private key of session cookies (`session_key`), PEM, P-256; required with Redis. Default: nil, made once and
        /// kept in the embedded store.
        package var sessionKey: String?
        /// Files with keys that signed before, whose cookies still count (`previous_session_keys`), at most 8. Default: none.
        package var previousSessionKeys: [String] = []
        /// Origins besides the request's own that browsers may call from (`origins`), as they are sent: `https://app.example`, at most 64.
        package var origins: [String] = []
        /// Whether an address belongs to one account (`one_account_per_email`). Default: true.
        package var oneAccountPerEmail = true
        /// What a provider's token means whose user has no account (`unlinked`). Default: derive.
        package var unlinked = Unlinked.derive
        /// Whether answers tell nothing of accounts that are not the caller's (`hide_account_existence`). Default: true.
        package var hideAccountExistence = true
        /// How many calls of accounts a client's network may make a minute (`calls_per_address`), 1 to 100,000. Default: 120.
        package var callsPerAddress = 120
        /// How many calls a minute may concern one account or identity (`calls_per_account`), 1 to 100,000. Default: 20.
        package var callsPerAccount = 20
        /// Whether `GET /.gatehouse/` shows the page to try it. Never set by a file: the demo's.
        package var demoPage: DemoPage?
        /// Where its key files are named.
        package var location = SourceLocation(origin: "accounts")

        /// The defaults.
        package init() {}
    }

    /// The page of the demo: complete, with its content security policy.
    package struct DemoPage: Sendable, Hashable {
        /// The HTML text.
        package var html: [UInt8]
        /// The value of `Content-Security-Policy`.
        package var policy: String

        /// A page.
        package init(html: [UInt8], policy: String) {
            self.html = html
            self.policy = policy
        }
    }
}

extension Configuration.Accounts {
    private static let maximumPreviousKeys = 8
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
        mapping.set(&origins, "origins") { $0.oneOrList(atMost: 64, of: "origins") { $0.origin() } }
        mapping.set(&oneAccountPerEmail, "one_account_per_email") { $0.boolean() }
        mapping.set(&unlinked, "unlinked") { $0.choice() }
        mapping.set(&hideAccountExistence, "hide_account_existence") { $0.boolean() }
        mapping.set(&callsPerAddress, "calls_per_address") { $0.integer(in: Self.rates) }
        mapping.set(&callsPerAccount, "calls_per_account") { $0.integer(in: Self.rates) }
    }

    /// Reports what does not go with the rest of the file.
    ///
    /// - Parameter place: where `accounts` stands.
    func check(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration, hasIdentity: Bool) {
        checkKeys(mapping, at: place, others)
        if let issuer, let owner = others.identity.owner(ofIssuer: issuer) {
            mapping.fail(
                "issuer", "accounts.issuer is the issuer of \(owner)", "name your own, as in https://api.example.com")
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
            mapping.fail(
                "session_key", "accounts.session_key is the key that signs assertions", "name a key of its own")
        }
        if mapping.value("previous_session_keys") != nil, mapping.value("session_key") == nil {
            mapping.fail(
                "previous_session_keys", "accounts.previous_session_keys stands without session_key",
                "add session_key: FILE, or remove it")
        }
    }
}
