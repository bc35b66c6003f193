internal import Synchronization

/// The authorization codes and access tokens of a development provider's authorization-code flows.
final class CodeFlowRegistry: Sendable {
    /// The maximum number of unused codes and of access tokens. The oldest are dropped.
    static let most = 4_096
    /// The lifetime of a code, in seconds.
    static let lifetime: Int64 = 300

    /// A code's facts.
    struct Grant: Sendable {
        let server: AuthorizationServer
        let user: DevelopmentUser
        let clientID: String
        let redirectURI: String
        let nonce: String?
        let challenge: String?
        let scope: String
        let maxAge: Int64?
        let issued: Int64
    }

    private struct State {
        var grants: [(code: String, grant: Grant)] = []
        var tokens: [(token: String, user: DevelopmentUser)] = []
        /// The users who have signed in at Apple before, which sends a name only once.
        var knownToApple: Set<String> = []
        /// The users who are signed in, and do not have to choose.
        var signedIn: [AuthorizationServer: DevelopmentUser] = [:]
    }

    private let state = Mutex(State())

    func signIn(_ user: DevelopmentUser?, at server: AuthorizationServer) {
        state.withLock { $0.signedIn[server] = user }
    }

    func user(at server: AuthorizationServer) -> DevelopmentUser? { state.withLock { $0.signedIn[server] } }

    /// Issues a code.
    func issue(_ grant: Grant) -> String {
        let code = OpaqueToken.random(40)
        state.withLock { state in
            if state.grants.count >= Self.most { state.grants.removeFirst() }
            state.grants.append((code, grant))
        }
        return code
    }

    /// Takes a code, which is valid once.
    func take(_ code: String, now: Int64) -> Grant? {
        state.withLock { state in
            guard let place = state.grants.firstIndex(where: { $0.code == code }) else { return nil }
            let grant = state.grants.remove(at: place).grant
            return now - grant.issued <= Self.lifetime ? grant : nil
        }
    }

    func add(_ token: String, of user: DevelopmentUser) {
        state.withLock { state in
            if state.tokens.count >= Self.most { state.tokens.removeFirst() }
            state.tokens.append((token, user))
        }
    }

    func user(of token: String) -> DevelopmentUser? {
        state.withLock { $0.tokens.last { $0.token == token }?.user }
    }

    /// Returns whether this is the user's first sign-in at Apple.
    func meetsApple(_ user: DevelopmentUser) -> Bool {
        state.withLock { $0.knownToApple.insert(user.uid).inserted }
    }
}

/// A provider with an authorization-code flow.
public enum AuthorizationServer: Sendable, Hashable {
    /// A provider of ID tokens.
    case identity(IdentityProvider)
    /// GitHub, whose access tokens are opaque.
    case gitHub

    /// The client ID that the server accepts.
    public var clientID: String {
        switch self {
        case .identity(let provider): provider.demoAudience
        case .gitHub: DevelopmentClient.demo(for: .gitHub).id
        }
    }

    /// The client secret that the server accepts. Apple's is a signed token instead.
    public var clientSecret: String {
        switch self {
        case .identity: "demo-client-secret"
        case .gitHub: DevelopmentClient.demo(for: .gitHub).secret
        }
    }

    /// `iss` in responses (RFC 9207). `nil` if the server sends none.
    func issuer(base: String) -> String? {
        switch self {
        case .identity(.google): IdentityProvider.google.issuer
        case .identity(.oidc(let name)): IdentityProvider.oidc(name).issuer(base: base)
        case .identity: nil
        case .gitHub: "https://github.com/login/oauth"
        }
    }
}
