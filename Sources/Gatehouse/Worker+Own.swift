import HTTPWire

/// What is answered under `/.gatehouse/`, of which nothing is ever forwarded. An object, so that a look at it on each request is one reference.
final class OwnEndpoints: Sendable {
    /// An account call, at the one spelling of its path.
    struct Call: Sendable {
        let endpoint: AccountEndpoint
        let path: [UInt8]
        let plan: RoutePlan
    }

    /// For how long others may keep the keys, in seconds.
    static let keysAge = 300
    /// What no other path begins with that is answered here.
    static let prefix = Array("/.gatehouse/".utf8)

    /// Where the keys of assertions and session cookies are.
    static let keysPath = Array("/.gatehouse/jwks.json".utf8)
    /// Empty where there are no accounts.
    let calls: [Call]
    /// The demo's page, at the prefix itself.
    let page: ReadyAnswer?

    /// Nil where nothing is answered.
    ///
    /// - Parameter responseHeaders: what holds for all answers.
    init?(
        _ accounts: Configuration.Accounts?, publishesKeys: Bool, opaqueProvider: Int?,
        responseHeaders: Configuration.ResponseHeaders = Configuration.ResponseHeaders()
    ) {
        guard accounts != nil || publishesKeys else { return nil }
        calls =
            accounts == nil
            ? []
            : AccountEndpoint.allCases.map { endpoint in
                let plan = RoutePlan(
                    pattern: endpoint.path, policy: endpoint.policy, upstream: 0, responseTimeout: 0,
                    bodyLimit: AccountEndpoint.bodyLimit, opaqueProvider: opaqueProvider,
                    additions: AnswerAdditions(
                        cors: Self.policy(of: endpoint, accounts?.origins ?? []), common: responseHeaders))
                return Call(endpoint: endpoint, path: Array(endpoint.path.utf8), plan: plan)
            }
        page = accounts?.demoPage.map { page in
            ReadyAnswer(
                contentType: "text/html; charset=utf-8", caching: "no-store",
                fields: [
                    ("Content-Security-Policy", page.policy), ("X-Content-Type-Options", "nosniff"),
                    ("Referrer-Policy", "no-referrer"),
                ], body: page.html)
        }
    }

    /// Whether a path is one under the prefix.
    @inline(__always)
    static func mayHold(_ path: UnsafeRawBufferPointer) -> Bool {
        path.count >= prefix.count && path[1] == UInt8(ascii: ".") && path.starts(with: prefix)
    }

    /// The pages that may call besides the called origin's own may read what they get, too.
    private static func policy(of endpoint: AccountEndpoint, _ origins: [String]) -> CORSPolicy? {
        guard !origins.isEmpty, !endpoint.isEvent else { return nil }
        return CORSPolicy(
            origins: origins, methods: endpoint.method == .get ? ["GET", "HEAD"] : ["POST"], headers: nil, expose: [],
            credentials: true, maximumAge: 600)
    }
}

extension Worker {
    /// Serves a request for something of the gateway's own; false where it is for none of it.
    func serveOwn(_ request: RequestView, to client: ClientHandler) -> Bool {
        guard let own = snapshot.own else { return false }
        let path = request.head.path.bytes(in: request.bytes)
        guard OwnEndpoints.mayHold(path) else { return false }
        if let page = own.page, path.count == OwnEndpoints.prefix.count {
            give(page, request.head.method, to: client)
        } else if path.elementsEqual(OwnEndpoints.keysPath) {
            publishKeys(request.head.method, to: client)
        } else if let call = own.calls.first(where: { path.elementsEqual($0.path) }) {
            begin(call, request, from: client)
        } else {
            return false
        }
        return true
    }

    private func give(_ document: ReadyAnswer, _ method: HTTPWire.Method, to client: ClientHandler) {
        switch method {
        case .get, .head: client.answer(document)
        default: client.deny(Denial(.methodNotAllowed, allow: Array("GET, HEAD".utf8)))
        }
    }

    /// Half of the keys would be kept by who asks, so they are published once all are known.
    private func publishKeys(_ method: HTTPWire.Method, to client: ClientHandler) {
        guard let keysDocument else { return client.deny(Denial(.storeUnavailable)) }
        give(keysDocument, method, to: client)
    }

    private func begin(_ call: OwnEndpoints.Call, _ request: RequestView, from client: ClientHandler) {
        let isGet = call.endpoint.method == .get
        note(call.plan.additions, request, client)
        guard request.head.method == call.endpoint.method || (isGet && request.head.method == .head) else {
            return client.deny(Denial(.methodNotAllowed, allow: Array((isGet ? "GET, HEAD" : "POST").utf8)))
        }
        // Whoever wants to be signed out is, even where their session counts no more.
        client.record.clearsCookie = call.endpoint == .signOut
        admit(request, call.plan, .call(call.endpoint), from: client)
    }
}
