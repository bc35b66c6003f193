import Redis
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

@Suite("TLS")
struct TLSTests {
    private static func location(_ host: String, _ server: RedisServer) -> RedisConfiguration.Location {
        .server(RedisEndpoint(host: host, port: server.port))
    }

    @Test(
        "a certificate of the given authority is trusted, for each name and address that it lists",
        arguments: ["127.0.0.1", "localhost"])
    func trusted(host: String) async throws {
        let authority = try TestAuthority()
        let server = try await RedisServer(["requirepass secret"], user: .init(password: "secret"), tls: authority)
        let tls = try RedisTLS(authorityFile: authority.authority)
        let joined = Joined(Self.location(host, server)) {
            $0.tls = tls
            $0.password = "secret"
            $0.replyLimits = .bulk
            $0.replyTimeout = .seconds(5)
        }
        try await joined.ready()
        let value = [UInt8](repeating: 7, count: 1_000_000)
        #expect(try await joined.ask("SET", "a", value) == .status("OK"))
        #expect(try await joined.ask("GET", "a") == .string(value))
        #expect(try server.cli("STRLEN", "a") == "1000000")
    }

    @Test("a certificate of another authority is not trusted, nor, without one, one that the system does not know")
    func untrusted() async throws {
        let server = try await RedisServer(tls: try TestAuthority())
        let otherAuthority = try TestAuthority()
        let other = try RedisTLS(authorityFile: otherAuthority.authority)
        let system = try RedisTLS()
        for tls in [other, system] {
            let joined = Joined(to: server) { $0.tls = tls }
            try await joined.problem(.certificateNotTrusted)
        }
    }

    @Test("a name is enough for who connects by it")
    func nameAlone() async throws {
        let authority = try TestAuthority(names: "DNS:localhost")
        let server = try await RedisServer(tls: authority)
        let tls = try RedisTLS(authorityFile: authority.authority)
        let joined = Joined(Self.location("localhost", server)) { $0.tls = tls }
        try await joined.ready()
    }

    @Test(
        "a certificate for another name or address is not taken",
        arguments: [
            ("127.0.0.1", "DNS:redis.example,IP:127.0.0.2"), ("localhost", "DNS:redis.example,IP:127.0.0.2"),
            ("127.0.0.1", "DNS:localhost"),
        ])
    func otherName(host: String, names: String) async throws {
        let authority = try TestAuthority(names: names)
        let server = try await RedisServer(tls: authority)
        let tls = try RedisTLS(authorityFile: authority.authority)
        let joined = Joined(Self.location(host, server)) { $0.tls = tls }
        try await joined.problem(.certificateName)
    }

    @Test("a client's certificate is shown to a server that asks for one; without one the failure is told")
    func clientCertificate() async throws {
        let authority = try TestAuthority()
        let server = try await RedisServer(["tls-auth-clients yes"], tls: authority)
        let with = try RedisTLS(
            authorityFile: authority.authority, certificateFile: authority.clientCertificate,
            keyFile: authority.clientKey)
        let without = try RedisTLS(authorityFile: authority.authority)
        let shown = Joined(to: server) { $0.tls = with }
        try await shown.ready()
        let missing = Joined(to: server) { $0.tls = without }
        try await eventually("the failure: \(missing.client.status)") {
            [.tls, .closedByServer].contains(missing.client.status.problem?.code) ? true : nil
        }
    }

    @Test("a server that speaks no TLS, and one that speaks nothing else, are told")
    func mismatch() async throws {
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

    @Test("files that cannot be used are named")
    func files() throws {
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
