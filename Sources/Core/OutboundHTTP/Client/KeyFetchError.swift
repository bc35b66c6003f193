/// Why a source gave no key set. It never replaces a good one.
package struct KeyFetchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; their raw values are names for metrics and logs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The URL is not an http or https one that can be asked. Only configuration mends it.
        case invalidURL = "invalid_url"
        /// No connection: name resolution, refused, TLS.
        case unreachable
        /// The connection was closed before the answer was whole.
        case closed
        /// The whole answer was not there in time.
        case timedOut = "timed_out"
        /// A redirect; none is followed, since it may lead to another party's keys.
        case redirected
        /// A status other than 200.
        case status
        /// More bytes than a key set may have.
        case tooLarge = "too_large"
        /// The bytes of the answer are not HTTP.
        case invalidResponse = "invalid_response"
        /// The body is neither a JWK set nor an X.509 map.
        case notAKeySet = "not_a_key_set"
        /// The discovery document is none, or lacks what is needed of it.
        case notADiscovery = "not_a_discovery_document"
        /// The discovery document is another issuer's.
        case issuerMismatch = "issuer_mismatch"
        /// A key set without one key that can be used.
        case noUsableKeys = "no_usable_keys"
        /// The gateway stops.
        case cancelled
    }

    /// The kind of failure.
    package let code: Code
    /// What was seen, for the log: at most 200 characters, never key material.
    package let detail: String

    /// A failure; `detail` is cut to 200 characters.
    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = String(detail.prefix(200))
    }

    /// The code, then the detail if there is one.
    package var description: String {
        detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
    }
}
