import DevelopmentIdentity
import JOSE
import Testing

@testable import SystemFixtures

/// Keys are read only from a source with a trusted certificate.
@Suite(.enabled(if: TLSServer.openssl != nil, "needs the program openssl")) struct KeySourceTLSTests {
    /// The flaws of the two key sources, for ID tokens and session cookies, and the host in their URLs.
    static let pairs: [(id: TLSServer.Flaw, session: TLSServer.Flaw, host: String)] = [
        (.selfSigned, .expired, "localhost"), (.otherName, .unknownAuthority, "localhost"),
        (.unknownAuthority, .selfSigned, "127.0.0.1"),
    ]

    @Test(.tags(.f23), arguments: pairs)
    func `keys from a source with an untrusted certificate are not used`(
        row: (id: TLSServer.Flaw, session: TLSServer.Flaw, host: String)
    ) async throws {
        let servers = try await (
            TLSServer(row.id, serving: ["keys.json": Self.set(.idToken)]),
            TLSServer(row.session, serving: ["keys.json": Self.set(.sessionCookie)])
        )
        let urls = [servers.0.port, servers.1.port].map { "https://\(row.host):\($0)/keys.json" }
        try await Scenario.run(
            waits: false,
            arrange: { _, _, configuration in
                configuration["identity"] = GatewayConfiguration.identity(urls[0], urls[1])
            }
        ) { scenario in
            let clients = try [
                WireRequest.bearer(scenario.token(), "/me/f23"), .cookie(scenario.cookie(), "/me/f23"),
            ].map { request in try scenario.client(sending: request) }
            for client in clients { expectDenial(try client.response(), 503, "auth/keys-unavailable") }
            #expect(scenario.echo.requestCount == 0)
            // The gateway connected and rejected the certificate.
            for server in [servers.0, servers.1] {
                _ = try await eventually("a TLS alert; server log: \(server.log)") {
                    server.log.contains("alert") ? true : nil
                }
            }
            let readiness = try scenario.gateway.readiness()
            for url in urls { #expect(readiness.status == 503 && readiness.text.contains(url)) }
            _ = try await eventually("the reason; standard error: \(scenario.gateway.errors)") {
                scenario.gateway.errors.contains("CERTIFICATE_VERIFY_FAILED") ? true : nil
            }
        }
    }

    @Test(.tags(.f23)) func `a key source without TLS is not queried over plain HTTP`() async throws {
        try await Scenario.run(
            waits: false,
            arrange: { provider, _, configuration in
                let url = provider.url(.idTokenJWKSet).replacing("http://", with: "https://")
                configuration["identity"] = GatewayConfiguration.identity(url, provider.url(.sessionX509))
            }
        ) { scenario in
            try scenario.expectRefusal(.bearer(scenario.token(), "/me/f23"), 503, "auth/keys-unavailable")
            #expect(scenario.provider.calls(to: .idTokenJWKSet) == 0)
        }
    }

    /// The key set that all providers of this process share, as JSON.
    private static func set(_ use: DevelopmentKeys.Use) throws -> String {
        "{\"keys\":[\(try DevelopmentKeys.shared()[use].map(\.jwk).joined(separator: ","))]}"
    }
}
