package import GatewayCore
package import JOSE

extension Configuration {
    /// An identity provider whose tokens are accepted directly, without Firebase (`identity.providers.NAME`).
    package struct Provider: Sendable, Equatable {
        /// The kinds of providers, which determine the rules for their tokens.
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case apple = "apple.com"
            case google = "google.com"
            case microsoft = "microsoft.com"
            case facebook = "facebook.com"
            case github = "github.com"
            case yahoo = "yahoo.com"
            case linkedin = "linkedin.com"
            /// `oidc.NAME`: any OpenID Connect provider.
            case oidc
            /// `oauth.NAME`: any authorization server with token introspection (RFC 7662).
            case oauth
        }

        /// The source of the keys of ID tokens.
        package enum Keys: Sendable, Hashable {
            /// A key set at this URL.
            case url(String)
            /// The key set in a discovery document (OpenID Connect Discovery 1.0 section 4), whose `issuer` must be
            /// this one.
            case discovery(url: String, issuer: String)
        }

        /// The claims of an ID token that prove a second factor (`second_factor`).
        package struct SecondFactor: Sendable, Hashable {
            /// Sufficient values in `amr` (RFC 8176). Default: none.
            package var amr: [String] = []
            /// Sufficient values of `acr`, which are also sent in the challenge's `acr_values`. Default: none.
            package var acr: [String] = []
            /// Sufficient values in `acrs`, Microsoft Entra's authentication contexts. They are also sent in the
            /// challenge's `acr_values`, and the first in its `claims`. Default: none.
            package var acrs: [String] = []

            /// Creates an empty set.
            package init() {}
        }

        /// The ID tokens of the provider.
        package struct IDTokens: Sendable, Hashable {
            /// The exact `iss` values (`issuer`), at least one. For Microsoft, one template with `{tenantid}`.
            package var issuers: [String]
            /// The accepted `aud` values (`audiences`), 1 to 64.
            package var audiences: [String]
            /// The accepted values of `azp`, in addition to the audiences (`authorized_parties`).
            package var authorizedParties: [String] = []
            /// The accepted algorithms (`algorithms`). `nil` for the provider's own rule; for `oidc.NAME`, the
            /// algorithms in its discovery document.
            package var algorithms: Set<Algorithm>?
            /// The source of the keys.
            package var keys: Keys
            /// Google: the Workspace domain that `hd` must name (`hosted_domain`). `nil` for any account.
            package var hostedDomain: String?
            /// Microsoft: the tenants' ids in lower case (`tenants`). Empty for `"*"`, all except that of personal
            /// accounts.
            package var tenants: [String] = []
            /// The proofs of a second factor.
            package var secondFactor = SecondFactor()

            /// Creates ID tokens with default settings.
            package init(issuers: [String], audiences: [String], keys: Keys) {
                self.issuers = issuers
                self.audiences = audiences
                self.keys = keys
            }
        }

        /// The authentication of the gateway at an introspection endpoint (RFC 6749 section 2.3.1).
        package enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
            /// HTTP Basic.
            case basic
            /// `client_id` and `client_secret` in the body.
            case post
        }

        /// The opaque tokens of the provider, with the service for their lookups.
        package struct OpaqueTokens: Sendable, Equatable {
            /// The URL of the service (`introspection_url`, `token_check_url`). For GitHub, `{client_id}` is replaced
            /// by the client's id.
            package var url: String
            /// `client_id`, or `app_id` for Facebook.
            package var clientID: String
            /// `client_secret`, or `app_secret` for Facebook.
            package var clientSecret: Secret
            /// RFC 7662 only: the client authentication (`client_authentication`). Default: basic.
            package var clientAuthentication = ClientAuthentication.basic
            /// RFC 7662 only: the accepted values of `aud`, or of `client_id` if there is no `aud` (`audiences`), 1
            /// to 64.
            package var audiences: [String] = []
            /// RFC 7662 only: the required value of `iss`, if the response has one (`issuer`). `nil` for any.
            package var issuer: String?
            /// The maximum lifetime of a cached acceptance (`cache_for`), 0 to 1 h, bounded by the token's `exp`.
            /// Default: 60 s.
            package var cacheFor = Duration.seconds(60)
            /// The lifetime of a cached rejection (`cache_refused_for`), 0 to 5 min. Default: 10 s.
            package var cacheRefusedFor = Duration.seconds(10)
            /// The maximum number of concurrent calls (`concurrency`), 1 to 256. Default: 16.
            package var concurrency = 16
            /// The maximum number of calls per second (`rate`), 1 to 10,000. Default: 100.
            package var rate = 100
            /// The timeout of a call (`timeout`), 10 ms to 5 s. Default: 2 s.
            package var timeout = Duration.seconds(2)

            /// Creates opaque tokens with default settings.
            package init(url: String, clientID: String, clientSecret: Secret) {
                self.url = url
                self.clientID = clientID
                self.clientSecret = clientSecret
            }
        }

        /// The provider's id, such as `apple.com`, `oidc.corp`, `oauth.legacy`, which is the value of
        /// `sign_in_provider`.
        package var id: String
        /// The kind, which determines the rules for its tokens.
        package var kind: Kind
        /// The ID tokens. `nil` if they are not accepted.
        package var idTokens: IDTokens?
        /// The opaque tokens. `nil` if they are not accepted.
        package var opaqueTokens: OpaqueTokens?
        /// The authorization-code flow (`client_id` with a credential). `nil` if the gateway runs none.
        package var codeFlow: CodeFlow?
        /// GitHub: the secret of its webhook (`webhook_secret`). `nil` if its events are not received.
        package var webhookSecret: Secret?
        /// Facebook: the page about a deletion of data (`deletion_status_url`), to which `code` is added. `nil` if
        /// deletion requests are not received.
        package var deletionStatusURL: String?
        /// Whether URLs may be `http://` to a host other than loopback (`insecure_http`). Default: false.
        package var insecureHTTP = false
        /// The location in the file.
        package var location: SourceLocation

        /// Creates a provider that does not accept any tokens yet.
        package init(id: String, kind: Kind, location: SourceLocation) {
            self.id = id
            self.kind = kind
            self.location = location
        }
    }
}

