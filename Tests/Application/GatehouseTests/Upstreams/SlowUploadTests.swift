import Forwarding
import GatewayConfiguration
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Uploads that do not come to their ends hold three quarters of the pool, and others pass. Through sockets.
@Suite struct SlowUploadTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    private let rig: RequestPathRig
    private let slow: [(client: LoopbackSocket, server: LoopbackSocket)]

    /// A pool of four connections, of which uploads hold what they may.
    init() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 4 }
        slow = try (0..<3).map { _ in
            let client = try rig.connect()
            try client.send(Self.post(length: 4, "abc"))
            let server = try rig.upstream.accept()
            _ = try server.readHead()
            return (client, server)
        }
        self.rig = rig
    }

    private static func post(length: Int, _ body: String) -> String {
        "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\(body)"
    }

    private func expectServed(_ client: LoopbackSocket, body: String = "") throws {
        let server = try rig.upstream.accept()
        #expect(try server.readMessage(hasBody: !body.isEmpty).body == body)
        try server.send(Self.ok)
        #expect(try client.readMessage().status == 200)
    }

    @Test func aRequestWithoutABodyPasses() throws {
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try expectServed(client)
    }

    @Test func aRequestWhoseBodyIsHerePasses() throws {
        let client = try rig.connect()
        try client.send(Self.post(length: 5, "hello"))
        try expectServed(client, body: "hello")
    }

    @Test func aBodyThatArrivesWhileItsRequestWaitsPasses() throws {
        let client = try rig.connect()
        try client.send(Self.post(length: 5, "he"))
        try rig.untilPool(open: 3, idle: 0, waiting: 1)
        try client.send("llo")
        try rig.until { $0.front.registry.connections.contains { $0.inbound.readableBytes == 5 } }
        #expect(!rig.upstream.hasConnection)
        try rig.tick()
        try expectServed(client, body: "hello")
    }

    @Test func oneMoreUploadWaitsForTheEndOfABody() throws {
        let client = try rig.connect()
        try client.send(Self.post(length: 5, "he"))
        try rig.untilPool(open: 3, idle: 0, waiting: 1)
        try slow[0].client.send("d")
        try rig.untilPool(open: 4, idle: 0, waiting: 0)
        try client.send("llo")
        try expectServed(client, body: "hello")
    }

    @Test func oneMoreUploadWaitsForTheEndOfAClient() throws {
        let client = try rig.connect()
        try client.send(Self.post(length: 5, "he"))
        try rig.untilPool(open: 3, idle: 0, waiting: 1)
        slow[0].client.reset()
        try rig.until { $0.pools[0].waitingCount == 0 }
        try client.send("llo")
        try expectServed(client, body: "hello")
    }

    @Test func oneMoreUploadWaitsForTheEndOfAnUpstreamsConnection() throws {
        let client = try rig.connect()
        try client.send(Self.post(length: 5, "he"))
        try rig.untilPool(open: 3, idle: 0, waiting: 1)
        slow[0].server.close()
        #expect(try slow[0].client.readMessage().status == 502)
        try client.send("llo")
        try expectServed(client, body: "hello")
    }

    @Test func oneMoreUploadWaitsNoLongerThanOthers() throws {
        let client = try rig.connect()
        try client.send(Self.post(length: 5, "he"))
        try rig.untilPool(open: 3, idle: 0, waiting: 1)
        try rig.pass(seconds: 2.1)
        #expect(try client.readMessage().status == 504)
        try rig.untilPool(open: 3, idle: 0, waiting: 0)
    }
}
