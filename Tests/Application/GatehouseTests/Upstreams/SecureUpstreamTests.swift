import Forwarding
import Foundation
import GatewayConfiguration
import GatewayCore
import NIOSSL
import Testing

@testable import SystemFixtures

/// Requests to real `https://` and `unix:` servers.
@Suite struct SecureUpstreamTests {
    private func server(_ authority: TestAuthority, asksForCertificate: Bool = false) throws -> EchoingUpstream {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(authority.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: authority.key, format: .pem)))
        if asksForCertificate {
            tls.trustRoots = .file(authority.authority)
            tls.certificateVerification = .noHostnameVerification
        }
        return try EchoingUpstream(tls: tls)
    }

    /// The status of a TLS request to `host`, which is this machine.
    private func status(
        _ server: EchoingUpstream, connectTimeout: Duration = .hangLimit,
        _ adjust: (inout Configuration.Upstream.UpstreamTLSFiles) -> Void
    ) throws -> Int {
        let rig = try RequestPathRig {
            $0.upstreams[0].connectTimeout = connectTimeout
            $0.upstreams[0].servers = [
                Configuration.UpstreamServer(host: "127.0.0.1", port: server.port, isSecure: true)
            ]
            adjust(&$0.upstreams[0].tls)
        }
        let client = try rig.send()
        let status = try client.readMessage().status
        if status == 200 {
            // The connection serves the next request.
            try client.send(.getRequest)
            #expect(try client.readMessage().status == 200)
            try rig.untilPool(open: 1, idle: 1, waiting: 0)
        } else {
            try rig.untilPool(open: 0, idle: 0, waiting: 0)
        }
        return status
    }

    @Test func `a server that is named by its address must list it`() throws {
        let authority = try TestAuthority(names: "IP:127.0.0.1")
        #expect(try status(server(authority)) { $0.ca = authority.authority } == 200)
        let other = try TestAuthority(names: "IP:127.0.0.2,DNS:localhost")
        #expect(try status(server(other)) { $0.ca = other.authority } == 502)
    }

    @Test(arguments: [
        ("DNS:api.internal", 200), ("DNS:other.internal", 502), ("IP:127.0.0.1", 502), ("DNS:*.api.internal", 502),
    ])
    func `a certificate must have the configured name`(names: String, status: Int) throws {
        let authority = try TestAuthority(names: names)
        let found = try self.status(server(authority)) { tls in
            tls.ca = authority.authority
            tls.serverName = "api.internal"
        }
        #expect(found == status)
    }

    @Test func `an authority that is not trusted is rejected`() throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        #expect(try status(server(authority)) { $0.ca = other.authority } == 502)
        #expect(try status(server(authority)) { _ in } == 502)
    }

    @Test func `the client certificate is presented`() throws {
        let authority = try TestAuthority()
        let server = try server(authority, asksForCertificate: true)
        let status = try status(server) { tls in
            tls.ca = authority.authority
            tls.certificate = authority.clientCertificate
            tls.privateKey = authority.clientKey
        }
        #expect(status == 200)
        #expect(try self.status(server) { $0.ca = authority.authority } == 502)
    }

    @Test func `a server that does not speak TLS is rejected`() throws {
        #expect(try status(EchoingUpstream(), connectTimeout: .milliseconds(100)) { _ in } == 502)
    }

    @Test func `a handshake that does not end times out`() throws {
        let rig = try RequestPathRig {
            $0.upstreams[0].servers[0].isSecure = true
            $0.upstreams[0].connectTimeout = .milliseconds(100)
        }
        let client = try rig.send()
        let server = try rig.upstream.accept()
        #expect(try client.readMessage().status == 502)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        server.close()
    }

    @Test func `a local socket serves`() throws {
        let folder = try ScratchFolder()
        let server = try EchoingUpstream(path: folder.path("app.sock"))
        let rig = try RequestPathRig {
            $0.upstreams[0].servers = [Configuration.UpstreamServer(path: folder.path("app.sock"))]
        }
        let client = try rig.send()
        #expect(try client.readMessage().status == 200)
        withExtendedLifetime(server) {}
    }

    // MARK: - Files

    private func problems(_ adjust: (inout Configuration.Upstream.UpstreamTLSFiles) -> Void) -> [String] {
        var upstream = Configuration.Upstream(name: "api", servers: [.init(host: "a", port: 1, isSecure: true)])
        adjust(&upstream.tls)
        var reader = UpstreamReader()
        _ = reader.read(upstream, counterPlace: 0)
        return reader.errors.map(\.what)
    }

    @Test func `a missing or unusable file is an error`() throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        #expect(
            problems { $0.ca = "/nowhere/ca.pem" }.first?.contains("tls.ca: '/nowhere/ca.pem' cannot be read") == true)
        #expect(problems { $0.ca = authority.key } == ["upstreams.api: tls.ca contains no PEM certificate"])
        let notOurs = problems { tls in
            tls.certificate = authority.clientCertificate
            tls.privateKey = other.clientKey
        }
        #expect(notOurs.count == 1)
    }

    @Test func `a file with other content is another upstream`() throws {
        let (first, second) = (try TestAuthority(), try TestAuthority())
        let folder = try ScratchFolder()
        var upstream = Configuration.Upstream(name: "api", servers: [.init(host: "a", port: 1, isSecure: true)])
        upstream.tls.ca = folder.path("ca.pem")
        var reader = UpstreamReader()
        let settings = try [first, first, second].map { authority in
            let pem = FileManager.default.contents(atPath: authority.authority) ?? Data()
            try folder.write(String(decoding: pem, as: UTF8.self), to: "ca.pem")
            return reader.read(upstream, counterPlace: 0)
        }
        #expect(settings[0] == settings[1])
        #expect(settings[0] != settings[2])
    }
}
