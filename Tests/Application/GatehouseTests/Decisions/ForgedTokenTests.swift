import GatewayCore
import HTTPServer
import RequestPipeline
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// Forged tokens that wait for keys must not delay the requests of other clients. Needs 127.0.0.2, which Linux has.
@Suite(.enabled(if: isLinux && DescriptorLimit.raise() >= 4096, "opens 1,100 connections on two addresses"))
struct ForgedTokenTests {
    private static func request(_ token: String) -> String {
        "GET /private/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    private static let forged = request(TokenDraft.idToken().withHeader("kid", "\"unknown\"").signed())

    private func fill(_ rig: RequestPathRig, count: Int) throws -> [LoopbackSocket] {
        let clients = try (0..<count).map { _ in try rig.connect() }
        for client in clients { try client.send(Self.forged) }
        return clients
    }

    @Test func `tokens of one address do not displace a user of another`() throws {
        let rig = try RequestPathRig()
        let forgers = try fill(rig, count: 1100)
        try rig.until { $0.counters.snapshot().requests(.overloaded) == 76 && $0.pending.count == 1024 }
        let user = try rig.send(Self.request(TokenDraft.idToken().signed()), from: 2)
        try rig.until { $0.counters.snapshot().requests(.overloaded) == 77 && $0.pending.count == 1024 }
        #expect(user.isQuiet)
        try rig.installKeys()
        let server = try rig.upstream.accept()
        #expect(try server.readHead().values("X-Auth-Uid") == ["user-1"])
        try server.send(.okResponse)
        #expect(try user.readMessage().body == "ok")
        let statuses = try forgers.map { try $0.readMessage().status }
        #expect(statuses.filter { $0 == 503 }.count == 77)
        #expect(statuses.filter { $0 == 401 }.count == 1023)
    }

    @Test func `a client that leaves frees its entry`() throws {
        let rig = try RequestPathRig()
        let forgers = try fill(rig, count: 20)
        try rig.until { $0.pending.count == 20 }
        for client in forgers[5...] { client.reset() }
        try rig.until { $0.pending.count == 5 }
    }
}

#if os(Linux)
    private let isLinux = true
#else
    private let isLinux = false
#endif
