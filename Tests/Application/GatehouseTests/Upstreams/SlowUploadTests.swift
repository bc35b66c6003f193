import Forwarding
import GatewayConfiguration
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Incomplete uploads hold at most three quarters of the pool, so that other requests pass.
@Suite struct SlowUploadTests {
    private let rig: RequestPathRig
    private let slow: [(client: LoopbackSocket, server: LoopbackSocket)]

    /// A pool of four connections with the maximum number of slow uploads.
    init() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 4 }
        slow = try (0..<3).map { _ in try rig.exchange(Self.post(length: 4, "abc")) }
        self.rig = rig
    }

    private static func post(length: Int, _ body: String) -> String {
        "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\(body)"
    }

    private func expectServed(_ client: LoopbackSocket, body: String = "") throws {
        let server = try rig.upstream.accept()
        #expect(try server.readMessage(hasBody: !body.isEmpty).body == body)
        try server.send(.okResponse)
        #expect(try client.readMessage().status == 200)
    }

    private func waitingUpload() throws -> LoopbackSocket {
        let client = try rig.send(Self.post(length: 5, "he"))
        try rig.untilPool(open: 3, idle: 0, waiting: 1)
        return client
    }

    @Test func `a request without a body passes`() throws {
        let client = try rig.send()
        try expectServed(client)
    }

    @Test func `a request with its whole body passes`() throws {
        let client = try rig.send(Self.post(length: 5, "hello"))
        try expectServed(client, body: "hello")
    }

    @Test func `a body that arrives while its request waits passes`() throws {
        let client = try waitingUpload()
        try client.send("llo")
        try rig.until { $0.connectionContext.registry.elements.contains { $0.inbound.readableBytes == 5 } }
        #expect(!rig.upstream.hasConnection)
        try rig.tick()
        try expectServed(client, body: "hello")
    }

    @Test(arguments: ["body", "client", "upstream connection"])
    func `an additional upload waits for the end of another`(end: String) throws {
        let client = try waitingUpload()
        switch end {
        case "body":
            try slow[0].client.send("d")
            try rig.untilPool(open: 4, idle: 0, waiting: 0)
        case "client":
            slow[0].client.reset()
            try rig.until { $0.pools[0].waitingCount == 0 }
        default:
            slow[0].server.close()
            #expect(try slow[0].client.readMessage().status == 502)
        }
        try client.send("llo")
        try expectServed(client, body: "hello")
    }

    @Test func `an additional upload waits no longer than other requests`() throws {
        let client = try waitingUpload()
        try rig.pass(seconds: 2.1)
        #expect(try client.readMessage().status == 504)
        try rig.untilPool(open: 3, idle: 0, waiting: 0)
    }
}
