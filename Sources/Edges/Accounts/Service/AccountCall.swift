package import Authentication
package import GatewayCore
import JOSE
package import RequestPipeline
import Revocation

/// A complete request to an account endpoint.
package struct AccountCall: Sendable {
    package let endpoint: AccountEndpoint
    package let body: [UInt8]
    /// The `Content-Type` without parameters, in lower case. Empty if absent.
    package let contentType: String
    /// The principal of the request's credential, which is valid and not revoked in the view. `nil` if the request is
    /// anonymous.
    package let caller: Principal?
    /// The client's network, for rate limits.
    package let network: PeerNetwork
    /// The request ID of the access log.
    package let requestID: String
    /// The facts about the browser, for the endpoints of flows.
    package var browser: BrowserRequest
    /// `Authorization`, for endpoints whose senders are servers. `nil` if absent or repeated.
    package let authorization: [UInt8]?
    /// The fields of a webhook, for `gitHubEvents`. `nil` for other endpoints.
    package let webhook: WebhookFields?

    /// The fields of GitHub's webhook. Empty if absent or repeated.
    package struct WebhookFields: Sendable {
        /// `X-GitHub-Event`.
        package let event: [UInt8]
        /// `X-Hub-Signature-256`.
        package let signature: [UInt8]

        package init(event: [UInt8], signature: [UInt8]) {
            self.event = event
            self.signature = signature
        }
    }

    package init(
        endpoint: AccountEndpoint, body: [UInt8], contentType: String, caller: Principal?, network: PeerNetwork,
        requestID: String, browser: BrowserRequest = BrowserRequest(), authorization: [UInt8]? = nil,
        webhook: WebhookFields? = nil
    ) {
        self.endpoint = endpoint
        self.body = body
        self.contentType = contentType
        self.caller = caller
        self.network = network
        self.requestID = requestID
        self.browser = browser
        self.authorization = authorization
        self.webhook = webhook
    }
}

/// The facts about a browser's request that flows need.
package struct BrowserRequest: Sendable {
    /// The provider's ID at the end of the path.
    package var provider = ""
    package var isPost = false
    package var isPatch = false
    /// The query, without its `?`.
    package var query: [UInt8] = []
    /// The values of cookies with the name of the flow's binding, and with the name of the session cookie.
    package var bindings: [String] = []
    package var sessions: [String] = []
    /// The values of session cookies with an earlier name, if there are some with the current one, which replace them.
    package var replaced: [String] = []
    /// The public ID of a session in the path. Empty for other endpoints.
    package var session = ""
    /// `User-Agent`. Empty if absent.
    package var userAgent: [UInt8] = []
    /// `Sec-Fetch-Mode`, `Sec-Fetch-Dest` and `Sec-Fetch-Site`. `nil` if absent.
    package var fetchMode: String?
    package var fetchDestination: String?
    package var fetchSite: String?
    /// Whether the browser loads the address ahead of a navigation (`Sec-Purpose`).
    package var isAhead = false
    /// `Origin`. `nil` if absent.
    package var origin: String?
    /// `Accept-Language`. `nil` if absent.
    package var acceptLanguage: String?

    package init() {}

    /// The name of the cookie that binds flows to the browser.
    package static let bindingCookie = BrowserBinding.cookieName

    var allBindings: [BrowserBinding] { bindings.compactMap { BrowserBinding($0) } }
    /// The binding for a new flow. `nil` if the browser has none.
    var binding: BrowserBinding? { allBindings.first }
}

/// The response to an account request.
package enum AccountReply: Sendable {
    /// 200 with a JSON body.
    case json([UInt8], cookie: SessionCookie? = nil)
    /// 200 without a body, never cached. For senders of events (OpenID Connect Back-Channel Logout 1.0 section 2.8).
    case accepted
    /// 202 without a body: a security event was stored (RFC 8935 section 2.2).
    case eventStored
    /// 400 with a JSON body: a security event is not valid (RFC 8935 section 2.3).
    case eventRejected(SecurityEventError)
    /// 204.
    case done(cookie: SessionCookie? = nil)
    /// A problem document.
    case refused(Denial, cookie: SessionCookie? = nil)
    /// 303.
    case redirect(to: String, cookies: [FlowCookie])
    /// 200 with the address at the provider, to which the page navigates.
    case authorization(url: String, binding: String)
    /// 400 with a page for the user.
    case page([UInt8])
    /// 200 with a page that leads the browser onward.
    case onward([UInt8])
    /// 200 with the sign-in page, which the worker renders.
    case signInPage(SignInPage.Content)
}

