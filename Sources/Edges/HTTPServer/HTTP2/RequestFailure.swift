package import GatewayCore
package import HTTP2Mapping

extension RequestMapping.Failure {
    /// The code of the response to a head with this error.
    package var decisionCode: DecisionCode {
        switch self {
        case .tooLarge, .tooManyFields: .headTooLarge
        case .malformed, .unknownProtocol: .malformedRequest
        }
    }

    /// The reason for the access log and for explanations.
    package var reason: String {
        switch self {
        case .malformed(let reason): "http2: \(reason)"
        case .unknownProtocol: "http2: unknown :protocol"
        case .tooLarge: "http2: fields too large"
        case .tooManyFields: "http2: too many fields"
        }
    }
}
