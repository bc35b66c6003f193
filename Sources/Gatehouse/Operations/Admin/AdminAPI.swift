/// The admin listener without its sockets: a request in, an answer out.
struct AdminAPI: Sendable {
    let entrance: AdminGuard
    let backend: any AdministrationBackend

    func answer(_ request: AdminRequest) async -> AdminResponse {
        if let refusal = entrance.refusal(of: request) { return refusal }
        let call = AdminCall(target: request.target)
        if call?.isPublic != true {
            // Without a token nothing else exists; with one, who lacks it does not learn what does.
            guard entrance.token != nil else { return Self.notFound }
            guard entrance.isAuthorized(request) else { return Self.unauthorized }
        }
        guard let call else { return Self.notFound }
        guard call.methods.contains(request.method) else { return Self.methodNotAllowed(call.methods) }
        do throws(AdministrationError) {
            return try await perform(call, body: request.body)
        } catch {
            return Self.failure(error)
        }
    }

    private func perform(_ call: AdminCall, body: [UInt8]) async throws(AdministrationError) -> AdminResponse {
        switch call {
        case .live: .text("ok\n")
        case .ready: AdminDocument.readiness(await backend.readiness())
        case .metrics: .text(await backend.metricsText(), contentType: MetricsSnapshot.prometheusContentType)
        case .user(let uid): AdminDocument.user(uid, try await backend.user(uid))
        case .change(let change, let uid): AdminDocument.user(uid, try await perform(change, uid: uid, body: body))
        case .session(let uid, let session):
            AdminDocument.session(uid, session, try await backend.session(uid, session))
        case .revokeSession(let uid, let session):
            AdminDocument.session(uid, session, try await backend.revokeSession(uid, session: session))
        case .keys: AdminDocument.keys(await backend.keys())
        case .refreshKeys: AdminDocument.keys(try await backend.refreshKeys())
        case .routes: AdminDocument.routes(await backend.routes())
        case .reload: AdminDocument.reloaded(generation: try await backend.reload())
        }
    }

    private func perform(
        _ change: AdminCall.UserChange, uid: String, body: [UInt8]
    ) async throws(AdministrationError) -> UserRecord {
        switch change {
        case .revoke: try await backend.revoke(uid, at: RevocationTime.parse(body))
        case .unrevoke: try await backend.unrevoke(uid)
        case .disable: try await backend.disable(uid)
        case .enable: try await backend.enable(uid)
        }
    }
}

extension AdminAPI {
    static let notFound = AdminResponse.problem(
        404, "route/not-found", title: "No such path", detail: "Check the path; docs/operations.md lists them.")

    static let unauthorized = AdminResponse.problem(
        401, "auth/missing-credential", title: "The admin token is required",
        detail: "Send Authorization: Bearer with the token that the configuration names.",
        extra: ["WWW-Authenticate": "Bearer realm=\"gatehouse admin\""])

    /// The backend did not answer in time.
    static let timeout = unavailable("The gateway did not answer in time; the call may have had its effect. Repeat it.")

    private static func methodNotAllowed(_ methods: [String]) -> AdminResponse {
        let list = methods.joined(separator: ", ")
        return .problem(
            405, "request/method-not-allowed", title: "The method is not allowed here", detail: "Use \(list).",
            extra: ["Allow": list])
    }

    private static func failure(_ error: AdministrationError) -> AdminResponse {
        switch error {
        case .invalid(let reason):
            .problem(400, "request/malformed", title: "The request is malformed", detail: reason)
        case .storeUnavailable:
            .problem(
                503, "auth/store-unavailable", title: "The store is unavailable",
                detail: "The change is not certain. Repeat the call.", extra: ["Retry-After": "1"])
        case .unavailable(let reason): unavailable(reason)
        }
    }

    private static func unavailable(_ reason: String) -> AdminResponse {
        .problem(
            503, "gateway/unavailable", title: "The call cannot be answered now", detail: reason,
            extra: ["Retry-After": "1"])
    }
}
