package import GatewayCore
package import JOSE

extension Configuration {
    /// An identity provider whose tokens are taken as they are, without Firebase (`identity.providers.NAME`).
    package struct Provider: Sendable, Equatable {
        /// Whose rules a provider's tokens follow.
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

        /// Where the keys of a provider's ID tokens come from.
        package enum Keys: Sendable, Hashable {
            /// A key set at this URL.
            case url(String)
            /// The key set that a discovery document names (OpenID Connect Discovery 1.0 section 4), whose `issuer` must be this one.
            case discovery(url: String, issuer: String)
        }

        /// What of an ID token proves a second factor (`second_factor`).
        package struct SecondFactor: Sendable, Hashable {
            /// Any of these in `amr` (RFC 8176) does. Default: none.
            package var amr: [String] = []
            /// Any of these as `acr` does. Default: none. They also go into the challenge's `acr_values`.
            package var acr: [String] = []
            /// Any of these in `acrs`, Microsoft Entra's authentication contexts, does. Default: none. They also go into the challenge: into
            /// `acr_values`, and the first into `claims`.
            package var acrs: [String] = []

            /// Nothing proves one.
            package init() {}
        }

        /// ID tokens of the provider.
        package struct IDTokens: Sendable, Hashable {
            /// The exact `iss` values (`issuer`), at least one; for Microsoft the one template with `{tenantid}`.
            package var issuers: [String]
            /// The `aud` values that count (`audiences`), 1 to 64.
            package var audiences: [String]
            /// Who may have asked for a token for one of the audiences (`authorized_parties`), besides the audiences themselves: `azp`.
            package var authorizedParties: [String] = []
            /// What may sign (`algorithms`). Nil: the provider's own rule, for `oidc.NAME` what its discovery document lists.
            package var algorithms: Set<Algorithm>?
            /// Where the keys are.
            package var keys: Keys
            /// Google: the Workspace domain that `hd` must name (`hosted_domain`). Nil: any account.
            package var hostedDomain: String?
            /// Microsoft: the tenants' ids in lower case (`tenants`); empty: `"*"`, any but the one of personal accounts.
            package var tenants: [String] = []
            /// What proves a second factor.
            package var secondFactor = SecondFactor()

            /// With the defaults of everything else.
            package init(issuers: [String], audiences: [String], keys: Keys) {
                self.issuers = issuers
                self.audiences = audiences
                self.keys = keys
            }
        }

        /// How the gateway is known to an introspection endpoint (RFC 6749 section 2.3.1).
        package enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
            /// HTTP Basic.
            case basic
            /// `client_id` and `client_secret` in the body.
            case post
        }

        /// Opaque tokens of the provider: whom the gateway asks about each.
        package struct OpaqueTokens: Sendable, Equatable {
            /// The URL that is asked (`introspection_url`, `token_check_url`). For GitHub without the client's id: it is put in for `{client_id}`.
            package var url: String
            /// `client_id`, for Facebook `app_id`.
            package var clientID: String
            /// `client_secret`, for Facebook `app_secret`.
            package var clientSecret: Secret
            /// RFC 7662 only (`client_authentication`). Default: basic.
            package var clientAuthentication = ClientAuthentication.basic
            /// RFC 7662 only: what `aud`, or `client_id` where there is no `aud`, must name (`audiences`), 1 to 64.
            package var audiences: [String] = []
            /// RFC 7662 only: what `iss` must be where the answer has one (`issuer`). Nil: not looked at.
            package var issuer: String?
            /// How long a good answer counts at most (`cache_for`), 0 to 1 h; never longer than the token's `exp`. Default: 60 s.
            package var cacheFor = Duration.seconds(60)
            /// How long a refusal counts (`cache_refused_for`), 0 to 5 min. Default: 10 s.
            package var cacheRefusedFor = Duration.seconds(10)
            /// The most calls at a time (`concurrency`), 1 to 256. Default: 16.
            package var concurrency = 16
            /// The most calls a second (`rate`), 1 to 10,000. Default: 100.
            package var rate = 100
            /// How long an answer may take (`timeout`), 10 ms to 5 s. Default: 2 s.
            package var timeout = Duration.seconds(2)

            /// With the defaults of everything else.
            package init(url: String, clientID: String, clientSecret: Secret) {
                self.url = url
                self.clientID = clientID
                self.clientSecret = clientSecret
            }
        }

        /// The provider's id, such as `apple.com`, `oidc.corp`, `oauth.legacy`: what `sign_in_provider` says.
        package var id: String
        /// Whose rules its tokens follow.
        package var kind: Kind
        /// Its ID tokens; nil: none count.
        package var idTokens: IDTokens?
        /// Its opaque tokens; nil: none count.
        package var opaqueTokens: OpaqueTokens?
        /// Whether its URLs may be `http://` to a host other than loopback (`insecure_http`). Default: false.
        package var insecureHTTP = false
        /// Where it stands.
        package var location: SourceLocation

        /// A provider none of whose tokens count yet.
        package init(id: String, kind: Kind, location: SourceLocation) {
            self.id = id
            self.kind = kind
            self.location = location
        }
    }
}

extension Configuration.Provider {
    /// One entry of `identity.providers`.
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
        reader.warn(ofCalls: provider.opaqueTokens != nil)
        return provider
    }

    /// The candidate that somebody meant: also the one that is the same with `.com` behind it.
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
                "\(Quoted(id)) is not a provider's id",
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
    /// Whether an id has a name behind the kind.
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
