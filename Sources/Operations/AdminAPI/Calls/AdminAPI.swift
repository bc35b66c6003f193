import GatewayConfiguration
import GatewayCore
import Observability
import OperatorConsole
import Revocation

/// The admin listener without its sockets: it maps requests to responses.
struct AdminAPI: Sendable {
    let entrance: AdminGuard
    let backend: any AdministrationBackend
    /// The operators' console. `nil` if it is not served.
    var console: ConsoleAccess?

    /// The result of checks before any asynchronous work.
    enum Admission {
        case response(AdminResponse)
        /// A call, and its client. `nil` for a public path.
        case call(AdminCall, AdminCaller?)
        /// A stream of decisions.
        case stream(DecisionViewer)
        /// A step of a sign-in to the console, by a client without a session.
        case flow(@Sendable () async -> AdminResponse)
    }

    /// Rejects a request, responds to a probe, or returns the call to perform.
    ///
    /// It never waits. A peer without a token costs no task, and a probe depends only on the listener's event loop.
    func admit(_ request: AdminRequest) -> Admission {
        if let refusal = entrance.hostRefusal(of: request) { return .response(refusal) }
        if let console, let path = ConsolePath(target: request.target) {
            switch console.admit(request, at: path) {
            case .response(let response): return .response(response)
            case .flow(let perform): return .flow(perform)
            case .call(let target, let caller, let isCurrent):
                return admit(AdminCall(target: target), request.method, by: caller, while: isCurrent)
            }
        }
        if let refusal = entrance.crossSiteRefusal(of: request) { return .response(refusal) }
        let call = AdminCall(target: request.target)
        if call?.isPublic == true { return admit(call, request.method, by: nil) }
        // If no token is configured, only public paths exist. Otherwise an unauthorized client does not learn which
        // paths exist.
        guard entrance.token != nil else { return .response(Self.notFound) }
        guard let role = entrance.role(of: request) else { return .response(Self.unauthorized) }
        return admit(call, request.method, by: AdminCaller(role: role, address: request.address))
    }

    /// Performs the checks that follow the credential, whichever it is.
    ///
    /// - Parameter isCurrent: Whether the session of the caller is valid and has the same role. `nil` for a token.
    private func admit(
        _ call: AdminCall?, _ method: String, by caller: AdminCaller?, while isCurrent: (@Sendable () -> Bool)? = nil
    ) -> Admission {
        guard let call else { return .response(Self.notFound) }
        guard call.methods.contains(method) else { return .response(Self.methodNotAllowed(call.methods)) }
        guard call.permits(caller) else { return .response(Self.readOnly) }
        switch call {
        case .live: return .response(liveness)
        case .ready: return .response(AdminDocument.readiness(backend.readiness()))
        case .decisions(let query): return open(query, for: call, by: caller, while: isCurrent)
        default: return .call(call, caller)
        }
    }

    private func open(
        _ query: AdminQuery, for call: AdminCall, by caller: AdminCaller?, while isCurrent: (@Sendable () -> Bool)?
    ) -> Admission {
        let result: Result<DecisionViewer, AdministrationError>
        do throws(AdministrationError) {
            var filter = try DecisionFilter(query)
            filter.owner = DecisionFilter.Owner(session: caller?.session, isViewer: caller?.role == .viewer)
            let viewer = try backend.openDecisions(filter)
            if let isCurrent { viewer.require(isCurrent) }
            result = .success(viewer)
        } catch {
            result = .failure(error)
        }
        let admission: Admission
        let status: Int
        switch result {
        case .success(let viewer): (admission, status) = (.stream(viewer), 200)
        case .failure(let error):
            let response = Self.failure(error)
            (admission, status) = (.response(response), response.status)
        }
        if let caller, let action = call.action(by: caller, status: status) { backend.record(action) }
        return admission
    }

    /// Performs a call. A change or a view of accounts is in the audit log, also if it fails.
    func respond(to call: AdminCall, body: [UInt8], by caller: AdminCaller?) async -> AdminResponse {
        let response: AdminResponse
        do throws(AdministrationError) {
            response = try await perform(call, body: body)
        } catch {
            response = Self.failure(error)
        }
        if let caller, var action = call.action(by: caller, status: response.status) {
            action.count = response.accounts
            backend.record(action)
        }
        return response
    }

    private var liveness: AdminResponse {
        guard let failure = backend.livenessFailure() else { return .text("ok\n") }
        return .problem(.unavailable, title: "The gateway hangs", detail: failure)
    }

