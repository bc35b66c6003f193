package import GatewayConfiguration
package import GatewayCore
import HTTPServer
import NIOCore

/// The account of one request's decision: its steps in the order of the request path, and how it ends.
package struct Explanation: Sendable {
    /// How the request would end.
    package enum Verdict: Sendable {
        /// It would be forwarded.
        case passes(Forwarded)
        /// The gateway would refuse it.
        case refused(Refusal)
        /// It is for the gateway itself, which would answer it; nothing would be forwarded.
        case answered(Answer)
        /// It hangs on something that could not be found out; what it is.
        case undetermined(String)
    }

    /// What the upstream would get.
    package struct Forwarded: Sendable {
        /// The upstream's name.
        package let upstream: String
        /// The upstream's servers.
        package let servers: [Configuration.UpstreamServer]
        /// The request line's method and target.
        package let method, target: String
        /// The identity fields, as they are written; empty for an anonymous request.
        package let identity: [String]
    }

    /// What the client would get of the gateway's own.
    package struct Answer: Sendable {
        /// The status (RFC 9110 section 15).
        package let status: Int
        /// What it is, in a few words.
        package let what: String
        /// The fields that say more than that; none for most.
        package let fields: [String]
    }

    /// What the client would get.
    package struct Refusal: Sendable {
        /// Status and code.
        package let code: DecisionCode
        /// What the client can do about it.
        package let detail: String
        /// The fields that tell the client what to do: `WWW-Authenticate`, `Allow`.
        package let fields: [String]
    }

    /// What was looked at, in order, up to the first reason to refuse.
    package let steps: [ExplanationStep]
    /// How the request would end.
    package let verdict: Verdict
}

extension Explanation.Refusal {
    /// What the gateway's own answer tells.
    init(_ denial: Denial) {
        let record = RequestRecord()
        code = denial.code
        detail = denial.detail ?? "\(denial.code.detail)"
        // `Retry-After` hangs on the state of the gateway that answers.
        fields = ProblemResponse(denial: denial, record: record, closes: false).lines { name in
            name == "WWW-Authenticate" || name == "Allow"
        }
    }
}

extension ProblemResponse {
    /// The field lines of the answer whose names are wanted.
    func lines(_ isWanted: (Substring) -> Bool) -> [String] {
        var answer = ByteBuffer()
        write(into: &answer, date: [])
        let text = String(decoding: answer.readableBytesView, as: UTF8.self)
        let head = text.split(separator: "\r\n", omittingEmptySubsequences: false).dropFirst().prefix { !$0.isEmpty }
        return head.filter { isWanted($0.prefix { $0 != ":" }) }.map(String.init)
    }
}
