/// The reason that a service returned no usable response. It is no statement about the key of the lookup.
package struct LookupFailure: Error, Equatable, Sendable {
    /// The kind of failure. Raw values are names in metrics and logs.
    package enum Kind: String, Sendable, CaseIterable {
        /// The URL is invalid. Only a change of the configuration helps.
        case invalidURL = "invalid_url"
        /// No connection: failed name resolution, refused connection or TLS error.
        case unreachable
        /// The connection was closed before the response was complete.
        case closed
        case timedOut = "timed_out"
        /// The response exceeds the size limit.
        case tooLarge = "too_large"
        /// The response is not HTTP.
        case invalidResponse = "invalid_response"
        /// A redirect. Redirects are not followed, since secrets would reach another party.
        case redirected
        /// The service rejected the gateway's credentials. Only a change of the configuration helps.
        case ownCredentials = "own_credentials"
        /// The service reports too many calls.
        case throttled
        /// Another status that is not a result.
        case status
        /// The response violates its specification.
        case malformed
        /// The gateway is shutting down.
        case cancelled
    }

    package let kind: Kind
    /// Details for the log: at most 200 characters, without secrets.
    package let detail: String
    /// Whether lookups of all keys are affected, not only lookups of this key. A token that causes an error in its
    /// provider must not block the verification of other tokens.
    package var concernsAll: Bool
    /// The delay that the service requests in seconds, within the bounds of `RetryAfter`.
    package var retryAfter: Int?

    package init(_ kind: Kind, _ detail: String = "", concernsAll: Bool = true, retryAfter: Int? = nil) {
        self.kind = kind
        self.detail = String(detail.prefix(200))
        self.concernsAll = concernsAll
        self.retryAfter = retryAfter
    }

    /// Creates the failure for a response that violates its specification.
    package static func malformed(_ what: String) -> LookupFailure {
        LookupFailure(.malformed, what, concernsAll: false)
    }

    /// Creates the failure for a status that is neither a result nor a rejection of the token.
    ///
    /// - Parameter ownCredentials: The statuses by which the service rejects the gateway's credentials.
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

    /// Converts an error of the HTTP client.
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
        // The size of a response usually depends on the key.
        self.init(kind, known.detail, concernsAll: kind != .tooLarge)
    }
}

extension Set<Int> {
    fileprivate static func ~= (set: Set<Int>, status: Int) -> Bool { set.contains(status) }
}
