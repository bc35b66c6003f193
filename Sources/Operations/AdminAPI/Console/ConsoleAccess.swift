import GatewayConfiguration
import GatewayCore
import JOSE
import OperatorConsole

/// The access to the console: its files, its sessions, and the admission of its calls of the admin API.
///
/// A call passes three checks: it comes from a page of the console, it has a session, and a change, or a view of
/// personal data in decisions, repeats the session's CSRF token. After that it is a call of the admin API like any
/// other, with the role of the session.
struct ConsoleAccess: Sendable {
    private let entrance: AdminGuard
    /// The sign-in at a provider. `nil` if there is none.
    let signIn: (any ConsoleSignIn)?
    /// The origin of the page in the browser. `nil` for that of the request's `Host`.
    private let publicOrigin: String?
    let clock: GatewayClock
    let record: @Sendable (AdminAction) -> Void
    let sessions = ConsoleSessions()
    private let limits = SignInLimits()
    /// The limit of sign-ins of viewers. Each begins a session, which may end that of another viewer.
    private let viewerLimits = SignInLimits()
    /// The limit of responses of providers without an open flow.
    let flowLimits = SignInLimits()

    /// Creates the access.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in at a provider.
    ///   - record: Writes an action to the audit log.
    init(
        _ entrance: AdminGuard, publicOrigin: String?, signIn: (any ConsoleSignIn)? = nil, clock: GatewayClock,
        record: @escaping @Sendable (AdminAction) -> Void
    ) {
        self.entrance = entrance
        self.signIn = signIn
        self.publicOrigin = publicOrigin
        self.clock = clock
        self.record = record
    }

    /// The result of the checks of the console.
    enum Admission {
        case response(AdminResponse)
        /// A call of the admin API, which is not checked yet. `isCurrent` is whether the session is valid with the
        /// same role later.
        case call(target: String, AdminCaller, isCurrent: @Sendable () -> Bool)
        /// A step of a sign-in at a provider.
        case flow(@Sendable () async -> AdminResponse)
    }

    /// Responds to a request for the console, or returns the call that it makes. `Host` was checked.
    func admit(_ request: AdminRequest, at path: ConsolePath) -> Admission {
        if let methods = path.methods, !methods.contains(request.method) {
            return .response(AdminAPI.methodNotAllowed(methods))
        }
        switch path {
        case .home: return .response(Self.redirect)
        case .page:
            let language = request.values("accept-language").first
            let page = ConsolePage.render(languages: language, provider: signIn?.settings?.provider)
            return .response(AdminResponse(ConsolePage.fields, "text/html; charset=utf-8", page))
        case .file(let file): return .response(AdminResponse(ConsolePage.fileFields, file.contentType, file.body))
        case .unknown: return .response(AdminAPI.notFound)
        case .signIn: return startSignIn(request)
        case .callback: return finishSignIn(request)
        case .session: return .response(crossSiteRefusal(of: request) ?? respondForSession(to: request))
        case .api(let target):
            if let refusal = crossSiteRefusal(of: request) { return .response(refusal) }
            guard let id = sessionID(of: request), let session = session(of: request) else {
                return .response(Self.signedOut)
            }
            let caller = Self.caller(of: session, request)
            // A GET with a line in the audit log too, such as an unmasked stream: a link must not cause it.
            let isAction = request.isChange || AdminCall(target: target)?.action(by: caller, status: 0) != nil
            if isAction, !Self.repeatsToken(of: session, request) { return .response(Self.wrongToken) }
            return .call(
                target: target, caller,
                isCurrent: { self.session(id, isActivity: false)?.role == session.role })
        }
    }

    // MARK: - Checks

    /// Rejects a request that no page of the console sends. A browser sends `Origin` with each change.
    func crossSiteRefusal(of request: AdminRequest) -> AdminResponse? {
        let origins = request.values("origin")
        let own = publicOrigin ?? "http://" + (request.values("host").first ?? "").lowercased()
        guard origins.allSatisfy({ $0.lowercased() == own }), !request.isChange || origins.count == 1,
            request.values("sec-fetch-site").allSatisfy({ $0 == "same-origin" || $0 == "none" && !request.isChange })
        else {
            return .problem(
                .crossSite, title: "The call does not come from a page of the console",
                detail: "If a proxy is before the listener, set admin.public_url to the origin in the browser.")
        }
        return nil
    }

    /// Returns the session of the request's cookie. `nil` if two cookies differ. A session ends if its identity is
    /// revoked, or not permitted by the configuration any more.
    private func session(of request: AdminRequest) -> ConsoleSessions.Session? {
        guard let id = sessionID(of: request) else { return nil }
        // A page that reads the state again does not prolong the session.
        return session(id, isActivity: request.values("x-console-background").isEmpty)
    }

    private func session(_ id: String, isActivity: Bool) -> ConsoleSessions.Session? {
        guard var session = sessions.session(id, isActivity: isActivity, now: clock.monotonic()) else { return nil }
        guard let identity = session.identity else { return session }
        guard let role = signIn?.role(of: identity) else {
            sessions.end(id)
            return nil
        }
        session.role = role
        return session
    }

    func sessionID(of request: AdminRequest) -> String? {
        let ids = cookies(named: cookieName(for: request), in: request)
        return ids.count == 1 ? ids.first : nil
    }

    /// Returns the different values of the cookies with a name.
    func cookies(named name: String, in request: AdminRequest) -> Set<String> {
        var values: Set<String> = []
        for cookie in request.values("cookie").joined(separator: ";").split(separator: ";") {
            let pair = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, pair[0] == name { values.insert(String(pair[1])) }
        }
        return values
    }

