import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why a source gave no key set. A failure never replaces a key set.
package struct KeyFetchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure; their raw values are names for metrics and logs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The URL cannot be requested over http or https. Only a change of the configuration helps.
        case invalidURL = "invalid_url"
        /// No connection: name resolution, refused, TLS.
        case unreachable
        /// The connection was closed before the response was complete.
        case closed
        /// The response was not complete in time.
        case timedOut = "timed_out"
        /// A redirect; none is followed, because it may lead to another party's keys.
        case redirected
        /// A status other than 200.
        case status
        /// More bytes than a key set may have.
        case tooLarge = "too_large"
        /// The bytes of the response are not HTTP.
        case invalidResponse = "invalid_response"
        /// The body is neither a JWK set nor an X.509 map.
        case notAKeySet = "not_a_key_set"
        /// The discovery document is malformed, or lacks a required member.
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
    /// What was found, for the log: at most 200 characters, never key material.
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

extension KeyFetchError {
    /// Converts a failure of the HTTP client.
    package init(failure error: any Error) {
        switch error {
        case let error as KeyFetchError: self = error
        case let error as HTTPClientError: self.init(client: error)
        case let error as HTTPParserError where error == .invalidEOFState:
            self.init(.closed, "within the answer")
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
