import Forwarding
import Foundation
import GatewayConfiguration
import GatewayCore
import NIOSSL
import Testing

@testable import SystemFixtures

/// `https://` and `unix:` servers, real ones.
@Suite struct SecureUpstreamTests {
    private func server(_ authority: TestAuthority, asksForCertificate: Bool = false) throws -> AnsweringServer {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(authority.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: authority.key, format: .pem)))
        if asksForCertificate {
            tls.trustRoots = .file(authority.authority)
            tls.certificateVerification = .noHostnameVerification
        }
        return try AnsweringServer(tls: tls)
    }

    /// The status of a request over TLS to `host`, which is this machine.
    private func status(
        _ server: AnsweringServer, _ adjust: (inout Configuration.Upstream.UpstreamTLSFiles) -> Void
    ) throws -> Int {
        let rig = try RequestPathRig {
            $0.upstreams[0].servers = [
                Configuration.UpstreamServer(host: "127.0.0.1", port: server.port, isSecure: true)
            ]
            adjust(&$0.upstreams[0].tls)
        }
        let client = try rig.connect()
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        try client.send(request)
        let status = try client.readMessage().status
        if status == 200 {
            // The connection is kept, and serves again.
            try client.send(request)
            #expect(try client.readMessage().body == "ok")
            try rig.untilPool(open: 1, idle: 1, waiting: 0)
        } else {
            try rig.untilPool(open: 0, idle: 0, waiting: 0)
        }
        return status
    }

    @Test func aServerWithTheRightNameAndAuthorityAnswers() throws {
        let authority = try TestAuthority(names: "DNS:api.internal")
        let status = try status(server(authority)) { tls in
            tls.ca = authority.authority
            tls.serverName = "api.internal"
        }
        #expect(status == 200)
    }

    @Test func aServerThatIsNamedByItsAddressMustListIt() throws {
        let authority = try TestAuthority(names: "IP:127.0.0.1")
        #expect(try status(server(authority)) { $0.ca = authority.authority } == 200)
        let other = try TestAuthority(names: "IP:127.0.0.2,DNS:localhost")
        #expect(try status(server(other)) { $0.ca = other.authority } == 502)
    }

    @Test(arguments: ["DNS:other.internal", "IP:127.0.0.1", "DNS:*.api.internal"])
    func aCertificateWithoutTheNameIsRefused(names: String) throws {
        let authority = try TestAuthority(names: names)
        let status = try status(server(authority)) { tls in
            tls.ca = authority.authority
            tls.serverName = "api.internal"
        }
        #expect(status == 502)
    }

    @Test func anAuthorityThatIsNotTrustedIsRefused() throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        #expect(try status(server(authority)) { $0.ca = other.authority } == 502)
        #expect(try status(server(authority)) { _ in } == 502)
    }

    @Test func theClientsCertificateIsShown() throws {
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

    @Test func aServerThatDoesNotSpeakTLSIsRefused() throws {
        #expect(try status(AnsweringServer()) { _ in } == 502)
    }

    @Test func aHandshakeThatDoesNotEndIsGivenUp() throws {
        let rig = try RequestPathRig {
            $0.upstreams[0].servers[0].isSecure = true
            $0.upstreams[0].connectTimeout = .milliseconds(100)
        }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try client.readMessage().status == 502)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        server.close()
    }

    @Test func aSocketOfThisMachineServes() throws {
        let folder = try ScratchFolder()
        let server = try AnsweringServer(path: folder.path("app.sock"))
        let rig = try RequestPathRig {
            $0.upstreams[0].servers = [Configuration.UpstreamServer(path: folder.path("app.sock"))]
        }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readMessage().body == "ok")
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

    @Test func aFileThatIsMissingOrUnfitIsAnError() throws {
        let (authority, other) = (try TestAuthority(), try TestAuthority())
        #expect(
            problems { $0.ca = "/nowhere/ca.pem" }.first?.contains("tls.ca: '/nowhere/ca.pem' cannot be read") == true)
        #expect(problems { $0.ca = authority.key } == ["upstreams.api: tls.ca holds no certificate in PEM"])
        let notOurs = problems { tls in
            tls.certificate = authority.clientCertificate
            tls.privateKey = other.clientKey
        }
        #expect(notOurs.count == 1)
    }

    @Test func otherBytesInAFileAreAnotherUpstream() throws {
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
