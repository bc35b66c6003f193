import GatewayConfiguration
import GatewayCore
import OperatorConsole

// The sign-in at a provider: a navigation to the provider, and one back. Both are GET requests without a form, so that
// the policy of the page stays strict.
extension ConsoleAccess {
    /// The lifetime of the binding cookie, in seconds. The flow is shorter.
    private static let bindingLifetime = 900
    /// The maximum number of binding cookies that are read.
    private static let maximumBindings = 4

    /// Begins a flow, if a page of the console or the address bar led here.
    func startSignIn(_ request: AdminRequest) -> Admission {
        guard let signIn, signIn.settings != nil else { return .response(AdminAPI.notFound) }
        if let refusal = crossSiteRefusal(of: request) ?? Self.navigationRefusal(of: request) {
            return .response(refusal)
        }
        let visit = visit(of: request)
        // A session of this browser does not outlive the sign-in that replaces it. The callback does not have its
        // cookie, because the provider leads there from another site.
        let old = sessionID(of: request)
        return .flow {
            do throws(ConsoleSignInFailure) {
                let (url, binding) = try await signIn.start(visit)
                if let old { sessions.end(old) }
                return Self.redirect(to: url, cookie: bindingCookie(binding, for: request))
            } catch {
                return Self.page(error.message, for: request)
            }
        }
    }

    /// Ends a flow. The provider leads here, so that the request may come from another site: the state in the query and
    /// the binding cookie show that this browser began the flow.
    func finishSignIn(_ request: AdminRequest) -> Admission {
        guard let signIn, signIn.settings != nil else { return .response(AdminAPI.notFound) }
        if let refusal = Self.navigationRefusal(of: request) { return .response(refusal) }
        let (network, now) = (request.peer?.network ?? .unknown, clock.monotonic())
        let visit = visit(of: request)
        // Without a binding nothing is looked up. Any page can lead a browser here so, and must not use up the limit.
        let isLimited = !visit.bindings.isEmpty
        if isLimited, let seconds = flowLimits.wait(for: network, now: now) {
            return .response(Self.limited(seconds, for: request))
        }
        return .flow {
            do throws(ConsoleSignInFailure) {
                return begin(try await signIn.finish(visit), for: request)
            } catch {
                if isLimited { flowLimits.record(network, now: clock.monotonic()) }
                let page = Self.page(error.message, for: request)
                // A response that belongs to no flow is no sign-in.
                guard error.message != .expired else { return page }
                var caller = AdminCaller(address: request.address, isConsole: true)
                if case .notListed(let address) = error.message { caller.email = address }
                recordSignIn(caller, status: page.status)
                return page
            }
        }
    }

    /// Begins the session of an identity, if the configuration still permits it.
    private func begin(_ identity: OperatorIdentity, for request: AdminRequest) -> AdminResponse {
        var caller = AdminCaller(address: request.address, isConsole: true, email: identity.address)
        guard let role = signIn?.role(of: identity) else {
            let page = Self.page(.notListed(address: identity.address), for: request)
            recordSignIn(caller, status: page.status)
            return page
        }
        let now = clock.monotonic()
        if let seconds = wait(as: role, from: request.peer?.network ?? .unknown, now: now) {
            return Self.limited(seconds, for: request)
        }
        guard let (id, session) = sessions.begin(role: role, name: nil, identity: identity, now: now)
        else { return Self.page(.unavailable, for: request) }
        (caller.role, caller.session) = (role, session.label)
        recordSignIn(caller, status: 303)
        return Self.redirect(to: "./", cookie: cookie(id, for: request))
    }

    private func recordSignIn(_ caller: AdminCaller, status: Int) {
        record(AdminAction(event: "sign_in", provider: signIn?.settings?.provider, caller: caller, status: status))
    }

    // MARK: - The request

    /// Rejects a request that is not the navigation of a browser's window. Images, scripts and frames of other sites
    /// load addresses without the choice of their user.
    private static func navigationRefusal(of request: AdminRequest) -> AdminResponse? {
        guard request.values("sec-fetch-mode").allSatisfy({ $0 == "navigate" }),
            request.values("sec-fetch-dest").allSatisfy({ $0 == "document" }), request.values("sec-purpose").isEmpty
        else {
            return .problem(
                .crossSite, title: "The request is not a navigation",
                detail: "Open this address in the browser's address bar or by a link.")
        }
        return nil
    }

    private func visit(of request: AdminRequest) -> ConsoleVisit {
        let query = request.target.firstIndex(of: "?").map { request.target[$0...].dropFirst() } ?? ""
        return ConsoleVisit(
            query: Array(query.utf8),
            bindings: Array(cookies(named: bindingName(for: request), in: request).prefix(Self.maximumBindings)),
            network: request.peer?.network ?? .unknown, requestID: RandomText.name())
    }

    // MARK: - The response

    private func bindingName(for request: AdminRequest) -> String { cookieName(for: request) + "-flow" }

    /// Returns the cookie that binds a flow to the browser. Another site, the provider, leads the browser back, so that
    /// it cannot be strict.
    private func bindingCookie(_ binding: String, for request: AdminRequest) -> String {
        let attributes = "Path=\(cookiePath); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        return "\(bindingName(for: request))=\(binding); \(attributes); Max-Age=\(Self.bindingLifetime)"
    }

    private static func redirect(to location: String, cookie: String) -> AdminResponse {
        AdminResponse(
            status: 303, contentType: "text/plain; charset=utf-8", body: [],
            extra: ["Location": location, "Set-Cookie": cookie, "Referrer-Policy": "no-referrer"])
    }

    private static func limited(_ seconds: Int, for request: AdminRequest) -> AdminResponse {
        var page = page(.limited, for: request)
        page.extra["Retry-After"] = "\(seconds)"
        return page
    }

    private static func page(_ message: SignInMessage, for request: AdminRequest) -> AdminResponse {
        let body = message.render(languages: request.values("accept-language").first)
        var response = AdminResponse(SignInMessage.fields, "text/html; charset=utf-8", body)
        response.status =
            switch message {
            case .expired, .cancelled, .rejected: 400
            case .unverified, .notListed: 403
            case .limited: 429
            case .unavailable: 503
            }
        return response
    }
}
