import DevelopmentIdentity
import HTTPWire
import Testing

@testable import SystemFixtures

/// WebSocket over HTTP/2 (RFC 8441) to an upstream of HTTP/1.1.
struct HTTP2WebSocketTests {
    private static let handshake = [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/live/ws"),
        (":authority", "localhost"), ("sec-websocket-version", "13"), ("origin", "http://localhost"),
    ]

    private func run(_ body: (Scenario, RawListener) throws -> Void) async throws {
        let upstream = try RawListener()
        try await Scenario.run(
            arrange: { _, _, configuration in
                configuration["listen"] = "[{ address: 127.0.0.1:0, protocols: [http/1.1, h2c] }]"
                configuration["upstreams"] = "{ api: { servers: ['\(upstream.url)'] } }"
                configuration.routes = [
                    "path: /live/**, upgrade: [websocket], upstream: api", "path: /plain/**, upstream: api",
                ]
            }, { scenario in try body(scenario, upstream) })
    }

    /// Connects, and acknowledges the setting that permits extended CONNECT (RFC 8441 section 3).
    private func connect(_ scenario: Scenario) throws -> HTTP2Client {
        let client = try HTTP2Client(port: scenario.gateway.port)
        while client.settings[8] != 1 { _ = try #require(try client.next()) }
        return client
    }

    private func accept(_ server: RawClient) throws -> String {
        let head = String(decoding: try server.readHead(), as: UTF8.self)
        let key = try #require(head.firstMatch(of: /sec-websocket-key: ([^\r]*)/.ignoresCase()).map { String($0.1) })
        let accept = Array(key.utf8).withUnsafeBytes { String(decoding: WebSocketKey.accept($0), as: UTF8.self) }
        try server.send(
            """
            HTTP/1.1 101 Switching Protocols\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Accept: \(accept)\r
            \r

            """)
        return head
    }

    @Test func `M-26: a tunnel carries bytes in both directions, and none before the upstream's 101`() async throws {
        try await run { scenario, upstream in
            let client = try connect(scenario)
            let token = try scenario.token()
            let stream = try client.request(
                Self.handshake + [("authorization", "Bearer \(token)")], endsStream: false)
            try client.data(Array("early".utf8), stream: stream)
            let server = try upstream.take()
            let head = try accept(server)
            #expect(head.hasPrefix("GET /live/ws HTTP/1.1\r\n") && !head.contains("early"))
            #expect(head.lowercased().contains("\r\nx-auth-uid: ada"))
            #expect(try server.read(5) == Array("early".utf8))
            try server.send("hello")
            while client.answers[stream]?.body.count != 5 { _ = try #require(try client.next()) }
            #expect(client.answers[stream]?.status == 200 && client.answers[stream]?.text == "hello")
            #expect(client.answers[stream]?["sec-websocket-accept"] == nil)
            try client.data(Array("last".utf8), stream: stream, endsStream: true)
            #expect(try server.readToEnd() == Array("last".utf8))
        }
    }

    @Test(
        arguments: [
            ("M-27 no token", [], 401), ("M-27 invalid token", [("authorization", "Bearer x")], 401),
        ] as [(String, [(String, String)], Int)])
    func `M-27: a handshake is denied like one of HTTP/1.1`(
        row: (what: String, fields: [(String, String)], status: Int)
    ) async throws {
        try await run { scenario, upstream in
            let client = try connect(scenario)
            let stream = try client.request(Self.handshake + row.fields, endsStream: false)
            try client.data(Array("GET /live/x HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), stream: stream)
            let answer = try client.answer(stream)
            #expect(answer.status == row.status && answer.isComplete, "\(answer)")
            #expect(!upstream.isWaited(0))
        }
    }

    @Test func `M-25: another protocol, and a route without WebSocket, open no tunnel`() async throws {
        try await run { scenario, upstream in
            let client = try connect(scenario)
            let token = ("authorization", "Bearer \(try scenario.token())")
            for name in ["", "foo"] {
                let fields = Self.handshake.map { $0.0 == ":protocol" ? ($0.0, name) : $0 } + [token]
                let answer = try client.answer(client.request(fields, endsStream: false))
                #expect(answer.status == 400 || answer.reset == 1, "\(answer)")
            }
            #expect(!upstream.isWaited(0))
        }
    }
}
