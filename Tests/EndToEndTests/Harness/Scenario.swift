import DevelopmentIdentity
import IdentityFixtures
import Testing

/// A development identity, an upstream that echoes, and the built gateway between a client and them.
struct Scenario: Sendable {
    let provider: DevelopmentProvider
    let echo: EchoUpstream
    let gateway: GatewayProcess

    /// Starts everything, runs `body`, and ends everything.
    ///
    /// - Parameters:
    ///   - waits: until the gateway is ready.
    ///   - arrange: before the gateway starts.
    static func run(
        waits: Bool = true, maxAge: Int = 3600,
        arrange: (DevelopmentProvider, EchoUpstream, inout GatewayConfiguration) async throws -> Void = { _, _, _ in },
        _ body: (Scenario) async throws -> Void
    ) async throws {
        try await OwnThread.run {
            let provider = try await DevelopmentProvider.start(maxAge: maxAge)
            let echo = try await EchoUpstream.startInstructed()
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

    /// Sends a request on a connection of its own.
    func send(_ request: WireRequest) throws -> WireResponse { try RawClient.exchange(gateway.port, request) }

    /// Sends bytes on a connection of its own and reads one response.
    func send(raw text: String) throws -> WireResponse {
        let client = try RawClient(port: gateway.port)
        try client.send(text)
        return try client.response()
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

    /// What the upstream received of a request that must pass.
    func passes(
        _ request: WireRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> EchoReport {
        let response = try send(request)
        #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
        return try #require(EchoReport(response), sourceLocation: sourceLocation)
    }
}
