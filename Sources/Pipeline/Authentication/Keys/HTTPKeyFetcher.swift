import AsyncHTTPClient
package import GatewayCore
package import NIOCore
import NIOHTTP1
package import OutboundHTTP

/// Reads key sets over HTTP: certificates verified, no redirects, bounded in bytes and time, whatever the source does.
package struct HTTPKeyFetcher: KeyFetcher {
    /// The bounds of one fetch.
    package struct Limits: Sendable {
        /// The most bytes of an answer's body. Default: 1 MiB.
        package var size = 1 << 20
        /// From the start to the last byte, a second try included. Default: 5 s, since a request may wait that long for it.
        package var time = TimeAmount.seconds(5)

        /// The defaults.
        package init() {}
    }

    private let client: HTTPClient
    private let limits: Limits
    private let clock: GatewayClock

    /// A fetcher on the group's event loops. `shutdown` must be called before it is let go.
    package init(group: any EventLoopGroup, clock: GatewayClock = .system, limits: Limits = Limits()) {
        // The default configuration verifies certificates and host names, and does not decompress.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout = .init(connect: limits.time, read: limits.time)
        // Retrying is the key set's business, which knows the backoff.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroup: group, configuration: configuration)
        self.limits = limits
        self.clock = clock
    }

    /// Closes the connections. Fetches that run fail.
    package func shutdown() async throws {
        try await client.shutdown()
    }

    /// The key set of `source`, whose URLs must be http or https. A discovery document and its key set share the time of one fetch.
    package func fetch(_ source: KeySetSource) async throws(KeyFetchError) -> FetchedKeySet {
        let deadline = NIODeadline.now() + limits.time
        switch source {
        case .url(let url):
            return try await keys(at: url, deadline: deadline)
        case .discovery(let url, let issuer):
            let answer = try await answer(to: Self.request(url), deadline: deadline)
            let document = try DiscoveryDocument(answer.body, from: url, issuer: issuer)
            var keys = try await keys(at: document.keysURL, deadline: deadline)
            keys.algorithms = document.algorithms
            return keys
        }
    }

    private func keys(at url: String, deadline: NIODeadline) async throws(KeyFetchError) -> FetchedKeySet {
        try await answer(to: Self.request(url), deadline: deadline).keys(now: clock.now())
    }
}

extension HTTPKeyFetcher {
    /// A failure of one attempt.
    private struct Failure: Error {
        let reason: KeyFetchError
        let wasClosedUnanswered: Bool
    }

    private static func request(_ url: String) throws(KeyFetchError) -> HTTPClient.Request {
        let headers: HTTPHeaders = [
            "accept": "application/jwk-set+json, application/json;q=0.9, */*;q=0.1", "user-agent": "gatehouse",
        ]
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http", let request = try? HTTPClient.Request(url: url, headers: headers)
        else { throw KeyFetchError(.invalidURL) }
        return request
    }

    /// The source's answer, with one more try on a connection that it closed before a byte of it: the source closed a kept
    /// connection just as it was used again.
    private func answer(
        to request: HTTPClient.Request, deadline: NIODeadline
    ) async throws(KeyFetchError) -> KeyResponse {
        do {
            return try await attempt(request, deadline: deadline)
        } catch {
            guard error.wasClosedUnanswered else { throw error.reason }
        }
        do {
            return try await attempt(request, deadline: deadline)
        } catch {
            throw error.reason
        }
    }

    private func attempt(_ request: HTTPClient.Request, deadline: NIODeadline) async throws(Failure) -> KeyResponse {
        let collector = KeyResponseCollector(limit: limits.size)
        let task = client.execute(request: request, delegate: collector, deadline: deadline)
        do {
            return try await withTaskCancellationHandler {
                try await task.get()
            } onCancel: {
                task.cancel()
            }
        } catch {
            let reason = KeyFetchError(failure: error)
            throw Failure(reason: reason, wasClosedUnanswered: reason.code == .closed && !collector.hasHead)
        }
    }
}
