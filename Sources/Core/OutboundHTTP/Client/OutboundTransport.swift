/// A request to a service that the gateway queries about tokens or accounts.
///
/// It holds secrets and tokens: it is never logged, and not kept after its response.
package struct OutboundRequest: Sendable {
    package enum Method: Sendable {
        case get, post
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

/// A whole response, whatever its status.
package struct OutboundResponse: Sendable {
    package var status: Int
    /// The `Retry-After` field as it was sent.
    var retryAfter: String?
    package var body: [UInt8]
}

/// Sends requests. Tests play the services by a transport of their own.
package protocol OutboundTransport: Sendable {
    /// Sends a request once and calls `completion` once, from any thread, within this call or later.
    ///
    /// No redirect is followed, and the response is bounded in bytes.
    func send(
        _ request: OutboundRequest, within timeout: Duration,
        completion: @escaping @Sendable (Result<OutboundResponse, LookupFailure>) -> Void)

    /// Closes the connections. Requests under way fail.
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