extension Configuration.Provider {
    /// Reads an entry of `identity.providers`.
    static func read(_ entry: MappingEntry) -> Configuration.Provider? {
        guard let kind = kind(of: entry), let mapping = entry.value.mapping(kind.keys) else { return nil }
        var provider = Self(id: entry.key, kind: kind, location: entry.keyLocation)
        let reader = ProviderReader(mapping, name: entry.value.name)
        provider.insecureHTTP = reader.insecureHTTP
        switch kind {
        case .apple: provider.idTokens = reader.apple()
        case .google: provider.idTokens = reader.google()
        case .microsoft: provider.idTokens = reader.microsoft()
        case .facebook: (provider.idTokens, provider.opaqueTokens) = reader.facebook()
        case .github: provider.opaqueTokens = reader.github()
        case .yahoo: provider.idTokens = reader.yahoo()
        case .linkedin: provider.idTokens = reader.linkedin()
        case .oidc: provider.idTokens = reader.oidc()
        case .oauth: provider.opaqueTokens = reader.oauth()
        }
        if kind == .github { mapping.set(&provider.webhookSecret, "webhook_secret") { $0.secret() } }
        if kind == .facebook { provider.deletionStatusURL = reader.url("deletion_status_url", .readSecrets) }
        provider.codeFlow = reader.codeFlow(of: kind, &provider.idTokens, provider.opaqueTokens)
        reader.warn(ofCalls: provider.opaqueTokens != nil || provider.codeFlow != nil)
        return provider
    }

    /// Returns the candidate that resembles the id, also without `.com`.
    static func suggestion(for id: String, among candidates: [String]) -> String? {
        let whole = "\(id.lowercased()).com"
        return candidates.contains(whole) ? whole : Spelling.suggestion(for: id, among: candidates)
    }

    private static func kind(of entry: MappingEntry) -> Kind? {
        let id = entry.key
        if let kind = Kind(rawValue: id), !kind.isFamily { return kind }
        if let family = Kind.allCases.first(where: { $0.isFamily && id.hasPrefix("\($0.rawValue).") }) {
            if isName(id.dropFirst(family.rawValue.count + 1)) { return family }
            entry.fail(
                "\(Quoted(id)) is not a provider id",
                "write \(family.rawValue).NAME, where NAME is up to 64 lower-case letters, digits and '-'")
            return nil
        }
        entry.fail(
            "there is no provider \(Quoted(id))",
            suggestion(for: id, among: Kind.allCases.filter { !$0.isFamily }.map(\.rawValue)).map {
                "did you mean '\($0)'?"
            } ?? "the providers are \(Kind.names)")
        return nil
    }

    private static func isName(_ name: Substring) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension Configuration.Provider.Kind {
    /// Whether an id consists of the kind and a name.
    fileprivate var isFamily: Bool { self == .oidc || self == .oauth }

    fileprivate static var names: String {
        allCases.map { $0.isFamily ? "\($0.rawValue).NAME" : $0.rawValue }.joined(separator: ", ")
    }

    /// The keys of an entry.
    var keys: KnownKeys {
        switch self {
        case .apple: .apple
        case .google: .google
        case .microsoft: .microsoft
        case .facebook: .facebook
        case .github: .github
        case .yahoo: .yahoo
        case .linkedin: .linkedin
        case .oidc: .oidc
        case .oauth: .oauth
        }
    }
}
