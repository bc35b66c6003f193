package import GatewayCore

/// A kind of Firebase credential. Each kind is accepted in one part of a request only.
package enum CredentialKind: UInt8, Sendable {
    /// An ID token: accepted in the header only.
    case idToken
    /// A session cookie: accepted in the cookie only.
    case sessionCookie

    /// The code of the failures of this kind that have no code of their own.
    var invalidCode: DecisionCode { self == .idToken ? .invalidIDToken : .invalidSessionCookie }
    package var expiredCode: DecisionCode { self == .idToken ? .idTokenExpired : .sessionCookieExpired }
    package var revokedCode: DecisionCode { self == .idToken ? .idTokenRevoked : .sessionCookieRevoked }
}
