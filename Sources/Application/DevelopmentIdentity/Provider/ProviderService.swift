internal import JOSE
internal import Synchronization

/// Answers the provider's requests.
final class ProviderService: LoopbackService {
    let state: Mutex<ProviderState>
    let log = RequestLog(capacity: 1024)
    let keyring: IdentityKeyring
    let opaque = OpaqueRegistry()
    let accounts = AccountRegistry(DevelopmentUser.all.map { DevelopmentAccount($0, validSince: 1_600_000_000) })
    let accessTokens = AccessTokens()
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

    func begin(_ head: ReceivedRequest) -> [ScriptStep] {
        head.wantsContinue ? [.send(Answer(status: 100).head())] : []
    }

    func answer(_ request: ReceivedRequest) -> [ScriptStep] {
        let endpoint = DevelopmentProvider.Endpoint(rawValue: request.path)
        log.record(request, as: endpoint?.rawValue)
        guard let endpoint else {
            return [.send(Answer.json(["error": "no such path"], status: 404).bytes(for: request))]
        }
        let good = properAnswer(of: endpoint, to: request)
        guard let misbehaviour = state.withLock({ $0.takeFault(at: endpoint) }) else {
            return [.send(good.bytes(for: request))]
        }
        return misbehaviour.script(insteadOf: good, emptySet: endpoint.emptySet, to: request)
    }

    func abandon(_ request: ReceivedRequest) {}

    func reject(_ reason: String) -> [ScriptStep] {
        [.send(Answer(status: 400).head(adding: [("Content-Length", "0")]))]
    }

    private func properAnswer(of endpoint: DevelopmentProvider.Endpoint, to request: ReceivedRequest) -> Answer {
        switch endpoint {
        case .mint: mint(request)
        case .introspection: introspect(request)
        case .gitHubTokenCheck: checkGitHubToken(request)
        case .facebookDebugToken: debugFacebookToken(request)
        case .accountsLookup: lookUpAccounts(request)
        case .oauthToken: issueAccessToken(request)
        case .idTokenJWKSet, .idTokenX509, .sessionJWKSet, .sessionX509, .keys, .discovery: document(of: endpoint)
        }
    }

    private func document(of endpoint: DevelopmentProvider.Endpoint) -> Answer {
        let state = state.withLock { $0 }
        do {
            var answer = Answer.json(try endpoint.document(of: state, keyring: keyring, now: now()))
            answer.fields.append(("Cache-Control", "public, max-age=\(state.maxAge)"))
            return answer
        } catch {
            return .json(["error": .string("\(error)")], status: 500)
        }
    }
}

extension DevelopmentProvider.Endpoint {
    /// The document that the endpoint serves, if it serves one.
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

    /// The document without keys.
    fileprivate var emptySet: String {
        switch self {
        case .idTokenJWKSet, .sessionJWKSet, .keys: "{\"keys\":[]}"
        default: "{}"
        }
    }
}

extension ReceivedRequest {
    /// Whether the client waits for `100 Continue` before it sends the body.
    var wantsContinue: Bool { value(of: "Expect")?.lowercased() == "100-continue" }
}