    private func perform(_ call: AdminCall, body: [UInt8]) async throws(AdministrationError) -> AdminResponse {
        switch call {
        case .live: liveness
        case .ready: AdminDocument.readiness(backend.readiness())
        case .metrics: .text(await backend.metricsText(), contentType: MetricsSnapshot.prometheusContentType)
        case .user(let user): AdminDocument.user(user, try await backend.user(user))
        case .activity(let user): AdminDocument.activity(user, try await backend.activity(user))
        case .change(let change, let user): AdminDocument.changed(user, try await perform(change, user, body: body))
        case .session(let user, let session):
            AdminDocument.session(user, session, try await backend.session(user, session))
        case .revokeSession(let user, let session):
            AdminDocument.session(user, session, try await backend.revokeSession(user, session: session))
        case .sessions(let user): AdminDocument.sessions(user, try await backend.sessions(of: user))
        case .findAccount(let query): try await select(try AccountSelection(query))
        case .account(let user): AdminDocument.account(try await backend.account(user))
        case .deleteAccount(let user): AdminDocument.account(try await backend.deleteAccount(user))
        case .unlink(let user, let provider):
            AdminDocument.account(try await backend.unlink(user, provider: provider))
        case .merge(let user, let target): AdminDocument.account(try await backend.merge(user, into: target))
        case .status: AdminDocument.status(await backend.status())
        case .keys: AdminDocument.keys(await backend.keys())
        case .refreshKeys: AdminDocument.keys(try await backend.refreshKeys())
        case .routes: AdminDocument.routes(await backend.routes())
        case .decisions: Self.notFound
        case .configuration: AdminDocument.configuration(await backend.configuration())
        case .fleet: AdminDocument.fleet(await backend.fleet())
        case .rules: AdminDocument.rules(await backend.rules())
        case .evaluateRules: AdminDocument.evaluation(try await backend.evaluateRules(RuleQuestion(body)))
        case .history(let query):
            AdminDocument.history(
                await backend.history(
                    since: try query.values(["since"]).number("since", in: 0...UnixTime.latest.seconds)))
        case .acceptStore: AdminDocument.accepted(try await backend.acceptStore())
        case .outbox: AdminDocument.outbox(try await backend.outbox())
        case .retryOutbox: AdminDocument.messages("retried", try await backend.retryOutbox())
        case .discardOutbox: AdminDocument.messages("discarded", try await backend.discardOutbox())
        case .reload: AdminDocument.reloaded(generation: try await backend.reload())
        case .reloadDifferences: AdminDocument.differences(await backend.reloadDifferences())
        }
    }

    private func select(_ accounts: AccountSelection) async throws(AdministrationError) -> AdminResponse {
        switch accounts {
        case .search(let search): AdminDocument.found(try await backend.findUser(search))
        case .page(let cursor, let limit): AdminDocument.page(try await backend.accounts(after: cursor, limit: limit))
        }
    }

    private func perform(
        _ change: AdminCall.UserChange, _ user: UserKey, body: [UInt8]
    ) async throws(AdministrationError) -> UserRecord {
        switch change {
        case .revoke: try await backend.revoke(user, at: RevocationTime.parse(body))
        case .unrevoke: try await backend.unrevoke(user)
        case .disable: try await backend.disable(user)
        case .enable: try await backend.enable(user)
        }
    }
}

extension AdminAPI {
    /// Creates the listener of a configuration.
    init(
        _ settings: Configuration.Admin, backend: any AdministrationBackend, signIn: (any ConsoleSignIn)? = nil,
        clock: GatewayClock
    ) {
        func text(_ secret: Secret?) -> String? {
            secret.map { secret in secret.withBytes { String(decoding: $0, as: UTF8.self) } }
        }
        let publicHost = settings.consoleOrigin.flatMap { try? HTTPURL(parsing: $0) }?.host
        let entrance = AdminGuard(
            token: text(settings.token), viewerToken: text(settings.viewerToken),
            hosts: [settings.address?.host, publicHost].compactMap(\.self))
        self.init(entrance: entrance, backend: backend)
        guard settings.console, entrance.token != nil else { return }
        console = ConsoleAccess(entrance, publicOrigin: settings.consoleOrigin, signIn: signIn, clock: clock) {
            backend.record($0)
        }
    }

    static let notFound = AdminResponse.problem(
        .notFound, title: "No such path", detail: "Check the path; docs/reference/admin-api.md lists them."
    )

    static let unauthorized = AdminResponse.problem(
        .missingCredential, title: "The admin token is required",
        detail: "Send Authorization: Bearer with the token that the configuration names.",
        extra: ["WWW-Authenticate": "Bearer realm=\"gatehouse admin\""])

    static let readOnly = AdminResponse.problem(
        .readOnly, title: "Viewers cannot make this call", detail: "Use admin.token in place of admin.viewer_token.")

    /// The backend did not respond in time.
    static let timeout = unavailable(
        "The gateway did not respond in time, and the call may have taken effect. Repeat it.")

    static func methodNotAllowed(_ methods: [String]) -> AdminResponse {
        let list = methods.joined(separator: ", ")
        return .problem(
            .methodNotAllowed, title: "The method is not allowed here", detail: "Use \(list).",
            extra: ["Allow": list])
    }

    private static func failure(_ error: AdministrationError) -> AdminResponse {
        switch error {
        case .invalid(let reason):
            .problem(.malformed, title: "The request is malformed", detail: reason)
        case .storeUnavailable:
            .problem(
                .storeUnavailable, title: "The store is unavailable",
                detail: "The change is not confirmed. Repeat the call.", extra: ["Retry-After": "1"])
        case .unavailable(let reason): unavailable(reason)
        }
    }

    static func unavailable(_ reason: String) -> AdminResponse {
        .problem(
            .unavailable, title: "The call is currently unavailable", detail: reason,
            extra: ["Retry-After": "1"])
    }
}
