extension Configuration {
    /// The gateway's own accounts and sessions (`accounts`), under `/.gatehouse/`.
    public struct Accounts: Sendable, Hashable {
        /// What a provider's token means whose user has no account (`unlinked`).
        public enum Unlinked: String, Sendable, Hashable, CaseIterable {
            /// It names the derived uid `PROVIDER:SUBJECT`.
            case derive
            /// It may not pass: 403.
            case deny
        }

        /// `iss` and `aud` of our tokens (`issuer`), at most 1,024 bytes. Default: nil, made once and kept in the store.
        public var issuer: String?
        /// The file with the private key of session cookies (`session_key`), PEM, P-256; required with Redis. Default: nil, made once and
        /// kept in the embedded store.
        public var sessionKey: String?
        /// Files with keys that signed before, whose cookies still count (`previous_session_keys`), at most 8. Default: none.
        public var previousSessionKeys: [String] = []
        /// Origins besides the request's own that browsers may call from (`origins`), as they are sent: `https://app.example`, at most 64.
        public var origins: [String] = []
        /// Whether an address belongs to one account (`one_account_per_email`). Default: true.
        public var oneAccountPerEmail = true
        /// What a provider's token means whose user has no account (`unlinked`). Default: derive.
        public var unlinked = Unlinked.derive
        /// Whether answers tell nothing of accounts that are not the caller's (`hide_account_existence`). Default: true.
        public var hideAccountExistence = true
        /// How many calls of accounts a client's network may make a minute (`calls_per_address`), 1 to 100,000. Default: 120.
        public var callsPerAddress = 120
        /// How many calls a minute may concern one account or identity (`calls_per_account`), 1 to 100,000. Default: 20.
        public var callsPerAccount = 20
        /// Whether `GET /.gatehouse/` shows the page to try it. Never set by a file: the demo's.
        public var demoPage: DemoPage?
        /// Where its key files are named.
        public var location = SourceLocation(origin: "accounts")

        /// The defaults.
        public init() {}
    }

    /// The page of the demo: complete, with its content security policy.
    public struct DemoPage: Sendable, Hashable {
        /// The HTML text.
        public var html: [UInt8]
        /// The value of `Content-Security-Policy`.
        public var policy: String

        /// A page.
        public init(html: [UInt8], policy: String) {
            self.html = html
            self.policy = policy
        }
    }
}
