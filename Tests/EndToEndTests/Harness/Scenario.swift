import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A development identity, an echoing upstream, and the built gateway between a client and both.
struct Scenario: Sendable {
    let provider: DevelopmentProvider
    let echo: EchoUpstream
    let gateway: GatewayProcess

    /// Starts the servers, runs `body`, and stops the servers.
    ///
    /// - Parameters:
    ///   - waits: Whether to wait until the gateway is ready.
    ///   - arrange: Changes the configuration before the gateway starts.
    static func run(
        waits: Bool = true, maxAge: Int = 3600,
        arrange: (DevelopmentProvider, EchoUpstream, inout GatewayConfiguration) async throws -> Void = { _, _, _ in },
        _ body: (Scenario) async throws -> Void
    ) async throws {
        try await OwnThread.run {
            let provider = try await DevelopmentProvider.start(maxAge: maxAge)
            let echo = try await EchoUpstream.startInstructed(port: Ports.free())
            var configuration = GatewayConfiguration(
                keysURL: provider.url(.idTokenJWKSet), sessionKeysURL: provider.url(.sessionX509), upstream: echo.url)
            try await arrange(provider, echo, &configuration)
            let gateway = try GatewayProcess(configuration)
            let result: Result<Void, any Error>
            do {
                try await gateway.start()
                if waits { try await gateway.ready() }
                result = .success(try await body(Scenario(provider: provider, echo: echo, gateway: gateway)))
            } catch {
                result = .failure(error)
            }
            await gateway.kill()
            await echo.stop()
            await provider.stop()
            try result.get()
        }
    }

    /// Sends a request on a new connection.
    func send(_ request: WireRequest) throws -> WireResponse { try RawClient.exchange(gateway.port, request) }

    /// Sends bytes on a new connection and returns one response.
    func send(raw text: String) throws -> WireResponse { try client(sending: text).response() }

    /// Opens a connection to the gateway.
    func connect(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: gateway.port, receiveBuffer: receiveBuffer)
    }

    /// Opens a connection and sends bytes on it.
    func client(sending bytes: [UInt8]) throws -> RawClient {
        let client = try connect()
        try client.send(bytes)
        return client
    }

    func client(sending text: String) throws -> RawClient { try client(sending: Array(text.utf8)) }

    func client(sending request: WireRequest) throws -> RawClient { try client(sending: request.bytes) }

    /// Stops the gateway and returns the lines of its access log.
    func accessLog() async -> [JSON] {
        gateway.signal(15)
        _ = await gateway.exitCode()
        return gateway.output.split(separator: "\n").map { JSON(parsing: Array($0.utf8)) ?? .null }
    }

    /// Calls the admin API with its token.
    @discardableResult
    func admin(_ method: String, _ target: String, body: String = "") throws -> WireResponse {
        var request = WireRequest(method: method, target: target, host: "localhost")
        request.fields = [
            "Authorization: Bearer \(GatewayConfiguration.adminToken)", "Content-Length: \(body.utf8.count)",
        ]
        request.body = Array(body.utf8)
        return try RawClient.exchange(gateway.adminPort, request)
    }

    /// A signed ID token.
    func token(_ user: DevelopmentUser = .ada, _ change: (FirebaseToken) -> FirebaseToken = { $0 }) throws -> String {
        try provider.sign(change(provider.idToken(for: user)))
    }

    /// A signed session cookie.
    func cookie(_ user: DevelopmentUser = .ada, _ change: (FirebaseToken) -> FirebaseToken = { $0 }) throws -> String {
        try provider.sign(change(provider.sessionCookie(for: user)))
    }

    /// Sends a request that must be permitted, and returns the request that the upstream received.
    func passes(
        _ request: WireRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> EchoReport {
        let response = try send(request)
        #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
        return try #require(EchoReport(response), sourceLocation: sourceLocation)
    }
}
