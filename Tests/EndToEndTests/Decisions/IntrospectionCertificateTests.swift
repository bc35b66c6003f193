import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Services that authenticate with the certificate of their TLS connection (RFC 8705).
struct IntrospectionCertificateTests {
    private static let secret = "orders-secret-0123456789"

    @Test(arguments: [("dns: client.test", "--http1.1"), ("uri: 'spiffe://test/client'", "--http2")])
    func `a service introspects with its certificate, and no other certificate is its credential`(
        _ name: String, _ option: String
    ) async throws {
        let authority = try TestAuthority()
        let tls = "certificate: '\(authority.certificate)', private_key: '\(authority.key)'"
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = """
                { address: 127.0.0.1:0,
                  tls: { \(tls), client_ca: '\(authority.authority)', client_certificates: optional },
                  introspection: { clients: [
                    { id: billing, certificate: { \(name) } }, { id: orders, secret: \(Self.secret) }] } }
                """
            configuration.routes = ["path: /**"]
        }) { scenario in
            let port = try scenario.gateway.decisionsPort
            let token = try scenario.token()
            func introspect(_ more: String...) async throws -> SecureCall.Result {
                try await SecureCall.curl(
                    [option, "-d", "token=\(token)"] + more, "https://localhost:PORT/introspect", port: port,
                    authority: authority.authority)
            }
            let mine = ["--cert", authority.clientCertificate, "--key", authority.clientKey]
            // A certificate of the same authority, with other names.
            let other = ["--cert", authority.certificate, "--key", authority.key]
            let active = try await introspect(mine[0], mine[1], mine[2], mine[3])
            #expect(active.status == 200 && active.output.contains("\"active\":true"), "\(active.output)")
            let refused = [
                try await introspect(), try await introspect(other[0], other[1], other[2], other[3]),
                // A credential that is sent is the one that counts.
                try await introspect(mine[0], mine[1], mine[2], mine[3], "-u", "billing:x"),
                try await introspect(mine[0], mine[1], mine[2], mine[3], "-H", "Authorization: Bearer x"),
                try await introspect("-u", "billing:"),
            ]
            for result in refused {
                #expect(result.status == 401 && result.output.contains("invalid_client"), "\(result.output)")
                #expect(!result.output.contains("active"))
            }
            let secret = try await introspect(other[0], other[1], other[2], other[3], "-u", "orders:\(Self.secret)")
            #expect(secret.status == 200 && secret.output.contains("\"active\":true"), "\(secret.output)")
            let metadata = try await SecureCall.curl(
                [option], "https://localhost:PORT/.well-known/oauth-authorization-server", port: port,
                authority: authority.authority)
            #expect(metadata.output.contains(#"["client_secret_basic","tls_client_auth"]"#), "\(metadata.output)")
            let reason = "the certificate has the name of no client, or of more than one"
            let lines = await scenario.accessLog()
            #expect(lines.contains { $0["reason"] == .string(reason) })
        }
    }
}
