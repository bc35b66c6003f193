import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Several gateways with one configuration and one Redis.
struct Fleet: Sendable {
    /// Each gateway, with the identity and the upstream that all have.
    let gateways: [Scenario]
    var first: Scenario { gateways[0] }

    /// Starts everything, runs `body`, and ends everything.
    ///
    /// - Parameters:
    ///   - count: how many gateways.
    ///   - store: the value of `store`, in YAML.
    ///   - waits: until the gateways are ready.
    static func run(
        _ count: Int = 1, store: String, waits: Bool = true, arrange: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (Fleet) async throws -> Void
    ) async throws {
        try await run(count, store: store, waits: waits, arrangeWith: { arrange(&$1) }, body)
    }

    /// The same, where the configuration names the identity's endpoints.
    static func run(
        _ count: Int = 1, store: String, waits: Bool = true,
        arrangeWith arrange: (DevelopmentProvider, inout GatewayConfiguration) -> Void,
        _ body: (Fleet) async throws -> Void
    ) async throws {
        try await OwnThread.run {
            let provider = try await DevelopmentProvider.start(maxAge: 3600)
            let echo = try await EchoUpstream.startInstructed()
            var configuration = GatewayConfiguration(
                keysURL: provider.url(.idTokenJWKSet), sessionKeysURL: provider.url(.sessionX509), upstream: echo.url)
            configuration["store"] = store
            // Tests share two cores: what is slow is not away.
            configuration["revocation"] = "{ strict_timeout: \(Allowance.factor)s }"
            arrange(provider, &configuration)
            let gateways = try (0..<count).map { _ in try GatewayProcess(configuration) }
            let result: Result<Void, any Error>
            do {
                for gateway in gateways { try await gateway.start() }
                if waits { for gateway in gateways { try await gateway.ready() } }
                let scenarios = gateways.map { Scenario(provider: provider, echo: echo, gateway: $0) }
                result = .success(try await body(Fleet(gateways: scenarios)))
            } catch {
                result = .failure(error)
            }
            for gateway in gateways { await gateway.kill() }
            await echo.stop()
            await provider.stop()
            try result.get()
        }
    }

    /// Waits until every gateway answers a request with a status.
    func eventuallyAll(
        _ request: WireRequest, _ status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for scenario in gateways {
            _ = try await eventually("\(status) of \(request.target)") {
                try scenario.send(request).status == status ? true : nil
            }
        }
    }
}

extension RedisServer {
    /// The value of `store` for this server.
    var store: String { "redis://127.0.0.1:\(port)" }

    /// Writes a field as another backend would: the hash first, then the change.
    func write(user uid: String, _ field: String, _ value: Int64) throws {
        try cli("HSET", "gatehouse:user:{\(uid)}", field, "\(value)")
        try cli("XADD", "gatehouse:changes", "MAXLEN", "~", "1000000", "*", "uid", uid, field, "\(value)")
    }
}
