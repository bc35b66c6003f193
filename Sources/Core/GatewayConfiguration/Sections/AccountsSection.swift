package import GatewayCore

extension Configuration {
    /// The gateway's own accounts and sessions (`accounts`), under `/.gatehouse/`.
    package struct Accounts: Sendable, Hashable {
        /// The meaning of a provider's token whose user has no account (`unlinked`).
        package enum Unlinked: String, Sendable, Hashable, CaseIterable {
            /// The user is the derived uid `PROVIDER:SUBJECT`.
            case derive
            /// The request is denied with 403.
            case deny
        }

        /// The issuer of the session cookies of `POST session` (`session_cookie`).
        package enum SessionCookie: String, Sendable, Hashable, CaseIterable {
            /// The gateway's own cookie.
            case gateway
            /// Firebase's cookie, which other services can verify too.
            case firebase
        }

        /// The meaning of a sign-in at a provider by a user who may have a Firebase account (`firebase_users`).
        package enum FirebaseUsers: String, Sendable, Hashable, CaseIterable {
            /// The gateway's accounts are apart from Firebase.
            case separate
            /// The user is the Firebase user who has the identity.
            case identity
            /// The user is the Firebase user who has the identity, or otherwise its verified address.
            case identityOrEmail = "identity_or_email"
        }

        /// When browsers send the session cookie with requests of other sites (`session_same_site`).
        package enum SameSite: String, Sendable, Hashable, CaseIterable {
            /// With navigations to a page of the gateway.
            case lax
            /// Never.
            case strict
        }

        /// `iss` and `aud` of the gateway's tokens (`issuer`), at most 1,024 bytes. Default: `nil`, created once and
        /// kept in the store.
        package var issuer: String?
        /// The file with the private key of session cookies (`session_key`), PEM, P-256. Required with Redis.
        /// Default: `nil`, created once and kept in the embedded store.
        package var sessionKey: String?
        /// Files with previous keys, whose cookies remain valid (`previous_session_keys`), at most 8. Default: none.
        package var previousSessionKeys: [String] = []
        /// The users of sign-ins at providers (`firebase_users`). Default: separate.
        package var firebaseUsers = FirebaseUsers.separate
        /// The issuer of the session cookies of `POST session` (`session_cookie`). Default: gateway.
        package var sessionCookie = SessionCookie.gateway
        /// When browsers send the session cookie with requests of other sites (`session_same_site`). Default: lax.
        package var sessionSameSite = SameSite.lax
        /// The maximum lifetime of a session, which is also its default (`session_lifetime`), 5 min to 365 d. Default:
        /// `nil`, at most 14 d and usually 5 d.
        package var sessionLifetime: Duration?
        /// How long a session lasts without requests (`session_idle`), 5 min to 365 d, shorter than the lifetime.
        /// Default: `nil`, the whole lifetime.
        package var sessionIdle: Duration?
        /// The URL that creates Firebase's session cookies (`session_cookie_url`). `{project}` is replaced by the
        /// project's id, and `/tenants/` and the tenant's id of a tenant's user. Default: `nil`, Google's.
        package var sessionCookieURL: String?
        /// The file with the gateway's credential at Google for these calls (`service_account`). Default: `nil`, that
        /// of `revocation`, otherwise the default credentials.
        package var serviceAccount: String?
        /// Origins other than the request's own that browsers may call from (`origins`), in the browsers' spelling:
        /// `https://app.example`, at most 64.
        package var origins: [String] = []
        /// The gateway's public origin (`public_url`), which the redirect URIs of the authorization-code flow begin
        /// with. Default: `nil`, the gateway runs no flow.
        package var publicURL: String?
        /// Origins other than `publicURL` to which a flow may return (`return_to`), at most 64. Default: none.
        package var returnTo: [String] = []
        /// URLs at which apps receive the end of a flow (`apps`), at most 64. Default: none.
        package var apps: [AppURL] = []
        /// Whether an e-mail address belongs to at most one account (`one_account_per_email`). Default: true.
        package var oneAccountPerEmail = true
        /// The meaning of a provider's token whose user has no account (`unlinked`). Default: derive.
        package var unlinked = Unlinked.derive
        /// Whether responses reveal nothing about other users' accounts (`hide_account_existence`). Default: true.
        package var hideAccountExistence = true
        /// The maximum number of account calls per minute from a client's network (`calls_per_address`), 1 to
        /// 100,000. Default: 120.
        package var callsPerAddress = 120
        /// The maximum number of calls per minute for one account or identity (`calls_per_account`), 1 to 100,000.
        /// Default: 20.
        package var callsPerAccount = 20
        /// The transmitters of security events (`transmitters`), at most 16. Default: none.
        package var transmitters: [Transmitter] = []
        /// The secrets that seal the kept tokens of providers (`token_keys`), at most 8. The first one seals. Default:
        /// none.
        package var tokenKeys: [Secret] = []
        /// The receiver of events about accounts (`webhook`). Default: `nil`, no events are sent.
        package var webhook: Webhook?
        /// The sign-in page at `GET /.gatehouse/` (`pages`). Default: `nil`, not served.
        package var page: Page?
        /// The demo page at `GET /`, and at `GET /.gatehouse/` without a sign-in page. Only the demo sets it, never a
        /// file.
        package var demoPage: DemoPage?
        /// The location of the setting with the key files.
        package var location = SourceLocation(origin: "accounts")

        /// Creates the defaults.
        package init() {}
    }

