internal import JOSE
internal import Synchronization

/// Answers the provider's requests.
final class ProviderService: LoopbackService {
    let state: Mutex<ProviderState>
    let log = RequestLog(capacity: 1024)
    let project: String
    let now: @Sendable () -> Int64

    init(keys: DevelopmentKeys, maxAge: Int, project: String, now: @escaping @Sendable () -> Int64) {
        state = Mutex(ProviderState(keys: keys, maxAge: maxAge))
        self.project = project
        self.now = now
    }

    func begin(_ head: ReceivedRequest) -> [ScriptStep] {
        head.wantsContinue ? [.send(Answer(status: 100).head())] : []
    }

    func answer(_ request: ReceivedRequest) -> [ScriptStep] {
        log.record(request)
        guard let endpoint = DevelopmentProvider.Endpoint(rawValue: request.path) else {
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
        if endpoint == .mint { return mint(request) }
        let state = state.withLock { $0 }
        do throws(SigningKeyError) {
            var answer = Answer.json(try endpoint.document(of: state, now: now()))
            answer.fields.append(("Cache-Control", "public, max-age=\(state.maxAge)"))
            return answer
        } catch {
            return .json(["error": .string(error.description)], status: 500)
        }
    }
}

extension DevelopmentProvider.Endpoint {
    /// The document that the endpoint serves.
    fileprivate func document(of state: ProviderState, now: Int64) throws(SigningKeyError) -> JSON {
        switch self {
        case .idTokenJWKSet: state.jwkSet(.idToken)
        case .sessionJWKSet: state.jwkSet(.sessionCookie)
        case .idTokenX509: try state.x509Map(.idToken, now: now)
        case .sessionX509: try state.x509Map(.sessionCookie, now: now)
        case .mint: nil
        }
    }

    /// The document without keys.
    fileprivate var emptySet: String {
        self == .idTokenJWKSet || self == .sessionJWKSet ? "{\"keys\":[]}" : "{}"
    }
}

extension ReceivedRequest {
    /// Whether the client waits for `100 Continue` before it sends the body.
    var wantsContinue: Bool { value(of: "Expect")?.lowercased() == "100-continue" }
}
