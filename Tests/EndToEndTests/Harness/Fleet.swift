import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Several gateways with the same configuration and the same Redis.
struct Fleet: Sendable {
    /// The gateways. They share the development identity and the upstream.
    let gateways: [Scenario]
    var first: Scenario { gateways[0] }

    /// Starts the servers, runs `body`, and stops the servers.
    ///
    /// - Parameters:
    ///   - count: The number of gateways.
    ///   - store: The value of `store`, in YAML.
    ///   - waits: Whether to wait until the gateways are ready.
    static func run(
        _ count: Int = 1, store: String, waits: Bool = true, arrange: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (Fleet) async throws -> Void
    ) async throws {
        try await run(count, store: store, waits: waits, arrangeWith: { arrange(&$1) }, body)
    }

    /// Starts the servers like `run(_:store:waits:arrange:_:)`. `arrange` also gets the development identity.
    static func run(
        _ count: Int = 1, store: String, waits: Bool = true,
        arrangeWith arrange: (DevelopmentProvider, inout GatewayConfiguration) throws -> Void,
        _ body: (Fleet) async throws -> Void
    ) async throws {
        try await OwnThread.run {
            let provider = try await DevelopmentProvider.start(maxAge: 3600)
            let echo = try await EchoUpstream.startInstructed(port: Ports.free())
            var configuration = GatewayConfiguration(
                keysURL: provider.url(.idTokenJWKSet), sessionKeysURL: provider.url(.sessionX509), upstream: echo.url)
            configuration["store"] = store
            // Tests share two cores, so slow responses must not count as failures.
            configuration["revocation"] = "{ strict_timeout: \(Allowance.factor)s }"
            try arrange(provider, &configuration)
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

    /// Waits until every gateway responds to the request with the status.
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

    /// Writes a field as another backend does: first the hash, then the change stream.
    func write(user uid: String, _ field: String, _ value: Int64) throws {
        try cli("HSET", "gatehouse:user:{\(uid)}", field, "\(value)")
        try cli("XADD", "gatehouse:changes", "MAXLEN", "~", "1000000", "*", "uid", uid, field, "\(value)")
    }
}