    /// The complete page of the demo, with its content security policy.
    package struct DemoPage: Sendable, Hashable {
        /// The HTML text.
        package var html: [UInt8]
        /// The value of `Content-Security-Policy`.
        package var policy: String

        /// Creates a page.
        package init(html: [UInt8], policy: String) {
            self.html = html
            self.policy = policy
        }
    }
}

extension Configuration.Accounts {
    /// Returns the URL that creates Firebase's session cookies.
    ///
    /// - Parameter emulator: The address of the Auth emulator, HOST:PORT. `nil` for Google.
    package func firebaseCookieURL(emulator: String?) -> String {
        let origin = emulator.map { "http://\($0)/" } ?? "https://"
        return sessionCookieURL ?? origin + "identitytoolkit.googleapis.com/v1/projects/{project}:createSessionCookie"
    }

    private static let maximumPreviousKeys = 8
    private static let rates = 1...100_000
    /// The permitted values of `session_lifetime` and `session_idle`.
    private static let sessionTimes = Duration.minutes(5) ... .days(365)
    /// The lifetime of a session if neither the configuration nor the request states one.
    private static let usualLifetime = Duration.days(5)
    /// The longest lifetime that a request may state without `session_lifetime`.
    private static let longestWithoutLimit = Duration.days(14)

    /// The lifetimes that a request may state, in seconds.
    package var lifetimes: ClosedRange<Int64> {
        300...(sessionLifetime ?? Self.longestWithoutLimit).components.seconds
    }

    /// The lifetime of a session whose request states none, in seconds.
    package var defaultLifetime: Int64 { (sessionLifetime ?? Self.usualLifetime).components.seconds }

    /// Reads the section. The code that signs with the key files checks their content.
    ///
    /// - Parameter identity: The providers whose users transmitters of events name.
    init(_ mapping: MappingReader, _ identity: Configuration.Identity) {
        self.init()
        location = mapping.location(of: "session_key")
        mapping.set(&issuer, "issuer") { $0.string(atMost: 1_024) }
        mapping.set(&sessionKey, "session_key") { $0.path() }
        let current = sessionKey
        mapping.set(&previousSessionKeys, "previous_session_keys") {
            $0.keyFiles(atMost: Self.maximumPreviousKeys, besides: current)
        }
        mapping.set(&firebaseUsers, "firebase_users") { $0.choice() }
        mapping.set(&sessionCookie, "session_cookie") { $0.choice() }
        mapping.set(&sessionSameSite, "session_same_site") { $0.choice() }
        mapping.set(&sessionLifetime, "session_lifetime") { $0.duration(in: Self.sessionTimes) }
        mapping.set(&sessionIdle, "session_idle") { $0.duration(in: Self.sessionTimes) }
        mapping.set(&sessionCookieURL, "session_cookie_url") {
            $0.trustedURL(allowsPlainHTTP: false, .readSecrets, remedy: "use https://, or http:// to this machine")
        }
        mapping.set(&serviceAccount, "service_account") { $0.path() }
        mapping.set(&origins, "origins") { $0.oneOrList(atMost: 64, of: "origins") { $0.origin() } }
        mapping.set(&publicURL, "public_url") { $0.publicOrigin() }
        mapping.set(&returnTo, "return_to") { $0.oneOrList(atMost: 64, of: "origins") { $0.origin() } }
        mapping.set(&apps, "apps") { $0.oneOrList(atMost: 64, of: "URLs") { $0.appURL() } }
        mapping.set(&oneAccountPerEmail, "one_account_per_email") { $0.boolean() }
        mapping.set(&unlinked, "unlinked") { $0.choice() }
        mapping.set(&hideAccountExistence, "hide_account_existence") { $0.boolean() }
        mapping.set(&callsPerAddress, "calls_per_address") { $0.integer(in: Self.rates) }
        mapping.set(&callsPerAccount, "calls_per_account") { $0.integer(in: Self.rates) }
        mapping.set(&tokenKeys, "token_keys", Self.tokenKeys)
        mapping.set(&webhook, "webhook") { value in value.mapping(.webhook).flatMap(Configuration.Webhook.read) }
        page = Page.read(mapping)
        mapping.set(&transmitters, "transmitters") { Configuration.Transmitter.all($0, identity) }
    }

