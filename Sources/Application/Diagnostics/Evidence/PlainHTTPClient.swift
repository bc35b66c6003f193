import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// One HTTP request of a command: to the admin API, or to the gateway of a demo.
package struct PlainRequest: Sendable {
    /// Such as `GET`.
    package var method: String
    /// An `http://` URL.
    package var url: String
    /// Besides `Host` and `Content-Length`.
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

/// The answer to one.
package struct PlainResponse: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]
}

/// Sends single requests: no redirects, no retries, bounded in time and size.
package enum PlainHTTPClient {
    /// From the start to the last byte.
    static let timeLimit = TimeAmount.seconds(10)
    /// The most bytes of an answer's body.
    static let sizeLimit = 1 << 20

    /// Sends one request on a connection of its own.
    ///
    /// - Throws: whatever kept the answer from arriving.
    package static func send(_ request: PlainRequest) async throws -> PlainResponse {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout = .init(connect: .seconds(3), read: timeLimit)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        let result: Result<PlainResponse, any Error>
        do {
            result = .success(try await exchange(request, client))
        } catch {
            result = .failure(error)
        }
        // It fails only when it was shut down before.
        try? await client.shutdown()
        return try result.get()
    }

    private static func exchange(_ request: PlainRequest, _ client: HTTPClient) async throws -> PlainResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        outgoing.headers = HTTPHeaders(request.fields.map { ($0.name, $0.value) })
        outgoing.headers.replaceOrAdd(name: "Connection", value: "close")
        if !request.body.isEmpty { outgoing.body = .bytes(request.body) }
        let response = try await client.execute(outgoing, timeout: timeLimit)
        let body = try await response.body.collect(upTo: sizeLimit)
        return PlainResponse(
            status: Int(response.status.code), fields: response.headers.map { ($0.name, $0.value) },
            body: Array(body.readableBytesView))
    }
}
