import GatewayCore
import JOSE

/// A reader of the settings that several kinds of providers share.
struct ProviderReader {
    let mapping: MappingReader
    /// The name of the entry in messages.
    let name: String
    /// Whether URLs may be `http://` to other machines.
    let insecureHTTP: Bool

    init(_ mapping: MappingReader, name: String) {
        self.mapping = mapping
        self.name = name
        var insecureHTTP = false
        mapping.set(&insecureHTTP, "insecure_http") { $0.boolean() }
        self.insecureHTTP = insecureHTTP
    }

    func warn(ofCalls hasCalls: Bool) {
        guard insecureHTTP else { return }
        let risk =
            hasCalls
            ? "tokens and secrets may be sent without TLS, where an attacker on the network can read them"
            : "keys may be fetched without TLS, where an attacker on the network can replace them"
        mapping.warn("insecure_http", risk, "use it only for development or in a trusted network")
    }

    /// Returns a URL for requests. `nil` if the key is absent or invalid.
    func url(_ key: String, _ risk: PlainHTTPRisk) -> String? {
        var url: String?
        mapping.set(&url, key) { $0.trustedURL(allowsPlainHTTP: insecureHTTP, risk) }
        return url
    }

    /// Returns 1 to 64 texts, or a single one.
    ///
    /// The client of the authorization-code flow is one of them, and may be the only one.
    ///
    /// - Parameter hasFlow: Whether the provider may have a flow. Otherwise `client_id` is another client.
    func audiences(_ remedy: String, hasFlow: Bool = true) -> [String] {
        guard hasFlow, let client = mapping.value("client_id") else {
            return mapping.required("audiences", remedy).flatMap { value in texts(value, audience) } ?? []
        }
        let listed = mapping.value("audiences").flatMap { value in texts(value, audience) } ?? []
        guard let id = text(of: client), !listed.contains(where: { $0.utf8.elementsEqual(id.utf8) }) else {
            return listed
        }
        return listed + [id]
    }

    /// Returns the text of a scalar without reporting errors.
    private func text(of value: ConfigurationValue) -> String? {
        guard case .scalar(let scalar) = value.content, !scalar.text.isEmpty else { return nil }
        return scalar.text
    }

    /// Returns at most 64 distinct texts, or a single one.
    func texts(_ value: ConfigurationValue, _ read: (ConfigurationValue) -> String?) -> [String]? {
        value.oneOrList(atMost: 64, read)
    }

    private func audience(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 512) else { return nil }
        guard text != "*" else {
            return value.fail(
                "\(value.name) cannot be '*', since tokens of other apps would be accepted",
                "list the ids of your own apps")
        }
        return text
    }

    /// Returns visible ASCII, restricted to the bytes that the provider's lookup permits.
    func clientID(_ key: String, _ remedy: String, where isAllowed: (UInt8) -> Bool = { _ in true }) -> String? {
        guard let value = mapping.required(key, remedy), let text = value.string(atMost: 512) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && isAllowed($0) }) else {
            return value.fail("\(value.name) is \(value.shown), not an id", "write the id assigned by the provider")
        }
        return text
    }

    /// Reports keys that have no effect.
    func refuse(_ keys: [String], _ why: String, _ remedy: String) {
        for key in keys where mapping.value(key) != nil {
            mapping.fail(key, "\(name).\(key) \(why)", remedy)
        }
    }
}

extension KnownKeys {
    /// The keys of all providers with ID tokens.
    static let ofIDTokens = ["issuer", "keys_url", "algorithms", "second_factor", "insecure_http"]
    /// The keys of providers with configured audiences.
    static let ofAudiences = ["audiences", "authorized_parties"]

    /// The client of the authorization-code flow.
    static let ofClient = ["client_id", "client_secret"]
    /// The other keys of the authorization-code flow.
    static let ofFlows = [
        "scopes", "parameters", "authorization_url", "token_url", "revoke_at_provider", "revocation_url",
    ]

    static let secondFactor = KnownKeys("identity.providers.*.second_factor", ["amr", "acr", "acrs"])

    /// Creates the keys of one kind of provider.
    init(provider: Configuration.Provider.Kind, _ supported: [String]) {
        let isFamily = provider == .oidc || provider == .oauth
        self.init("identity.providers.\(provider.rawValue)\(isFamily ? ".*" : "")", supported)
    }
}

extension ProviderReader {
    typealias IDTokens = Configuration.Provider.IDTokens
    typealias Keys = Configuration.Provider.Keys

    /// Returns the ID tokens of a provider with a fixed key set URL.
    func idTokens(issuers: [String], keysURL: String) -> IDTokens {
        var tokens = IDTokens(
            issuers: issuer().map { [$0] } ?? issuers, audiences: audiences(), keys: .url(keysURL))
        if let url = url("keys_url", .replacedKeys) { tokens.keys = .url(url) }
        readRest(&tokens)
        return tokens
    }

