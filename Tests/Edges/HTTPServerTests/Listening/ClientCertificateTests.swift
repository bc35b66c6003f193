import GatewayCore
import NIOSSL
import Testing

@testable import HTTPServer
@testable import SystemFixtures

/// The names of client certificates. IntrospectionCertificateTests reads them from real connections.
struct ClientCertificateTests {
    private func certificate(_ file: String) throws -> NIOSSLCertificate {
        try #require(try NIOSSLCertificate.fromPEMFile(file).first)
    }

    @Test func `a certificate has its DNS names and URIs, within its validity`() throws {
        let authority = try TestAuthority()
        let certificate = try certificate(authority.clientCertificate)
        let (start, end) = (Int64(certificate.notValidBefore), Int64(certificate.notValidAfter))
        for now in [start, end] {
            let names = try #require(ClientCertificate(certificate, at: now)).names
            #expect(names.map(\.description) == ["dns:client.test", "uri:spiffe://test/client"])
        }
        #expect(
            ClientCertificate(certificate, at: start - 1) == nil && ClientCertificate(certificate, at: end + 1) == nil)
    }

    @Test func `names of other kinds are not names, nor is the subject`() throws {
        let authority = try TestAuthority()
        let server = try certificate(authority.certificate)
        let names = try #require(ClientCertificate(server, at: Int64(server.notValidBefore))).names
        #expect(names.map(\.description) == ["dns:localhost"])
        let root = try certificate(authority.authority)
        #expect(try #require(ClientCertificate(root, at: Int64(root.notValidBefore))).names.isEmpty)
    }
}
