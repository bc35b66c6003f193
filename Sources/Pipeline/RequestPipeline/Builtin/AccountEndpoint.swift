package import Authorization
package import HTTPWire

/// The calls under `/.gatehouse/`.
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

    /// What follows `/.gatehouse/`: the one spelling that is answered.
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

    /// GET covers HEAD.
    package var method: HTTPWire.Method { self == .auth ? .get : .post }

    /// Whether it comes from a provider's server, not from an app: there is no cross-site rule for it, and no caller.
    package var isEvent: Bool { self == .appleEvents || self == .backchannelLogout }

    /// What is asked of its caller before the call is read. Calls that need more (a recent sign-in, the store's own word) ask it themselves,
    /// after they were read and right before they change something.
    package var policy: RoutePolicy {
        var policy = RoutePolicy()
        switch self {
        case .reauthenticate, .link, .unlink: break
        case .auth, .signOut: policy.authentication = .optional
        case .nonce, .signIn, .session, .appleEvents, .backchannelLogout: policy.authentication = .none
        }
        return policy
    }

    /// The most bytes of a call's body.
    package static let bodyLimit = 32_768
}