    private static func repeatsToken(of session: ConsoleSessions.Session, _ request: AdminRequest) -> Bool {
        let tokens = request.values("x-csrf-token")
        return tokens.count == 1 && AdminGuard.equal(Array(tokens[0].utf8), Array(session.csrfToken.utf8))
    }

    private static func caller(of session: ConsoleSessions.Session, _ request: AdminRequest) -> AdminCaller {
        AdminCaller(
            role: session.role, address: request.address, isConsole: true, session: session.label, name: session.name,
            email: session.identity?.address)
    }

    // MARK: - The session

    private func respondForSession(to request: AdminRequest) -> AdminResponse {
        if request.method == "POST" { return signIn(request) }
        guard let session = session(of: request) else { return Self.signedOut }
        guard request.method == "DELETE" else { return AdminDocument.consoleSession(session) }
        guard Self.repeatsToken(of: session, request) else { return Self.wrongToken }
        if let id = sessionID(of: request) { sessions.end(id) }
        record(AdminAction(event: "sign_out", caller: Self.caller(of: session, request), status: 200))
        var response = AdminDocument.signedOut
        response.extra["Set-Cookie"] = cookie("", for: request) + "; Max-Age=0"
        return response
    }

    /// Exchanges a token for a session. Failures and sign-ins of viewers are limited, separately.
    private func signIn(_ request: AdminRequest) -> AdminResponse {
        let (network, now) = (request.peer?.network ?? .unknown, clock.monotonic())
        if let seconds = limits.wait(for: network, now: now) { return Self.tooMany(seconds) }
        guard let form = SignInForm(request.body) else {
            return .problem(
                .malformed, title: "The sign-in is malformed",
                detail: "Send a JSON object with token, and name of at most 64 printable characters.")
        }
        var caller = AdminCaller(address: request.address, isConsole: true, name: form.name)
        guard let role = entrance.role(of: Array(form.token.utf8)) else {
            limits.record(network, now: now)
            record(AdminAction(event: "sign_in", caller: caller, status: Self.signedOut.status))
            return Self.signedOut
        }
        if let seconds = wait(as: role, from: network, now: now) { return Self.tooMany(seconds) }
        // A session of this browser does not outlive the sign-in that replaces it.
        if let old = sessionID(of: request) { sessions.end(old) }
        guard let (id, session) = sessions.begin(role: role, name: form.name, now: now) else {
            return AdminAPI.unavailable("The session cannot be created. Repeat the call.")
        }
        (caller.role, caller.session) = (role, session.label)
        record(AdminAction(event: "sign_in", caller: caller, status: 200))
        var response = AdminDocument.consoleSession(session)
        response.extra["Set-Cookie"] = cookie(id, for: request)
        return response
    }

    /// Counts a sign-in with a role. Returns the seconds to wait if the network has made too many, as a viewer.
    func wait(as role: OperatorRole, from network: PeerNetwork, now: UInt64) -> Int? {
        guard role == .viewer else { return nil }
        if let seconds = viewerLimits.wait(for: network, now: now) { return seconds }
        viewerLimits.record(network, now: now)
        return nil
    }

    private static func tooMany(_ seconds: Int) -> AdminResponse {
        .problem(
            .rateLimited, title: "Too many sign-ins", detail: "Wait, then sign in again.",
            extra: ["Retry-After": "\(seconds)"])
    }

    // MARK: - The cookie

    var isSecure: Bool { publicOrigin?.hasPrefix("https://") == true }

    /// All ports of a host share its cookies, so that without TLS the port is part of the name.
    func cookieName(for request: AdminRequest) -> String {
        guard !isSecure else { return "__Host-gatehouse-console" }
        let host = request.values("host").first ?? ""
        let port = host.last == "]" ? "" : host.split(separator: ":").dropFirst().last ?? ""
        return "gatehouse-console-\(port.isEmpty ? "80" : port)"
    }

    /// The path of cookies. If it is known, services on other ports of the host do not receive the cookies, because
    /// their paths are other ones. The prefix `__Host-` requires `/`.
    var cookiePath: String {
        guard !isSecure else { return "/" }
        return signIn?.settings?.path ?? (publicOrigin == nil ? "/console/" : "/")
    }

    /// Returns the value of `Set-Cookie`.
    func cookie(_ value: String, for request: AdminRequest) -> String {
        let attributes = "Path=\(cookiePath); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
        return "\(cookieName(for: request))=\(value); \(attributes)"
    }
}

extension ConsoleAccess {
    /// A relative address, which is right below any path of a proxy.
    private static let redirect = AdminResponse(
        status: 308, contentType: "text/plain; charset=utf-8", body: Array("console/\n".utf8),
        extra: ["Location": "console/"])

    private static let signedOut = AdminResponse.problem(
        .missingCredential, title: "No session of the console", detail: "Sign in with the admin token.",
        extra: ["WWW-Authenticate": "Bearer realm=\"gatehouse admin\""])

    private static let wrongToken = AdminResponse.problem(
        .crossSite, title: "The CSRF token is missing or wrong",
        detail: "Repeat csrf_token of /console/session in X-CSRF-Token.")
}

extension AdminRequest {
    fileprivate var isChange: Bool { method != "GET" && method != "HEAD" }
}

extension AdminResponse {
    init(_ fields: [(name: String, value: String)], _ contentType: String, _ body: [UInt8]) {
        self.init(status: 200, contentType: contentType, body: body)
        for field in fields { extra[field.name] = field.value }
    }
}
