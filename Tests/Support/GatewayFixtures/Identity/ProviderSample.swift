import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE

@testable import CoreFixtures

/// A configured provider, its keys, and a valid token.
enum ProviderSample: String, CaseIterable, Sendable {
    case apple, google, microsoft, facebook, yahoo, linkedin, oidc

    static let client = "client-1"
    static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let object = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
    static let template = "https://login.microsoftonline.com/{tenantid}/v2.0"
    static let elliptic = TokenDraft.makeKey("key-1", .es256)

    var kind: Configuration.Provider.Kind {
        switch self {
        case .apple: .apple
        case .google: .google
        case .microsoft: .microsoft
        case .facebook: .facebook
        case .yahoo: .yahoo
        case .linkedin: .linkedin
        case .oidc: .oidc
        }
    }

    var id: String { self == .oidc ? "oidc.corp" : kind.rawValue }

    /// The `iss` of its tokens.
    var issuer: String {
        switch self {
        case .apple: "https://appleid.apple.com"
        case .google: "https://accounts.google.com"
        case .microsoft: Self.issuer(of: Self.tenant)
        case .facebook: "https://www.facebook.com"
        case .yahoo: "https://api.login.yahoo.com"
        case .linkedin: "https://www.linkedin.com/oauth"
        case .oidc: "https://id.corp.example"
        }
    }

    static func issuer(of tenant: String) -> String { "https://login.microsoftonline.com/\(tenant)/v2.0" }

    var subjectClaim: String { self == .microsoft ? "oid" : "sub" }
    /// The reason of a denial because of an invalid subject.
    var subjectFailure: VerificationFailure.Reason { self == .microsoft ? .objectID : .providerSubject }
    var uid: String { self == .microsoft ? "\(id):\(Self.tenant):\(Self.object)" : "\(id):user-1" }

    var keys: Configuration.Provider.Keys {
        guard self == .oidc else { return .url("https://keys.example/\(id)") }
        return .discovery(url: "\(issuer)/.well-known/openid-configuration", issuer: issuer)
    }

    /// The provider in the configuration, with one audience.
    func provider(_ change: (inout Configuration.Provider.IDTokens) -> Void = { _ in }) -> Configuration.Provider {
        var tokens = Configuration.Provider.IDTokens(
            issuers: [self == .microsoft ? Self.template : issuer], audiences: [Self.client], keys: keys)
        if self == .microsoft { tokens.tenants = [Self.tenant] }
        change(&tokens)
        var provider = Configuration.Provider(id: id, kind: kind, location: SourceLocation(origin: "a test"))
        provider.idTokens = tokens
        return provider
    }

    var key: SigningKey { self == .yahoo ? Self.elliptic : TokenDraft.key }

    /// The published keys.
    var keySet: KeySet {
        switch self {
        case .microsoft: TokenDraft.keySet([TokenDraft.key, TokenDraft.secondKey], issuer: Self.template)
        case .yahoo: TokenDraft.keySet([Self.elliptic])
        default: TokenDraft.keySet([TokenDraft.key, TokenDraft.secondKey])
        }
    }

    /// A valid token, issued 100 seconds ago.
    var draft: TokenDraft {
        let now = ManualClock.start
        var draft = TokenDraft(claims: [
            "iss": "\"\(issuer)\"", "aud": "\"\(Self.client)\"", "sub": "\"user-1\"", "iat": "\(now - 100)",
            "exp": "\(now + 3500)", "email": "\"a@example.com\"",
        ])
        if self == .yahoo { draft = draft.withHeader("alg", "\"ES256\"") }
        guard self == .microsoft else { return draft }
        return draft.with("ver", "\"2.0\"").with("tid", "\"\(Self.tenant)\"").with("oid", "\"\(Self.object)\"")
    }

    func signed(_ change: (TokenDraft) -> TokenDraft = { $0 }) -> String { change(draft).signed(by: key) }
}

extension TokenDraft {
    /// The key set in which each key names this issuer.
    static func keySet(_ keys: [SigningKey], issuer: String) -> KeySet {
        let keys = keys.map { $0.jwk.dropLast() + ",\"issuer\":\"\(issuer)\"}" }
        return (try? KeySet(jwkSet: Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))) ?? KeySet()
    }
}