    /// Returns the ID tokens of a provider whose discovery document contains the key set URL.
    func discoveredIDTokens(issuer: String) -> IDTokens {
        let discovery = url("discovery_url", .replacedKeys) ?? Self.discoveryURL(of: issuer)
        var tokens = IDTokens(
            issuers: [issuer], audiences: audiences(), keys: .discovery(url: discovery, issuer: issuer))
        if let url = url("keys_url", .replacedKeys) {
            tokens.keys = .url(url)
            refuse(["discovery_url"], "has no effect together with keys_url", "remove one of them")
        }
        readRest(&tokens)
        return tokens
    }

    /// Reads the settings of ID tokens other than the issuer, the audience and the keys.
    func readRest(_ tokens: inout IDTokens) {
        mapping.set(&tokens.algorithms, "algorithms") { value in value.oneOrList(algorithm).map(Set.init) }
        mapping.set(&tokens.secondFactor, "second_factor") { $0.mapping(.secondFactor).map(secondFactor) }
    }

    /// Returns the only accepted `iss`. `nil` if the key is absent or invalid.
    func issuer() -> String? {
        guard let value = mapping.value("issuer"),
            let text = value.trustedURL(atMost: 1_024, allowsPlainHTTP: insecureHTTP, .anyIssuer)
        else { return nil }
        guard !text.contains("?") else {
            return value.fail("\(value.name) is a URL with a query", "write the 'iss' of its tokens")
        }
        return text
    }

    /// Returns the discovery URL of an issuer (OpenID Connect Discovery 1.0 section 4.1).
    static func discoveryURL(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    private func audiences() -> [String] {
        audiences("add audiences: [ID], the client ids of your apps, so that tokens of other apps are rejected")
    }

    /// Reads the authorized parties, for kinds whose apps have client ids.
    func readAuthorizedParties(_ tokens: inout IDTokens) {
        mapping.set(&tokens.authorizedParties, "authorized_parties") { value in
            texts(value) { $0.string(atMost: 512) }
        }
    }

    private func algorithm(_ value: ConfigurationValue) -> Algorithm? {
        guard let text = value.scalar("the name of an algorithm")?.text else { return nil }
        if let algorithm = Algorithm(rawValue: text) { return algorithm }
        let names = Algorithm.allCases.map(\.rawValue)
        switch text.uppercased() {
        case "NONE":
            return value.fail(
                "\(value.name) cannot be 'none', since anyone can create unsigned tokens", "write RS256 or ES256")
        case "HS256", "HS384", "HS512":
            return value.fail(
                "\(value.name) cannot be \(value.shown), since the secret that verifies a token can also create one",
                "configure the provider to sign with RS256 or ES256")
        default:
            return value.fail(
                "\(value.name) cannot be \(value.shown)",
                Spelling.suggestion(for: text, among: names).map { "did you mean '\($0)'?" }
                    ?? "write some of \(names.joined(separator: ", "))")
        }
    }

    private func secondFactor(_ mapping: MappingReader) -> Configuration.Provider.SecondFactor {
        var factor = Configuration.Provider.SecondFactor()
        mapping.set(&factor.amr, "amr") { value in texts(value, method) }
        mapping.set(&factor.acr, "acr") { value in texts(value, method) }
        mapping.set(&factor.acrs, "acrs") { value in texts(value, method) }
        return factor
    }

    /// Returns a value that is valid in a challenge, where values are separated by spaces.
    private func method(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 256) else { return nil }
        guard text.utf8.allSatisfy(ScopeToken.allows) else {
            return value.fail(
                "\(value.name) is \(value.shown), which is invalid in a challenge",
                "write visible ASCII without spaces, '\"' and '\\'")
        }
        return text
    }
}

extension KnownKeys {
    /// The keys of all providers with lookups of opaque tokens.
    static let ofCalls = ["cache_for", "cache_refused_for", "concurrency", "rate", "timeout"]
}

extension ProviderReader {
    typealias OpaqueTokens = Configuration.Provider.OpaqueTokens

    /// Reads the limits and timeouts of lookups at the provider.
    func readCalls(_ tokens: inout OpaqueTokens) {
        mapping.set(&tokens.cacheFor, "cache_for") { $0.duration(in: .zero ... .hours(1)) }
        mapping.set(&tokens.cacheRefusedFor, "cache_refused_for") { $0.duration(in: .zero ... .minutes(5)) }
        mapping.set(&tokens.concurrency, "concurrency") { $0.integer(in: 1...256) }
        mapping.set(&tokens.rate, "rate") { $0.integer(in: 1...10_000) }
        mapping.set(&tokens.timeout, "timeout") { $0.duration(in: .milliseconds(10) ... .seconds(5)) }
    }

    /// Returns a required secret. Empty if it is invalid.
    func clientSecret(_ remedy: String) -> Secret {
        mapping.required("client_secret", remedy).flatMap { $0.secret() } ?? Secret("")
    }
}
