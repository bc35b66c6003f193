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
        /// The fields with the remedy: `WWW-Authenticate` and `Allow`.
        package let fields: [String]
    }

    /// The steps in order, up to the first reason for a denial.
    package let steps: [ExplanationStep]
    /// The outcome of the request.
    package let verdict: Verdict
}

extension Explanation.Refusal {
    /// Creates the response of a denial.
    init(_ denial: Denial) {
        let record = RequestRecord()
        code = denial.code
        detail = denial.detail ?? "\(denial.code.detail)"
        // `Retry-After` is omitted, because it depends on the state of the running gateway.
        fields = ProblemResponse(denial: denial, record: record, closes: false).lines { name in
            name == "WWW-Authenticate" || name == "Allow"
        }
    }
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
