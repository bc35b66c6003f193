package import GatewayConfiguration
package import GatewayCore
import HTTPServer
import NIOCore

/// The explanation of one decision: its steps in the order of the request path, and the verdict.
package struct Explanation: Sendable {
    /// The outcome of the request.
    package enum Verdict: Sendable {
        /// The request would be forwarded.
        case passes(Forwarded)
        /// The gateway would deny the request.
        case refused(Refusal)
        /// The gateway would respond itself, without forwarding.
        case responded(Response)
        /// The front end of HTTP/2 would end the stream, or its connection, without a response.
        case ended(StreamEnd)
        /// The outcome depends on unavailable information, with a description.
        case undetermined(String)
    }

    /// The forwarded request.
    package struct Forwarded: Sendable {
        /// The upstream's name. `nil` for a policy, whose requests another proxy forwards.
        package let upstream: String?
        /// The servers of the upstream.
        package let servers: [Configuration.UpstreamServer]
        /// The request line's method and target.
        package let method, target: String
        /// The identity fields as written. Empty for an anonymous request.
        package let identity: [String]
    }

    /// A response of the gateway itself.
    package struct Response: Sendable {
        /// The status (RFC 9110 section 15).
        package let status: Int
        /// A short description.
        package let what: String
        /// The relevant fields. Usually empty.
        package let fields: [String]
    }

    /// The response to a denied request.
    package struct Refusal: Sendable {
        /// The status and the code.
        package let code: DecisionCode
        /// The remedy for the client.
        package let detail: String
        /// The fields with the remedy: `WWW-Authenticate` and `Allow`, of a gRPC call also its result. Over HTTP/2 they
        /// are as received.
        package let fields: [String]
        /// Whether the client receives the trailers-only response of gRPC, whose status is 200.
        package let isTrailersOnly: Bool
    }

    /// The end of an HTTP/2 stream without a response.
    package struct StreamEnd: Sendable {
        /// The error code (RFC 9113 section 7).
        package let errorCode: UInt32
        /// Whether GOAWAY ends the whole connection. Otherwise RST_STREAM ends the stream.
        package let endsConnection: Bool
        /// The reason, which the client does not receive.
        package let reason: String
    }

    /// The steps in order, up to the first reason for a denial.
    package let steps: [ExplanationStep]
    /// The outcome of the request.
    package let verdict: Verdict
}

extension Explanation.Refusal {
    /// Creates the response of a denial.
    ///
    /// - Parameter received: The fields that an HTTP/2 client receives. `nil` for HTTP/1.1.
    init(_ denial: Denial, received: [HTTP2FrontEnd.Field]? = nil) {
        code = denial.code
        detail = denial.detail ?? "\(denial.code.detail)"
        // `Retry-After` is omitted, because it depends on the state of the running gateway.
        guard let received else {
            fields = ProblemResponse(denial: denial, record: RequestRecord(), closes: false).lines { name in
                name == "WWW-Authenticate" || name == "Allow"
            }
            isTrailersOnly = false
            return
        }
        isTrailersOnly = received.contains { $0.name == "grpc-status" }
        let shown = isTrailersOnly ? Self.fieldsOfCall : Self.fieldsOfDenial
        fields = received.filter { shown.contains($0.name) }.map { "\($0.name): \($0.value)" }
    }

    private static let fieldsOfDenial = ["www-authenticate", "allow"]
    private static let fieldsOfCall = fieldsOfDenial + [":status", "content-type", "grpc-status", "grpc-message"]
}

extension ProblemResponse {
    /// Returns the matching field lines of the response.
    func lines(_ isWanted: (Substring) -> Bool) -> [String] {
        var response = ByteBuffer()
        write(into: &response, date: [])
        let text = String(decoding: response.readableBytesView, as: UTF8.self)
        let head = text.split(separator: "\r\n", omittingEmptySubsequences: false).dropFirst().prefix { !$0.isEmpty }
        return head.filter { isWanted($0.prefix { $0 != ":" }) }.map(String.init)
    }
}
