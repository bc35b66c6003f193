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
