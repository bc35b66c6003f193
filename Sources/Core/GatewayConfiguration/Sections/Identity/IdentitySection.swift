import GatewayCore

extension Configuration {
    /// The accepted identity providers (`identity`).
    package struct Identity: Sendable, Equatable {
        /// The tolerance for `iat`, `nbf` and `auth_time` in the future (`clock_skew`), 0 to 60 s. It never prolongs
        /// `exp`. Default: 5 s.
        package var clockSkew = Duration.seconds(5)
        /// Firebase Authentication (`firebase`). Default: `nil`, not used.
        package var firebase: Firebase?
        /// Providers whose tokens are accepted directly (`providers`), in the order of the file, with unique ids, at
        /// most 64.
        package var providers: [Provider] = []
        /// The caching of key sets (`keys`).
        package var keys = KeyPolicy()
        /// The sources of credentials (`credentials`).
        package var credentials = Credentials()

        /// Creates the defaults.
        package init() {}
    }

    /// The caching of all key sets (`identity.keys`).
    package struct KeyPolicy: Sendable, Hashable {
        /// The minimum lifetime of a key set, regardless of its source (`min_ttl`), 100 ms to 30 d. Default: 1 min.
        package var minTTL = Duration.seconds(60)
        /// The maximum lifetime (`max_ttl`), `minTTL` to 30 d. Default: 24 h.
        package var maxTTL = Duration.seconds(86_400)
        /// The share of the lifetime after which the set is refreshed (`refresh_at`), 0.1 to 1. Default: 0.8.
        package var refreshAt = 0.8
        /// The time that an expired set remains valid while its source is not available (`stale_for`), 0 to 30 d.
        /// Default: 24 h.
        package var staleFor = Duration.seconds(86_400)
        /// The minimum interval of refreshes because of unknown key ids (`unknown_key_cooldown`), 100 ms to 1 h.
        /// Default: 30 s.
        package var unknownKeyCooldown = Duration.seconds(30)

        /// Creates the defaults.
        package init() {}
    }

    /// The sources of credentials in a request (`identity.credentials`).
    package struct Credentials: Sendable, Hashable {
        /// The field with `Bearer TOKEN` (`header`). `nil` for none. Default: `Authorization`.
        package var header: String? = "Authorization"
        /// The session cookie (`cookie`). `nil` for none. Default: `__session`.
        package var cookie: String? = "__session"
        /// Earlier names of the cookie, which are accepted if no cookie has the current name (`previous_cookies`), at
        /// most 4. Default: none.
        package var previousCookies: [String] = []

        /// Creates the defaults.
        package init() {}
    }
}

extension Configuration.Identity {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&clockSkew, "clock_skew") { $0.duration(in: .zero ... .seconds(60)) }
        mapping.set(&firebase, "firebase") { $0.mapping(.firebase).flatMap(Configuration.Firebase.init) }
        mapping.set(&providers, "providers", Self.providers)
        checkIssuers(mapping.context)
        mapping.set(&keys, "keys") { $0.mapping(.keys).map(Configuration.KeyPolicy.init) }
        mapping.set(&credentials, "credentials") { $0.mapping(.credentials).map(Configuration.Credentials.init) }
    }
}

extension Configuration.KeyPolicy {
    init(_ mapping: MappingReader) {
        self.init()
        let lifetimes = Duration.milliseconds(100)...Duration.days(30)
        mapping.set(&minTTL, "min_ttl") { $0.duration(in: lifetimes) }
        mapping.set(&maxTTL, "max_ttl") { $0.duration(in: lifetimes) }
        mapping.set(&refreshAt, "refresh_at") { $0.number(in: 0.1...1) }
        mapping.set(&staleFor, "stale_for") { $0.duration(in: .zero ... .days(30)) }
        mapping.set(&unknownKeyCooldown, "unknown_key_cooldown") {
            $0.duration(in: .milliseconds(100) ... .hours(1))
        }
        if minTTL > maxTTL {
            mapping.fail(
                "min_ttl", "identity.keys.min_ttl is greater than max_ttl",
                "decrease min_ttl or increase max_ttl (now \(DurationText.write(maxTTL)))")
        }
    }
}

