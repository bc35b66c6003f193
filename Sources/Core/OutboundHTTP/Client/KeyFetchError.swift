import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The reason that a source returned no key set. A failure never replaces a key set.
package struct KeyFetchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. Raw values are names in metrics and logs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The URL is not a valid http or https URL. Only a change of the configuration helps.
        case invalidURL = "invalid_url"
        /// No connection: failed name resolution, refused connection or TLS error.
        case unreachable
        /// The connection was closed before the response was complete.
        case closed
        /// The response was not complete before the timeout.
        case timedOut = "timed_out"
        /// A redirect. Redirects are not followed, since they could lead to another party's keys.
        case redirected
        /// A status other than 200.
        case status
        /// The response exceeds the size limit of a key set.
        case tooLarge = "too_large"
        /// The response is not HTTP.
        case invalidResponse = "invalid_response"
        /// The body is neither a JWK set nor an X.509 map.
        case notAKeySet = "not_a_key_set"
        /// The discovery document is malformed or lacks a required member.
        case notADiscovery = "not_a_discovery_document"
        /// The discovery document belongs to another issuer.
        case issuerMismatch = "issuer_mismatch"
        /// The key set has no usable key.
        case noUsableKeys = "no_usable_keys"
        /// The gateway is shutting down.
        case cancelled
    }

    /// The kind of failure.
    package let code: Code
    /// Details for the log: at most 200 characters, without key material.
    package let detail: String

    /// Creates a failure. `detail` is truncated to 200 characters.
    package init(_ code: Code, _ detail: String = "") {
        self.code = code
        self.detail = String(detail.prefix(200))
    }

    /// The code and the detail, if any.
    package var description: String {
        detail.isEmpty ? code.rawValue : "\(code.rawValue): \(detail)"
    }
}

extension KeyFetchError {
    /// Converts an error of the HTTP client.
    package init(failure error: any Error) {
        switch error {
        case let error as KeyFetchError: self = error
        case let error as HTTPClientError: self.init(client: error)
        case let error as HTTPParserError where error == .invalidEOFState:
            self.init(.closed, "within the response")
        case is HTTPParserError: self.init(.invalidResponse, "\(error)")
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE: self.init(.closed)
        case ChannelError.connectTimeout: self.init(.timedOut)
        case is ChannelError: self.init(.closed)
        default: self.init(.unreachable, "\(error)")
        }
    }

    private init(client error: HTTPClientError) {
        switch error {
        case .deadlineExceeded, .readTimeout, .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            self.init(.timedOut)
        case .remoteConnectionClosed: self.init(.closed)
        case .cancelled: self.init(.cancelled)
        default: self.init(.unreachable, error.description)
        }
    }
}
