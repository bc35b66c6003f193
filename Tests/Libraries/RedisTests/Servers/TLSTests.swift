import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

struct TLSTests {
    private static func location(_ host: String, _ server: RedisServer) -> RedisConfiguration.Location {
        .server(RedisEndpoint(host: host, port: server.port))
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a certificate of the configured authority is trusted for each of its names`(host: String) async throws {
        let authority = try TestAuthority()
        let server = try await RedisServer(["requirepass secret"], user: .init(password: "secret"), tls: authority)
        let tls = try RedisTLS(authorityFile: authority.authority)
        let joined = try await Joined(Self.location(host, server)) {
            $0.tls = tls
            $0.password = "secret"
            $0.replyLimits = .bulk
        }.ready()
        let value = [UInt8](repeating: 7, count: 1_000_000)
        #expect(try await joined.query("SET", "a", value) == .status("OK"))
        #expect(try await joined.query("GET", "a") == .string(value))
        #expect(try server.cli("STRLEN", "a") == "1000000")
    }

    @Test func `a certificate of an unknown authority is not trusted`() async throws {
        let server = try await RedisServer(tls: try TestAuthority())
        let otherAuthority = try TestAuthority()
        let other = try RedisTLS(authorityFile: otherAuthority.authority)
        let system = try RedisTLS()
        for tls in [other, system] {
            let joined = Joined(to: server) { $0.tls = tls }
            try await joined.problem(.certificateNotTrusted)
        }
    }

    @Test func `a certificate without addresses is valid for its name`() async throws {
        let authority = try TestAuthority(names: "DNS:localhost")
        let server = try await RedisServer(tls: authority)
        let tls = try RedisTLS(authorityFile: authority.authority)
        try await Joined(Self.location("localhost", server)) { $0.tls = tls }.ready()
    }

    @Test(arguments: [
        ("127.0.0.1", "DNS:redis.example,IP:127.0.0.2"), ("localhost", "DNS:redis.example,IP:127.0.0.2"),
        ("127.0.0.1", "DNS:localhost"),
    ])
    func `a certificate for another name or address is rejected`(host: String, names: String) async throws {
        let authority = try TestAuthority(names: names)
        let server = try await RedisServer(tls: authority)
        let tls = try RedisTLS(authorityFile: authority.authority)
        let joined = Joined(Self.location(host, server)) { $0.tls = tls }
        try await joined.problem(.certificateName)
    }

    @Test func `a server can require a client certificate`() async throws {
        let authority = try TestAuthority()
        let server = try await RedisServer(["tls-auth-clients yes"], tls: authority)
        let with = try RedisTLS(
            authorityFile: authority.authority, certificateFile: authority.clientCertificate,
            keyFile: authority.clientKey)
        let without = try RedisTLS(authorityFile: authority.authority)
        try await Joined(to: server) { $0.tls = with }.ready()
        let missing = Joined(to: server) { $0.tls = without }
        try await eventually("the failure: \(missing.client.status)") {
            [.tls, .closedByServer].contains(missing.client.status.problem?.code) ? true : nil
        }
    }

    @Test func `a server and a client do not connect if only one of them uses TLS`() async throws {
        let authority = try TestAuthority()
        let tls = try RedisTLS(authorityFile: authority.authority)
        let (plainServer, encryptedServer) = (try await RedisServer(), try await RedisServer(tls: authority))
        let plain = Joined(to: plainServer) {
            $0.tls = tls
            $0.connectTimeout = .milliseconds(500)
        }
        try await eventually("the failure: \(plain.client.status)") {
            [.tls, .closedByServer, .connectTimedOut].contains(plain.client.status.problem?.code) ? true : nil
        }
        let encrypted = Joined(to: encryptedServer)
        try await eventually("the failure: \(encrypted.client.status)") {
            [.notRedis, .closedByServer].contains(encrypted.client.status.problem?.code) ? true : nil
        }
    }

    @Test func `an unusable file is named`() throws {
        let folder = try ScratchFolder()
        try folder.write("not a certificate", to: "bad.pem")
        let authority = try TestAuthority()
        for path in [folder.path("none.pem"), folder.path("bad.pem")] {
            #expect { try RedisTLS(authorityFile: path) } throws: { "\($0)".contains(path) }
            #expect {
                try RedisTLS(certificateFile: path, keyFile: authority.clientKey)
            } throws: { "\($0)".contains(path) }
            #expect {
                try RedisTLS(certificateFile: authority.clientCertificate, keyFile: path)
            } throws: { "\($0)".contains(path) }
        }
        #expect(throws: RedisTLSError.self) { try RedisTLS(certificateFile: authority.clientCertificate) }
        #expect(throws: RedisTLSError.self) { try RedisTLS(keyFile: authority.clientKey) }
        #expect(throws: RedisTLSError.self) {
            try RedisTLS(certificateFile: authority.clientCertificate, keyFile: authority.key)
        }
    }
}