    /// Reports conflicts with the rest of the file.
    ///
    /// - Parameter place: The location of `accounts`.
    func check(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration, hasIdentity: Bool) {
        checkKeys(mapping, at: place, others)
        checkFlows(mapping, at: place, others)
        checkFirebaseUsers(mapping, at: place, others)
        checkSessionTimes(mapping)
        checkFirebaseCookies(mapping, others)
        checkTokenKeys(mapping, at: place, others)
        if page != nil { checkPage(mapping, others) }
        if let issuer, let owner = others.identity.owner(ofIssuer: issuer) {
            mapping.fail(
                "issuer", "accounts.issuer equals the issuer of \(owner)",
                "use an issuer of your own, as in https://api.example.com")
        }
        if others.identity.credentials.cookie == nil {
            mapping.context.fail(
                place, "accounts needs a session cookie, and identity.credentials.cookie is null",
                "set the cookie name there, or remove accounts")
        }
        if !hasIdentity {
            mapping.context.fail(
                place, "accounts is enabled, but identity has no source of sign-ins",
                "add identity.firebase.project or an entry of identity.providers, or remove accounts")
        }
    }

    private func checkFirebaseCookies(_ mapping: MappingReader, _ others: Configuration) {
        guard sessionCookie == .gateway else {
            if let firebase = others.identity.firebase {
                return firebase.checkPlaceholder(sessionCookieURL, of: "session_cookie_url", in: "accounts", mapping)
            }
            return mapping.fail(
                "session_cookie", "accounts.session_cookie: firebase without a Firebase project",
                "add identity.firebase.project, or remove it")
        }
        for key in ["session_cookie_url", "service_account"] where mapping.value(key) != nil {
            mapping.fail(
                key, "accounts.\(key) has no effect without session_cookie: firebase",
                "add session_cookie: firebase, or remove it")
        }
    }

    private func checkSessionTimes(_ mapping: MappingReader) {
        if let sessionIdle, sessionIdle >= sessionLifetime ?? Self.usualLifetime {
            mapping.fail(
                "session_idle", "accounts.session_idle is not shorter than the lifetime of a session",
                "write a shorter time, or a longer session_lifetime (now "
                    + "\(DurationText.write(sessionLifetime ?? Self.usualLifetime)))")
        }
        if sessionCookie == .firebase, let sessionLifetime, sessionLifetime > Self.longestWithoutLimit {
            mapping.fail(
                "session_lifetime", "accounts.session_lifetime is longer than Firebase's session cookies can last",
                "write at most \(DurationText.write(Self.longestWithoutLimit)), or remove session_cookie: firebase")
        }
    }

    private func checkFlows(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration) {
        guard publicURL == nil else { return }
        if let provider = others.identity.providers.first(where: { $0.codeFlow?.needsPublicURL == true }) {
            mapping.context.fail(
                place, "accounts.public_url is missing, and identity.providers.\(provider.id) has a client credential",
                "add public_url: https://HOST, the origin at which browsers reach the gateway")
        }
        if !returnTo.isEmpty {
            mapping.fail(
                "return_to", "accounts.return_to has no effect without public_url",
                "add public_url: https://HOST, or remove it")
        }
        if !apps.isEmpty {
            mapping.fail(
                "apps", "accounts.apps has no effect without public_url", "add public_url: https://HOST, or remove it")
        }
    }

    private func checkKeys(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration) {
        if case .redis = others.store, mapping.value("session_key") == nil {
            mapping.context.fail(
                place,
                "accounts.session_key is missing; the gateways cannot share a generated key, since a shared store contains no secrets",
                "add session_key: FILE, a private key (PEM, P-256) that all gateways share")
        }
        if let sessionKey, sessionKey == others.headers.assertion?.key {
            mapping.fail(
                "session_key", "accounts.session_key is also the assertion signing key", "use a separate key")
        }
        if mapping.value("previous_session_keys") != nil, mapping.value("session_key") == nil {
            mapping.fail(
                "previous_session_keys", "accounts.previous_session_keys requires session_key",
                "add session_key: FILE, or remove it")
        }
    }
}