/// A cookie of a flow's response.
package enum FlowCookie: Sendable, Equatable {
    case session(SessionCookie)
    /// The binding of flows to the browser, whose lifetime begins again.
    case binding(String)
}

extension FlowCookie {
    /// The lifetime of the binding, in seconds.
    package static let bindingLifetime = BrowserBinding.lifetime
    /// The fields of all pages and redirects.
    package static let pageFields = FlowPage.fields
}

/// The change of the session cookie by `Set-Cookie`.
package enum SessionCookie: Sendable, Equatable {
    /// Sets the cookie. `maximumAge` is in seconds.
    case set(token: String, maximumAge: Int64)
    case clear

    /// The lifetime of the cookie, in seconds.
    var maximumAge: Int64 {
        switch self {
        case .set(_, let maximumAge): maximumAge
        case .clear: 0
        }
    }
}

/// The account endpoints, served off the request path and shared by the workers.
package protocol AccountServing: Sendable {
    /// Serves a call. It calls `completion` once, from any thread.
    func serve(_ call: AccountCall, completion: @escaping @Sendable (AccountReply) -> Void)
}

extension AccountCall {
    /// The `User-Agent` of the request.
    var userAgent: [UInt8] { browser.userAgent }

    /// Returns the caller, who must be authenticated.
    func requiredCaller() throws(AccountDenial) -> Principal {
        guard let caller else { throw AccountDenial(.missingCredential) }
        return caller
    }

    /// Checks that a browser navigates to a page. Images, scripts and frames of other sites load addresses without the
    /// choice of their user.
    func checkNavigation() throws(AccountDenial) {
        let isPage = endpoint == .page || endpoint == .startSignIn || endpoint == .callback && !browser.isPost
        guard isPage else { return }
        guard browser.fetchMode.map({ $0 == "navigate" }) ?? true,
            browser.fetchDestination.map({ $0 == "document" }) ?? true, !browser.isAhead
        else {
            var denial = Denial(.crossSite)
            denial.detail = "Open this address in the browser's address bar or by a link."
            throw AccountDenial(denial, reason: "not a navigation")
        }
    }

    /// Returns the caller, who must have an account or a session. A caller with only a provider's token has nothing to
    /// change.
    func accountHolder() throws(AccountDenial) -> Principal {
        let caller = try requiredCaller()
        guard !caller.isDerived else {
            throw AccountDenial(
                .operationNotAllowed, detail: "Sign in first. A provider's token does not represent an account.")
        }
        return caller
    }
}

extension Principal {
    /// Whether it is a provider's own token whose identity belongs to no account.
    var isDerived: Bool { link.map { UserKey($0) == user } ?? false }

    /// Returns the identities at a provider that the credential's claims list. `nil` if there are no such identities.
    func identities(at provider: String) -> JSONValue? { identities?[provider] }

    /// The providers and kinds of contact in the credential's claims.
    var identityKinds: [String] { identities?.members.map(\.name) ?? [] }

    private var identities: JSONValue? { claims.root["firebase"]?["identities"] }

    /// When the credential and those that renew it expire, for the store. `nil` if it is unknown.
    var end: Int64? { endsAt == .latest ? nil : endsAt.seconds }

    /// How long the end of the session must be recorded. A gateway cookie is the only credential of its session. A
    /// session identified by its sign-in time continues in tokens issued later, for an unknown time.
    var endedUntil: Int64 {
        let isOurs = kind == .sessionCookie && session.map { claims.root["sid"]?.equals($0) == true } ?? false
        return isOurs ? end ?? StoreBounds.maximumTime : StoreBounds.maximumTime
    }
}
