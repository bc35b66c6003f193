import GatewayCore
import JOSE

/// The rejection of a security event token, as its transmitter receives it (RFC 8935 section 2.3).
package struct SecurityEventError: Error, Equatable, Sendable {
    /// The codes of RFC 8935 section 2.4, and `invalid_state` of OpenID Shared Signals Framework 1.0.
    package enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidKey = "invalid_key"
        case invalidIssuer = "invalid_issuer"
        case invalidAudience = "invalid_audience"
        case authenticationFailed = "authentication_failed"
    }

    package let code: Code
    /// The problem, for the operators of the transmitter. It contains no data of the token.
    package let description: String

    /// The body of the response: JSON.
    package var body: [UInt8] {
        ObjectText.object {
            $0.add("err", code.rawValue)
            $0.add("description", description)
        }
    }

    static func request(_ description: String) -> Self { Self(code: .invalidRequest, description: description) }
    static func key(_ description: String) -> Self { Self(code: .invalidKey, description: description) }
}

/// The reason that a security event has no effect.
enum SecurityEventFailure: Error, Equatable {
    /// The token is not valid. The transmitter must correct it.
    case rejected(SecurityEventError)
    /// The transmitter should deliver the event again.
    case unavailable(AccountDenial)
    /// The subject is unknown, and the transmitter has no place for a further unknown user. The transmitter should
    /// deliver the event again, later.
    case full

    /// The delay after which the transmitter should deliver such an event again, in seconds.
    static let delayWhenFull = 300

    /// The response to a pushed event.
    var reply: AccountReply {
        switch self {
        case .rejected(let error): .eventRejected(error)
        case .unavailable(let denial): .refused(denial.denial)
        case .full: .refused(Denial(.overloaded, retryAfter: Self.delayWhenFull))
        }
    }
}
