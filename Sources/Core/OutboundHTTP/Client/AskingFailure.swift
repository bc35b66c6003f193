/// Why somebody who was asked gave no answer that can be believed. It says nothing of what was asked about.
package struct AskingFailure: Error, Equatable, Sendable {
    /// The kinds of failure; their raw values are names for metrics and logs.
    package enum Kind: String, Sendable, CaseIterable {
        /// The URL is not one that can be asked. Only configuration mends it.
        case invalidURL = "invalid_url"
        /// No connection: name resolution, refused, TLS.
        case unreachable
        /// The connection was closed before the answer was whole.
        case closed
        case timedOut = "timed_out"
        /// More bytes than an answer may have.
        case tooLarge = "too_large"
        /// The bytes of the answer are not HTTP.
        case invalidResponse = "invalid_response"
        /// A redirect; none is followed, since secrets would go to another party.
        case redirected
        /// The gateway's own credentials are not accepted. Only configuration mends it.
        case ownCredentials = "own_credentials"
        /// Too many calls, says who was asked.
        case throttled
        /// Any other status that is no answer.
        case status
        /// An answer that is not what its specification says.
        case malformed
        /// The gateway stops.
        case cancelled
    }

    package let kind: Kind
    /// What was seen, for the log: at most 200 characters, nothing secret.
    package let detail: String
    /// Whether it would befall everybody who asks now, and not only who asks about the same thing: one token that confuses its provider
    /// must not keep others from being checked.
    package var concernsAll: Bool
    /// How long who was asked wants to be left alone, in seconds, within the bounds.
    package var retryAfter: Int?

    package init(_ kind: Kind, _ detail: String = "", concernsAll: Bool = true, retryAfter: Int? = nil) {
        self.kind = kind
        self.detail = String(detail.prefix(200))
        self.concernsAll = concernsAll
        self.retryAfter = retryAfter
    }

    /// An answer that its specification does not know.
    package static func malformed(_ what: String) -> AskingFailure {
        AskingFailure(.malformed, what, concernsAll: false)
    }

    /// A status that is neither an answer nor a refusal.
    ///
    /// - Parameter ownCredentials: the statuses by which the gateway's own credentials are refused.
    package init(_ reply: HTTPReply, ownCredentials: Set<Int>, now: Int64) {
        let kind: Kind
        switch reply.status {
        case ownCredentials: kind = .ownCredentials
        case 429: kind = .throttled
        case 300..<400: kind = .redirected
        default: kind = .status
        }
        let wanted = reply.retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
        let isOfOneQuestion = kind == .status && (400..<500).contains(reply.status) && reply.status != 403
        self.init(
            kind, "\(reply.status)", concernsAll: !isOfOneQuestion || wanted != nil, retryAfter: wanted)
    }

    /// A failure of the HTTP client.
    init(failure error: any Error) {
        let known = KeyFetchError(failure: error)
        let kind: Kind =
            switch known.code {
            case .invalidURL: .invalidURL
            case .closed: .closed
            case .timedOut: .timedOut
            case .tooLarge: .tooLarge
            case .invalidResponse: .invalidResponse
            case .cancelled: .cancelled
            default: .unreachable
            }
        // What makes an answer long is in most cases what was asked about.
        self.init(kind, known.detail, concernsAll: kind != .tooLarge)
    }
}

extension Set<Int> {
    fileprivate static func ~= (set: Set<Int>, status: Int) -> Bool { set.contains(status) }
}
