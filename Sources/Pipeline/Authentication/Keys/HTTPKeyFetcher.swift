import AsyncHTTPClient
package import GatewayCore
package import NIOCore
import NIOHTTP1
package import OutboundHTTP

/// A key fetcher over HTTP. It verifies certificates, follows no redirects, and bounds the size and the duration of
/// each fetch.
package struct HTTPKeyFetcher: KeyFetcher {
    /// The limits of one fetch.
    package struct Limits: Sendable {
        /// The maximum size of a response body. Default: 1 MiB.
        package var size = 1 << 20
        /// The timeout from the start to the last byte, including a retry. Default: 5 s, because a request may wait
        /// that long for it.
        package var time = TimeAmount.seconds(5)

        /// Creates the default limits.
        package init() {}
    }

    private let client: HTTPClient
    private let limits: Limits
    private let clock: GatewayClock

    /// Creates a fetcher on the event loops of `group`. Call `shutdown` before releasing it.
    package init(group: any EventLoopGroup, clock: GatewayClock = .system, limits: Limits = Limits()) {
        // The default configuration verifies certificates and host names, and does not decompress.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout = .init(connect: limits.time, read: limits.time)
        // The key set retries, because it knows the backoff.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroup: group, configuration: configuration)
        self.limits = limits
        self.clock = clock
    }

    /// Closes the connections. Running fetches fail.
    package func shutdown() async throws {
        try await client.shutdown()
    }

    /// Fetches the key set of `source`, whose URLs must be http or https. A discovery document and its key set share
    /// one timeout.
    package func fetch(_ source: KeySetSource) async throws(KeyFetchError) -> FetchedKeySet {
        let deadline = NIODeadline.now() + limits.time
        switch source {
        case .url(let url):
            return try await keys(at: url, deadline: deadline)
        case .appCheck(let url, let apiKey):
            var request = try Self.request(url)
            // The endpoint limits callers without an identity.
            apiKey?.withBytes {
                request.headers.add(name: "x-goog-api-key", value: String(decoding: $0, as: UTF8.self))
            }
            return try await response(to: request, deadline: deadline).keys(now: clock.now())
        case .discovery(let url, let issuer):
            let response = try await response(to: Self.request(url), deadline: deadline)
            let document = try DiscoveryDocument(response.body, from: url, issuer: issuer)
            var keys = try await keys(at: document.keysURL, deadline: deadline)
            keys.algorithms = document.algorithms
            return keys
        }
    }

    private func keys(at url: String, deadline: NIODeadline) async throws(KeyFetchError) -> FetchedKeySet {
        try await response(to: Self.request(url), deadline: deadline).keys(now: clock.now())
    }
}

extension HTTPKeyFetcher {
    /// The failure of one attempt.
    private struct Failure: Error {
        let reason: KeyFetchError
        let closedWithoutResponse: Bool
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

    /// Returns the source's response. It retries once if a kept connection closes before any byte of the response,
    /// because the server may have closed it just as it was reused.
    private func response(
        to request: HTTPClient.Request, deadline: NIODeadline
    ) async throws(KeyFetchError) -> KeyResponse {
        do {
            return try await attempt(request, deadline: deadline)
        } catch {
            guard error.closedWithoutResponse else { throw error.reason }
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
            throw Failure(reason: reason, closedWithoutResponse: reason.code == .closed && !collector.hasHead)
        }
    }
}