extension Configuration.Credentials {
    init(_ mapping: MappingReader) {
        self.init()
        mapping.set(&header, "header") { Self.header($0) }
        mapping.set(&cookie, "cookie") { Self.cookie($0) }
        mapping.set(&previousCookies, "previous_cookies") {
            $0.oneOrList(atMost: Self.maximumPreviousCookies, of: "names") { Self.cookie($0) }
        }
        if let cookie, previousCookies.contains(cookie) {
            mapping.fail(
                "previous_cookies", "identity.credentials.previous_cookies contains the name of cookie",
                "list only earlier names")
        }
        if cookie == nil, !previousCookies.isEmpty {
            mapping.fail(
                "previous_cookies", "identity.credentials.previous_cookies has no effect without cookie",
                "set the name of the cookie, or remove previous_cookies")
        }
    }

    private static let maximumPreviousCookies = 4

    private static func header(_ value: ConfigurationValue) -> String? {
        guard let name = value.string() else { return nil }
        guard FieldName.isValid(name) else {
            return value.fail("\(value.name) is \(value.shown), not a field name", "write a name as in Authorization")
        }
        let normalized = FieldName.normalized(name)
        guard !FieldName.belongsToConnection(normalized), normalized != "cookie" else {
            return value.fail("\(value.name) cannot be \(value.shown)", "write Authorization or a custom field name")
        }
        return name
    }

    private static func cookie(_ value: ConfigurationValue) -> String? {
        guard let name = value.string() else { return nil }
        guard FieldName.isValid(name) else {
            return value.fail("\(value.name) is \(value.shown), not a cookie name", "write a name as in __session")
        }
        return name
    }
}

extension ConfigurationValue {
    /// Whether the section configures any issuer, even with errors.
    var hasIssuers: Bool { hasMember("firebase") || hasEntries(under: "providers") }
}

extension Configuration.Identity {
    private static let maximumProviders = 64

    static func providers(_ value: ConfigurationValue) -> [Configuration.Provider]? {
        value.entries(permitting: .collection).flatMap { value.bounded($0, maximumProviders) }?
            .compactMap(Configuration.Provider.read)
    }

    /// Reports overlapping issuers, since the issuer of a token selects its verifier.
    func checkIssuers(_ context: LoadingContext) {
        var owners: [(issuer: String, name: String)] = []
        if let firebase {
            owners += firebase.issuers.map { ($0, "identity.firebase") }
        }
        for provider in providers {
            let issuers = provider.idTokens?.issuers ?? []
            for issuer in issuers {
                guard let owner = owners.first(where: { Self.overlap($0.issuer, issuer) }) else { continue }
                context.fail(
                    provider.location, "\(Quoted(provider.id)) has the issuer \(Quoted(issuer)) of \(owner.name)",
                    "remove one of them; the issuer of a token selects its provider")
            }
            owners += issuers.map { ($0, Quoted(provider.id).description) }
        }
    }

    /// Returns the name of the configured provider with this issuer. `nil` if there is no such provider.
    func owner(ofIssuer issuer: String) -> String? {
        let firebases = firebase?.issuers ?? []
        if firebases.contains(where: { Self.overlap($0, issuer) }) { return "identity.firebase" }
        return providers.first { provider in
            (provider.idTokens?.issuers ?? []).contains { Self.overlap($0, issuer) }
        }.map { "\(Quoted($0.id))" }
    }

    /// Returns whether a token of one issuer could name the other: equal texts, or Microsoft's template and a
    /// matching issuer.
    private static func overlap(_ first: String, _ second: String) -> Bool {
        first.utf8.elementsEqual(second.utf8) || IssuerTemplate(first)?.covers(second) == true
            || IssuerTemplate(second)?.covers(first) == true
    }
}
