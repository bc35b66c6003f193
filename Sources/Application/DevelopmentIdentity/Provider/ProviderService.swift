internal import JOSE
internal import Synchronization

/// The service of the provider's endpoints.
final class ProviderService: LoopbackService {
    let state: Mutex<ProviderState>
    let log = RequestLog(capacity: 1024)
    let keyring: IdentityKeyring
    let opaque = OpaqueRegistry()
    let accounts = AccountRegistry(DevelopmentUser.all.map { DevelopmentAccount($0, validSince: 1_600_000_000) })
    let accessTokens = AccessTokens()
    let consumedTokens = ConsumedTokens()
    let codeFlow = CodeFlowRegistry()
    let project: String
    let now: @Sendable () -> Int64

    init(
        keys: DevelopmentKeys, keyring: IdentityKeyring, maxAge: Int, project: String,
        now: @escaping @Sendable () -> Int64
    ) {
        state = Mutex(ProviderState(keys: keys, maxAge: maxAge))
        self.keyring = keyring
        self.project = project
        self.now = now
    }

    func respond(to request: ReceivedRequest) -> Response {
        let endpoint = DevelopmentProvider.Endpoint(rawValue: request.path)
        log.record(request, as: endpoint?.rawValue)
        return switch endpoint {
        case .mint: mint(request)
        case .introspection: introspect(request)
        case .gitHubTokenCheck: checkGitHubToken(request)
        case .facebookDebugToken: debugFacebookToken(request)
        case .accountsLookup: lookUpAccounts(request)
        case .appCheckConsumption: consumeAppToken(request)
        case .oauthToken: issueAccessToken(request)
        case .authorization(let server): authorize(request, at: server)
        case .token(let server): redeemCode(request, at: server)
        case .gitHubUser: gitHubUser(request, emails: false)
        case .gitHubEmails: gitHubUser(request, emails: true)
        case nil: .json(["error": "no such path"], status: 404)
        case let endpoint?: document(of: endpoint)
        }
    }

    func abandon(_ request: ReceivedRequest) {}

    private func document(of endpoint: DevelopmentProvider.Endpoint) -> Response {
        let state = state.withLock { $0 }
        do {
            var response = Response.json(try endpoint.document(of: state, keyring: keyring, now: now()))
            response.fields.append(("Cache-Control", "public, max-age=\(state.maxAge)"))
            return response
        } catch {
            return .json(["error": .string("\(error)")], status: 500)
        }
    }
}

extension DevelopmentProvider.Endpoint {
    /// Returns the document that the endpoint serves, if any.
    fileprivate func document(of state: ProviderState, keyring: IdentityKeyring, now: Int64) throws -> JSON {
        switch self {
        case .idTokenJWKSet: state.jwkSet(.idToken)
        case .sessionJWKSet: state.jwkSet(.sessionCookie)
        case .idTokenX509: try state.x509Map(.idToken, now: now)
        case .sessionX509: try state.x509Map(.sessionCookie, now: now)
        case .keys(let provider): ["keys": .array(try keyring.keys(of: provider).map { .object($0.jwk) })]
        case .discovery(let provider): .object(state.discoveryDocument(of: provider))
        default: nil
        }
    }
}
