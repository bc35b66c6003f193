package import Authorization
package import HTTPWire

/// The account endpoints under `/.gatehouse/`.
package enum AccountEndpoint: UInt8, CaseIterable, Sendable {
    case nonce
    case signIn
    case session
    case reauthenticate
    case link
    case unlink
    case signOut
    case account
    case changeEmail
    case deleteAccount
    case exportAccount
    case sessions
    case revokeSession
    case auth
    case appleEvents
    case backchannelLogout
    case securityEvents
    case facebookDeauthorization
    case facebookDeletion
    case gitHubEvents
    case startSignIn
    case startLink
    case startReauthenticate
    case callback
    case result
    case page

    /// The path after `/.gatehouse/`, in its only accepted spelling. The provider's ID follows the name of an endpoint
    /// with `hasProvider`.
    package var name: StaticString {
        switch self {
        case .nonce: "nonce"
        case .signIn: "sign-in"
        case .session: "session"
        case .reauthenticate: "reauthenticate"
        case .link: "link"
        case .unlink: "unlink"
        case .signOut: "sign-out"
        case .account: "account"
        case .changeEmail: "account/email"
        case .deleteAccount: "account/delete"
        case .exportAccount: "account/export"
        case .sessions: "account/sessions"
        case .revokeSession: "account/sessions/{id}/revoke"
        case .auth: "auth"
        case .appleEvents: "events/apple"
        case .backchannelLogout: "events/backchannel-logout"
        case .securityEvents: "events/ssf"
        case .facebookDeauthorization: "events/facebook"
        case .facebookDeletion: "events/facebook-deletion"
        case .gitHubEvents: "events/github"
        case .startSignIn: "sign-in/"
        case .startLink: "link/"
        case .startReauthenticate: "reauthenticate/"
        case .callback: "callback/"
        case .result: "result"
        case .page: ""
        }
    }

    package var path: String { "/.gatehouse/\(name)" }

    /// Whether the endpoint belongs to the authorization-code flow of one provider.
    package var hasProvider: Bool {
        switch self {
        case .startSignIn, .startLink, .startReauthenticate, .callback: true
        default: false
        }
    }

    /// Whether the endpoint belongs to the authorization-code flow, which not all configurations offer.
    package var belongsToFlow: Bool { hasProvider || self == .result || self == .page }

    /// Whether the endpoint may start, change or end a session, and needs the facts about the browser.
    package var changesSession: Bool {
        switch self {
        case .signIn, .session, .reauthenticate, .link, .unlink, .signOut, .account, .changeEmail, .revokeSession:
            true
        default: belongsToFlow
        }
    }

    /// The accepted methods, as the value of `Allow`.
    package var allowedMethods: StaticString {
        switch self {
        case .auth, .page: "GET, HEAD"
        case .startSignIn, .exportAccount, .sessions: "GET"
        case .callback: "GET, POST"
        case .account: "GET, PATCH"
        default: "POST"
        }
    }

    /// Returns whether a method is accepted. Flows accept no HEAD, which would use up their records.
    package func accepts(_ method: HTTPWire.Method) -> Bool {
        switch self {
        case .auth, .page: method == .get || method == .head
        case .startSignIn, .exportAccount, .sessions: method == .get
        case .callback: method == .get || method == .post
        case .account: method == .get || method == .patch
        default: method == .post
        }
    }

    /// The methods of a CORS policy.
    package var listedMethods: [String] {
        switch self {
        case .account: ["GET", "PATCH"]
        default: accepts(.get) ? ["GET", "HEAD"] : ["POST"]
        }
    }

    /// Whether requests of other sites are accepted: from providers' servers, and a provider's page that sends the
    /// browser back.
    package var acceptsOtherSites: Bool { isEvent || self == .callback }

    /// Whether pages of other origins may call it, if the configuration lists them.
    package var takesListedOrigins: Bool {
        !isEvent && self != .startSignIn && self != .callback && self != .page
    }

    /// Whether a provider's server sends the request, not an app. It has no user and no cross-site check.
    package var isEvent: Bool {
        switch self {
        case .appleEvents, .backchannelLogout, .securityEvents: true
        default: isCallback
        }
    }

    /// Whether the sender is authenticated by a secret of the app, which not all configurations have.
    package var isCallback: Bool {
        self == .facebookDeauthorization || self == .facebookDeletion || self == .gitHubEvents
    }

    /// The policy that is checked before the body is read. Endpoints that need more, such as a recent sign-in or the
    /// store's own record, check it themselves, right before they change something.
    package var policy: RoutePolicy {
        var policy = RoutePolicy()
        switch self {
        case .reauthenticate, .link, .unlink, .account, .changeEmail, .deleteAccount, .exportAccount, .sessions,
            .revokeSession,
            .startLink, .startReauthenticate:
            break
        case .auth, .signOut: policy.authentication = .optional
        // A flow begins and ends also with an expired session cookie. The callback and the page examine the cookie
        // themselves.
        case .nonce, .signIn, .session, .appleEvents, .backchannelLogout, .securityEvents, .facebookDeauthorization,
            .facebookDeletion, .gitHubEvents, .startSignIn, .callback, .result, .page:
            policy.authentication = .none
        }
        return policy
    }

    /// The maximum size of a request body, in bytes.
    package static let bodyLimit = 32_768
}
