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
    case auth
    case appleEvents
    case backchannelLogout

    /// The path after `/.gatehouse/`, in its only accepted spelling.
    package var name: StaticString {
        switch self {
        case .nonce: "nonce"
        case .signIn: "sign-in"
        case .session: "session"
        case .reauthenticate: "reauthenticate"
        case .link: "link"
        case .unlink: "unlink"
        case .signOut: "sign-out"
        case .auth: "auth"
        case .appleEvents: "events/apple"
        case .backchannelLogout: "events/backchannel-logout"
        }
    }

    package var path: String { "/.gatehouse/\(name)" }

    /// The accepted method. GET includes HEAD.
    package var method: HTTPWire.Method { self == .auth ? .get : .post }

    /// Whether a provider's server sends the request, not an app. It has no user and no cross-site check.
    package var isEvent: Bool { self == .appleEvents || self == .backchannelLogout }

    /// The policy that is checked before the body is read. Endpoints that need more, such as a recent sign-in or the
    /// store's own record, check it themselves, right before they change something.
    package var policy: RoutePolicy {
        var policy = RoutePolicy()
        switch self {
        case .reauthenticate, .link, .unlink: break
        case .auth, .signOut: policy.authentication = .optional
        case .nonce, .signIn, .session, .appleEvents, .backchannelLogout: policy.authentication = .none
        }
        return policy
    }

    /// The maximum size of a request body, in bytes.
    package static let bodyLimit = 32_768
}
