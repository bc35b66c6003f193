/// A request to a service for tokens or accounts.
///
/// It contains secrets and tokens, so it is never logged, and not stored after its response.
package struct OutboundRequest: Sendable {
    package enum Method: Sendable {
        case get, post, put, delete
    }

    package var method: Method
    package var url: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8] = []

    package init(method: Method, url: String, fields: [(name: String, value: String)], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// A complete response of any status.
package struct OutboundResponse: Sendable {
    package var status: Int
    /// The `Retry-After` field, unchanged.
    var retryAfter: String?
    package var body: [UInt8]
    /// The `Metadata-Flavor` field, by which Google's metadata server identifies itself.
    package var metadataFlavor: String?
    /// The `Date` field in seconds since 1970. `nil` if it is absent or malformed.
    package var date: Int64?
    /// The `ETag` field, unchanged.
    package var etag: String?
}

/// A sender of requests. Tests replace it to simulate services.
package protocol OutboundTransport: Sendable {
    /// Sends a request once and calls `completion` once, from any thread, possibly before the return.
    ///
    /// Redirects are not followed, and the size of the response is bounded.
    func send(
        _ request: OutboundRequest, within timeout: Duration,
        completion: @escaping @Sendable (Result<OutboundResponse, LookupFailure>) -> Void)

    /// Closes the connections. Pending requests fail.
    func shutdown() async
}

extension OutboundTransport {
    /// Sends a request once and returns its response.
    package func send(
        _ request: OutboundRequest, within timeout: Duration
    ) async -> Result<OutboundResponse, LookupFailure> {
        await withCheckedContinuation { continuation in
            send(request, within: timeout) { continuation.resume(returning: $0) }
        }
    }
}
