import AsyncHTTPClient
import GatewayCore
package import NIOCore
import NIOHTTP1

/// An HTTP/1.1 client that verifies certificates and bounds size and time. It neither follows redirects nor
/// decompresses.
package final class OutboundHTTPClient: OutboundTransport {
    /// The maximum size of a response about one token, in bytes.
    package static let sizeLimit = 64 << 10

    private let client: HTTPClient
    private let size: Int
    private let retriesClosed: Bool

    /// Creates a client on one of the group's event loops. `shutdown` must be called before it is released.
    ///
    /// - Parameters:
    ///   - connections: The maximum number of idle connections to one server. More are never in use at once.
    ///   - size: The maximum size of a response body, in bytes.
    ///   - longest: The longest timeout of any request. It also bounds opening a connection.
    ///   - connect: A shorter timeout of opening a connection.
    ///   - retriesClosed: Whether a request is sent again if the connection closed before the response. Otherwise each
    ///     request has its own connection, so that no idle one fails it.
    package init(
        group: any EventLoopGroup, connections: Int, size: Int = sizeLimit, longest: Duration,
        connect: Duration? = nil, retriesClosed: Bool = true
    ) {
        // The default configuration verifies certificates and host names, and does not decompress.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        let longest = TimeAmount.nanoseconds(Int64(longest.nanoseconds))
        let opening = connect.map { TimeAmount.nanoseconds(Int64($0.nanoseconds)) } ?? longest
        configuration.timeout = .init(connect: opening, read: longest)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(connections, 1)
        // The owner of a lookup decides when to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        // All on one event loop: between loops, AsyncHTTPClient 1.37.0 returns a connection to its pool in a later turn
        // than the turn in which the request ends. If the server closed the connection in between, the process ends.
        client = HTTPClient(eventLoopGroup: group.next(), configuration: configuration)
        self.size = size
        self.retriesClosed = retriesClosed
    }

    package func send(
        _ request: OutboundRequest, within timeout: Duration,
        completion: @escaping @Sendable (Result<OutboundResponse, LookupFailure>) -> Void
    ) {
        var whole = request
        if !retriesClosed { whole.fields.append(("connection", "close")) }
        guard let request = Self.request(whole) else { return completion(.failure(LookupFailure(.invalidURL))) }
        let deadline = NIODeadline.now() + .nanoseconds(Int64(timeout.nanoseconds))
        attempt(request, deadline: deadline, mayRetry: retriesClosed, completion: completion)
    }

    package func shutdown() async {
        try? await client.shutdown()
    }
}

extension OutboundHTTPClient {
    private static func request(_ request: OutboundRequest) -> HTTPClient.Request? {
        let scheme = request.url.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        var headers: HTTPHeaders = ["user-agent": "gatehouse", "accept": "application/json"]
        for field in request.fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        return try? HTTPClient.Request(
            url: request.url, method: request.method.name, headers: headers,
            body: request.method == .get ? nil : .bytes(request.body))
    }

    /// Sends a request, and sends it again if the connection closed before the first byte of the response. A server
    /// may close an idle connection just as it is used again.
    private func attempt(
        _ request: HTTPClient.Request, deadline: NIODeadline, mayRetry: Bool,
        completion: @escaping @Sendable (Result<OutboundResponse, LookupFailure>) -> Void
    ) {
        let collector = ResponseCollector(limit: size)
        let task = client.execute(request: request, delegate: collector, deadline: deadline)
        task.futureResult.whenComplete { result in
            let result = result.mapError { LookupFailure(failure: $0) }
            guard mayRetry, case .failure(let failure) = result, failure.kind == .closed, !collector.hasHead else {
                return completion(result)
            }
            self.attempt(request, deadline: deadline, mayRetry: false, completion: completion)
        }
    }
}

extension OutboundRequest.Method {
    fileprivate var name: HTTPMethod {
        switch self {
        case .get: .GET
        case .post: .POST
        case .put: .PUT
        case .delete: .DELETE
        }
    }
}
