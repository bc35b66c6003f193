package import GatewayCore

/// A kind of Firebase credential and the place where alone it counts.
package enum CredentialKind: UInt8, Sendable {
    /// An ID token: counts in the header only.
    case idToken
    /// A session cookie: counts in the cookie only.
    case sessionCookie

    /// The code for a credential of this kind that is not valid for any reason but those with codes of their own.
    var invalidCode: DecisionCode { self == .idToken ? .invalidIDToken : .invalidSessionCookie }
    package var expiredCode: DecisionCode { self == .idToken ? .idTokenExpired : .sessionCookieExpired }
    package var revokedCode: DecisionCode { self == .idToken ? .idTokenRevoked : .sessionCookieRevoked }
}
