/// Why a service gave no usable response. It says nothing about the key of the lookup.
package struct LookupFailure: Error, Equatable, Sendable {
    /// The kinds of failure; their raw values are names for metrics and logs.
    package enum Kind: String, Sendable, CaseIterable {
        /// The URL cannot be requested. Only a change of the configuration helps.
        case invalidURL = "invalid_url"
        /// No connection: name resolution, refused, TLS.
        case unreachable
        /// The connection was closed before the response was complete.
        case closed
        case timedOut = "timed_out"
        /// More bytes than a response may have.
        case tooLarge = "too_large"
        /// The bytes of the response are not HTTP.
        case invalidResponse = "invalid_response"
        /// A redirect; none is followed, because secrets would go to another party.
        case redirected
        /// The gateway's own credentials are not accepted. Only a change of the configuration helps.
        case ownCredentials = "own_credentials"
        /// The service reports too many calls.
        case throttled
        /// Any other status that is not a result.
        case status
        /// A response that does not follow its specification.
        case malformed
        /// The gateway stops.
        case cancelled
    }

    package let kind: Kind
    /// What was found, for the log: at most 200 characters, nothing secret.
    package let detail: String
    /// Whether lookups of any key would fail now, and not only those of this key: one token that confuses its provider must not keep other
    /// tokens from being checked.
    package var concernsAll: Bool
    /// How long the service asks not to be called, in seconds, within the bounds of `RetryAfter`.
    package var retryAfter: Int?

    package init(_ kind: Kind, _ detail: String = "", concernsAll: Bool = true, retryAfter: Int? = nil) {
        self.kind = kind
        self.detail = String(detail.prefix(200))
        self.concernsAll = concernsAll
        self.retryAfter = retryAfter
    }

    /// A response that its specification does not allow.
    package static func malformed(_ what: String) -> LookupFailure {
        LookupFailure(.malformed, what, concernsAll: false)
    }

    /// A status that is neither a result nor a rejection of the token.
    ///
    /// - Parameter ownCredentials: the statuses by which the service rejects the gateway's own credentials.
    package init(_ response: OutboundResponse, ownCredentials: Set<Int>, now: Int64) {
        let kind: Kind
        switch response.status {
        case ownCredentials: kind = .ownCredentials
        case 429: kind = .throttled
        case 300..<400: kind = .redirected
        default: kind = .status
        }
        let wanted = response.retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
        let concernsKey = kind == .status && (400..<500).contains(response.status) && response.status != 403
        self.init(
            kind, "\(response.status)", concernsAll: !concernsKey || wanted != nil, retryAfter: wanted)
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
        // The size of a response depends on the key in most cases.
        self.init(kind, known.detail, concernsAll: kind != .tooLarge)
    }
}

extension Set<Int> {
    fileprivate static func ~= (set: Set<Int>, status: Int) -> Bool { set.contains(status) }
}
