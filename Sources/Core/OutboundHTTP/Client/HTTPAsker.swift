import AsyncHTTPClient
import GatewayCore
package import NIOCore
import NIOHTTP1

/// Asks over HTTP/1.1: certificates verified, no redirects, nothing decompressed, bounded in bytes and time.
package final class HTTPAsker: HTTPAsking {
    /// The most bytes of an answer about one token.
    package static let sizeLimit = 64 << 10

    private let client: HTTPClient
    private let size: Int

    /// An asker on the group's event loops. `shutdown` must be called before it is let go.
    ///
    /// - Parameters:
    ///   - connections: the most that are kept to one server; as many as are ever used at a time.
    ///   - size: the most bytes of an answer's body.
    ///   - longest: what no question takes longer than. A connection that is still being made then is given up.
    package init(group: any EventLoopGroup, connections: Int, size: Int = sizeLimit, longest: Duration) {
        // The default configuration verifies certificates and host names, and does not decompress.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        let longest = TimeAmount.nanoseconds(Int64(longest.nanoseconds))
        configuration.timeout = .init(connect: longest, read: longest)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(connections, 1)
        // Retrying is the business of who asks, who knows when.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroup: group, configuration: configuration)
        self.size = size
    }

    package func ask(
        _ question: HTTPQuestion, within timeout: Duration,
        answer: @escaping @Sendable (Result<HTTPReply, AskingFailure>) -> Void
    ) {
        guard let request = Self.request(question) else { return answer(.failure(AskingFailure(.invalidURL))) }
        let deadline = NIODeadline.now() + .nanoseconds(Int64(timeout.nanoseconds))
        attempt(request, deadline: deadline, mayRetry: true, answer: answer)
    }

    package func shutdown() async {
        try? await client.shutdown()
    }
}

extension HTTPAsker {
    private static func request(_ question: HTTPQuestion) -> HTTPClient.Request? {
        let scheme = question.url.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        var headers: HTTPHeaders = ["user-agent": "gatehouse", "accept": "application/json"]
        for field in question.fields { headers.replaceOrAdd(name: field.name, value: field.value) }
        return try? HTTPClient.Request(
            url: question.url, method: question.method == .get ? .GET : .POST, headers: headers,
            body: question.method == .get ? nil : .bytes(question.body))
    }

    /// Asks, with one more try where the connection was closed before a byte of the answer: a kept connection that its server closed just
    /// as it was used again.
    private func attempt(
        _ request: HTTPClient.Request, deadline: NIODeadline, mayRetry: Bool,
        answer: @escaping @Sendable (Result<HTTPReply, AskingFailure>) -> Void
    ) {
        let collector = ReplyCollector(limit: size)
        let task = client.execute(request: request, delegate: collector, deadline: deadline)
        task.futureResult.whenComplete { result in
            switch result {
            case .success(let reply): answer(.success(reply))
            case .failure(let error):
                let failure = AskingFailure(failure: error)
                guard mayRetry, failure.kind == .closed, !collector.hasHead else { return answer(.failure(failure)) }
                self.attempt(request, deadline: deadline, mayRetry: false, answer: answer)
            }
        }
    }
}
