import DevelopmentIdentity
import Foundation
import Testing

/// WebSockets through the built gateway. The upstream echoes the messages.
@Suite(.webSocketScenario) struct WebSocketTests: SharedScenarioSuite {
    private func open(_ target: String = "/open/ws", early: [UInt8] = []) throws -> WebSocketClient {
        let client = try WebSocketClient(scenario, WebSocketClient.handshake(target), early: early)
        try #require(client.isOpen, "\(client.answer.status) \(client.answer.text)")
        return client
    }

    @Test func `messages are echoed unchanged`() throws {
        let client = try open()
        for length in [0, 1, 125, 126, 65_535, 65_536, 1 << 20, 3] {
            let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try client.send(payload)
            #expect(try client.receive() == .init(opcode: 2, payload: payload))
        }
    }

    @Test func `frames of a mebibyte pass in both directions at once`() throws {
        let client = try open()
        let payload = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        // Safe: one thread sends, the other one receives, and they share only the descriptor.
        nonisolated(unsafe) let raw = client.raw
        Thread { for _ in 0..<16 { try? raw.send(WebSocketClient.masked(payload)) } }.start()
        for _ in 0..<16 { #expect(try client.receive().payload == payload) }
    }

    @Test func `bytes sent with the handshake are echoed too`() throws {
        let client = try open(early: WebSocketClient.masked(Array("early".utf8)))
        #expect(try client.receive().payload == Array("early".utf8))
    }

    @Test func `the close handshake is forwarded`() throws {
        let client = try open()
        try client.send([0x03, 0xE8], opcode: 8)
        #expect(try client.receive() == .init(opcode: 8, payload: [0x03, 0xE8]))
        #expect(try client.raw.readToEnd() == [])
    }

    @Test func `a response other than 101 is forwarded`() throws {
        let client = try WebSocketClient(scenario, WebSocketClient.handshake("/open/ws?status=403"))
        #expect(client.answer.status == 403)
        #expect(client.answer["Connection"] == "close")
    }

    @Test func `a tunnel is counted and logged`() async throws {
        try await Scenario.run(arrange: { $2.routes.append("path: /open/**, upgrade: [websocket], upstream: api") }) {
            scenario in
            let handshake = WebSocketClient.handshake("/open/ws", ["Authorization: Bearer \(try scenario.token())"])
            let client = try WebSocketClient(scenario, handshake)
            try client.send(Array("hello".utf8))
            _ = try client.receive()
            #expect(try scenario.gateway.metric("gatehouse_streams") == 1)
            scenario.gateway.signal(SIGTERM)
            #expect(try client.receive() == .close(1001, "going away"))
            #expect(await scenario.gateway.exitCode() == 0)
            let text = try #require(scenario.gateway.output.split(separator: "\n").first)
            let line = try #require(JSON(parsing: Array(text.utf8)))
            #expect(line["status"] == 101 && line["code"] == "ok" && line["uid"] == "ada")
            #expect(line["reason"] == "stream: the gateway drains")
            #expect(line["bytes_in"] == .integer(Int64(WebSocketClient.masked(Array("hello".utf8)).count)))
        }
    }
}
