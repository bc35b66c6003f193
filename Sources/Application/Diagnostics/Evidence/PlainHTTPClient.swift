import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP request of a command to the admin API or to a demo gateway.
package struct PlainRequest: Sendable {
    /// The method, for example `GET`.
    package var method: String
    /// An `http://` URL.
    package var url: String
    /// The fields except `Host` and `Content-Length`.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        _ method: String, _ url: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// A response to a `PlainRequest`.
package struct PlainResponse: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
}

/// A client for single requests: without redirects and retries, with limits of time and size.
package enum PlainHTTPClient {
    /// The default timeout from the start to the last byte.
    package static let timeLimit = Duration.seconds(10)
    /// The maximum size of a response body, in bytes.
    static let sizeLimit = 1 << 20

    /// Sends one request on a new connection.
    ///
    /// - Throws: The error that prevented a response.
    package static func send(
        _ request: PlainRequest, within timeout: Duration = timeLimit
    ) async throws -> PlainResponse {
        let (timeout, connectTimeout) = (TimeAmount(timeout), TimeAmount(min(timeout, .seconds(3))))
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout = .init(connect: connectTimeout, read: timeout)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        let result: Result<PlainResponse, any Error>
        do {
            result = .success(try await exchange(request, client, within: timeout))
        } catch {
            result = .failure(error)
        }
        // It fails only if the client was already shut down.
        try? await client.shutdown()
        return try result.get()
    }

    private static func exchange(
        _ request: PlainRequest, _ client: HTTPClient, within timeout: TimeAmount
    ) async throws -> PlainResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        outgoing.headers = HTTPHeaders(request.fields.map { ($0.name, $0.value) })
        outgoing.headers.replaceOrAdd(name: "Connection", value: "close")
        if !request.body.isEmpty { outgoing.body = .bytes(request.body) }
        let response = try await client.execute(outgoing, timeout: timeout)
        let body = try await response.body.collect(upTo: sizeLimit)
        return PlainResponse(
            status: Int(response.status.code), fields: response.headers.map { ($0.name, $0.value) },
            body: Array(body.readableBytesView))
    }
}
