import Forwarding
import GatewayConfiguration
import GatewayCore
import Testing

@testable import Gatehouse
@testable import SystemFixtures

@Suite struct TunnelTests {
    @Test func `A-17: a handshake is forwarded with the gateway's own Upgrade`() throws {
        let tunnel = try TunnelRig()
        #expect(tunnel.head.values("Connection") == ["Upgrade"])
        #expect(tunnel.head.values("Upgrade") == ["websocket"])
        #expect(tunnel.head.values("X-Auth-Uid") == ["user-1"])
        #expect(tunnel.head.values("Sec-WebSocket-Key") == [TunnelRig.key])
        #expect(tunnel.head.values("Authorization").isEmpty)
    }

    @Test func `bytes are forwarded in both directions`() throws {
        let tunnel = try TunnelRig(token: nil)
        try tunnel.client.send("ping")
        #expect(try tunnel.server.read(4) == "ping")
        try tunnel.server.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try tunnel.client.read(18) == "GET / HTTP/1.1\r\n\r\n")
        try tunnel.client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try tunnel.server.readHead().start == "GET /private/x HTTP/1.1")
    }

    @Test func `bytes that the client sent before the 101 are forwarded`() throws {
        let tunnel = try TunnelRig(token: nil, early: "early")
        #expect(try tunnel.server.read(5) == "early")
    }

    @Test func `early bytes are held until the 101`() throws {
        let rig = try TunnelRig.rig()
        let (client, server) = try rig.exchange(TunnelRig.handshake("/ws") + "early")
        try rig.pass(seconds: 1)
        #expect(server.isQuiet)
        try server.send(TunnelRig.switching + "\r\nat once")
        #expect(try client.readHead().values("Sec-WebSocket-Accept") == [TunnelRig.accept])
        #expect(try client.read(7) == "at once")
        #expect(try server.read(5) == "early")
    }

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\n", "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n",
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nSec-WebSocket-Accept: \(TunnelRig.accept)\r\n",
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket, h2c\r\nSec-WebSocket-Accept: \(TunnelRig.accept)\r\n",
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n",
        TunnelRig.switching + "Sec-WebSocket-Accept: \(TunnelRig.accept)\r\n",
        TunnelRig.switching + "Sec-WebSocket-Protocol: chat\r\n", "HTTP/1.0" + TunnelRig.switching.dropFirst(8),
    ])
    func `K-13: an invalid 101 opens no tunnel`(answer: String) throws {
        let rig = try TunnelRig.rig()
        let (client, server) = try rig.exchange(TunnelRig.handshake("/ws") + "GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.send(answer + "\r\n")
        #expect(try client.readMessage().status == 502)
        #expect(try client.readToEnd().text.isEmpty)
        #expect(try server.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `another status is a response and ends the connection`() throws {
        let rig = try TunnelRig.rig()
        let (client, server) = try rig.exchange(TunnelRig.handshake("/ws") + "GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
        let response = try client.readMessage()
        #expect(response.status == 403 && response.body == "no")
        #expect(response.values("Connection") == ["close"])
        #expect(try client.readToEnd().text.isEmpty)
        #expect(try rig.pool() == [1, 1, 0])
    }

    @Test(arguments: [
        TunnelRig.handshake("/ws").replacing("GET", with: "POST"),
        TunnelRig.handshake("/ws", key: "dGhlIHNhbXBsZSBub25j"),
        TunnelRig.handshake("/ws", ["Sec-WebSocket-Key: \(TunnelRig.key)"]),
        TunnelRig.handshake("/ws", ["Connection: Sec-WebSocket-Key"]),
        TunnelRig.handshake("/ws", ["Connection: Sec-WebSocket-Version"]),
        TunnelRig.handshake("/ws").replacing("Version: 13", with: "Version: 8"),
        TunnelRig.handshake("/ws").replacing("Sec-WebSocket-Version: 13\r\n", with: ""),
        TunnelRig.handshake("/ws", ["Sec-WebSocket-Version: 13"]),
        TunnelRig.handshake("/ws", ["Sec-WebSocket-Protocol: a, a"]),
        TunnelRig.handshake("/ws", ["Sec-WebSocket-Protocol: a b"]),
    ])
    func `an invalid handshake is 400`(request: String) throws {
        let rig = try TunnelRig.rig()
        let client = try rig.send(request)
        #expect(try client.readMessage().status == 400)
        #expect(!rig.upstream.hasConnection)
    }

    @Test(arguments: [
        TunnelRig.handshake("/ws").replacing("HTTP/1.1", with: "HTTP/1.0"),
        TunnelRig.handshake("/ws", ["Content-Length: 1"]) + "x",
        TunnelRig.handshake("/ws").replacing("Upgrade: websocket", with: "Upgrade: h2c"),
        TunnelRig.handshake("/ws").replacing(", Upgrade", with: ""),
    ])
    func `a request that cannot be upgraded is forwarded without Upgrade`(request: String) throws {
        let rig = try TunnelRig.rig()
        let client = try rig.connect()
        try client.send(request)
        let head = try rig.upstream.accept().readHead()
        #expect(head.values("Upgrade").isEmpty && head.values("Connection").isEmpty)
    }

    @Test(arguments: [false, true])
    func `the end of one side is forwarded and the other may still send`(upstreamEnds: Bool) throws {
        let tunnel = try TunnelRig(token: nil)
        let (ending, other) = upstreamEnds ? (tunnel.server, tunnel.client) : (tunnel.client, tunnel.server)
        try ending.send("last")
        ending.finishSending()
        #expect(try other.readToEnd().text == "last")
        try other.send("answer")
        #expect(try ending.read(6) == "answer")
        other.close()
        #expect(try ending.hasFinished())
        try tunnel.rig.until { $0.pools[0].openCount == 0 && $0.requestsInFlight == 0 }
    }

    @Test func `the last bytes of the client are forwarded before its end`() throws {
        let tunnel = try TunnelRig(token: nil)
        tunnel.server.finishSending()
        #expect(try tunnel.client.readToEnd().text.isEmpty)
        try tunnel.rig.atOnce {
            try tunnel.client.send("last")
            tunnel.client.finishSending()
        }
        #expect(try tunnel.server.readToEnd().text == "last")
        try tunnel.rig.until { $0.pools[0].openCount == 0 && $0.requestsInFlight == 0 }
    }

    @Test func `a half-closed tunnel ends after the idle timeout`() throws {
        let tunnel = try TunnelRig(token: nil)
        tunnel.server.finishSending()
        #expect(try tunnel.client.readToEnd().text.isEmpty)
        try tunnel.rig.pass(seconds: 76)
        #expect(try !tunnel.server.readToEnd().text.contains("HTTP"))
        try tunnel.rig.until { $0.pools[0].openCount == 0 }
    }

    @Test(arguments: [false, true])
    func `a reset of one side ends the other`(upstreamResets: Bool) throws {
        let tunnel = try TunnelRig(token: nil)
        (upstreamResets ? tunnel.server : tunnel.client).reset()
        _ = try (upstreamResets ? tunnel.client : tunnel.server).readToEnd()
        try tunnel.rig.until { $0.requestsInFlight == 0 && $0.pools[0].openCount == 0 }
    }

    @Test func `backpressure applies in both directions`() throws {
        let tunnel = try TunnelRig(token: nil, receiveBuffer: 4096)
        let block = [UInt8](repeating: 0x61, count: 1 << 16)
        for (from, to) in [(tunnel.server, tunnel.client), (tunnel.client, tunnel.server)] {
            var (sent, refusals) = (0, 0)
            while refusals < 300, sent < 64 << 20 {
                let count = from.sendNow(block[...])
                sent += count
                if count == 0 { try tunnel.rig.onWorker { _ in } }
                refusals = count == 0 ? refusals + 1 : 0
            }
            #expect(sent < 32 << 20)
            var received = 0
            while received < sent { received += try to.readBytes(min(1 << 16, sent - received)).count }
        }
    }

    @Test func `a tunnel counts as an upload in the pool`() throws {
        let rig = try TunnelRig.rig { $0.upstreams[0].connections = 4 }
        let clients = try (0..<4).map { _ in try rig.send(TunnelRig.handshake("/ws")) }
        let servers = try (0..<3).map { _ in try rig.upstream.accept() }
        for server in servers { try server.respond(TunnelRig.switching + "\r\n") }
        try rig.until { $0.counters.snapshot()[.streamsOpen] == 3 }
        #expect(try rig.pool() == [3, 0, 1])
        let other = try rig.connect()
        try other.send("GET /ordinary HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET /ordinary HTTP/1.1")
        servers[0].reset()
        #expect(try rig.upstream.accept().readHead().values("Upgrade") == ["websocket"])
        withExtendedLifetime(clients) {}
    }
}
