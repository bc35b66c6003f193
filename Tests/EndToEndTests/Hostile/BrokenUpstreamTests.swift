import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

extension Scenario {
    /// Runs a scenario with another upstream for `/raw/`, which the test plays.
    ///
    /// - Parameters:
    ///   - backlog: The number of connections that the kernel completes before the test accepts them.
    ///   - times: The timeouts of that upstream. By default, none ends before the test has sent its bytes.
    static func runWithRawUpstream(
        backlog: Int32 = 128, times: String = "connect_timeout: 60s, response_timeout: 60s",
        _ body: (Scenario, RawListener) async throws -> Void
    ) async throws {
        let listener = try RawListener(backlog: backlog)
        try await run(
            arrange: { _, echo, configuration in
                configuration["limits"] = "{ idle_timeout: \(Allowance.setting(milliseconds: 700)) }"
                configuration["upstreams"] =
                    "{ api: { servers: ['\(echo.url)'] }, raw: { servers: ['\(listener.url)'], \(times) } }"
                configuration.routes = [
                    "path: /public/**, auth: none, upstream: api", "path: /raw/**, auth: none, upstream: raw",
                    "path: /me/**, upstream: api",
                ]
            },
            { try await body($0, listener) })
    }

    /// Sends a request to the upstream that the test plays, and reads the request head there.
    ///
    /// - Returns: The connection of the client, and the connection of the upstream.
    fileprivate func exchange(with listener: RawListener) throws -> (client: RawClient, server: RawClient) {
        let client = try client(sending: WireRequest.get("/raw/x"))
        let server = try listener.take()
        _ = try server.readHead()
        return (client, server)
    }
}

/// Upstreams that fail at each stage of a request and its response, in each way.
struct BrokenUpstreamTests {
    /// The bytes that an upstream sends before it fails.
    enum Part: String, CaseIterable {
        case nothing = ""
        case halfAHead = "HTTP/1.1 200 OK\r\nContent-Le"
        case partOfALength = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"
        case partOfAChunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n64\r\nhel"
        case chunksWithoutTheLast = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        case partUntilTheEnd = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"

        var hasHead: Bool { rawValue.contains("\r\n\r\n") }
    }

    /// How an upstream fails.
    enum Failure: CaseIterable, Sendable { case reset, halfClose, silence }

    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    @Test(arguments: Failure.allCases)
    func `an incomplete response is never passed on as complete`(failure: Failure) async throws {
        let times = "connect_timeout: 60s, response_timeout: \(failure == .silence ? "500ms" : "60s")"
        try await Scenario.runWithRawUpstream(times: times) { scenario, listener in
            for part in Part.allCases {
                try await scenario.unharmed {
                    let (client, server) = try scenario.exchange(with: listener)
                    try server.send(part.rawValue)
                    switch failure {
                    case .reset:
                        if part.hasHead { _ = try client.readHead() }
                        server.reset()
                    case .halfClose: server.finishSending()
                    case .silence: break
                    }
                    try expectEnd(of: part, by: failure, at: client)
                    if failure == .silence {
                        // Returns when the gateway has closed the connection.
                        _ = try? server.readToEnd()
                        #expect(server.hasEnded)
                    }
                }
                try await scenario.untilQuiet()
            }
        }
    }

    private func expectEnd(of part: Part, by failure: Failure, at client: RawClient) throws {
        switch (part, failure) {
        case (.nothing, .silence), (.halfAHead, .silence): expectDenial(try client.response(), 504, "upstream/timeout")
        case (.nothing, _): expectDenial(try client.response(), 502, "upstream/unreachable")
        case (.halfAHead, _): expectDenial(try client.response(), 502, "upstream/invalid-response")
        case (.partUntilTheEnd, .halfClose): #expect(try client.response().text == "hello")
        case (_, .reset):
            let rest = String(decoding: (try? client.readToEnd()) ?? [], as: UTF8.self)
            #expect(!rest.contains("0\r\n\r\n") && rest.utf8.count < 100, "\(part)")
        default: #expect(throws: (any Error).self, "\(part)") { try client.response() }
        }
    }

    @Test func `a half-closed connection is not used again`() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let (client, first) = try scenario.exchange(with: listener)
            try first.send(Self.whole)
            first.finishSending()
            #expect(try client.response().text == "hello")
            #expect(try first.readToEnd() == [])
            try client.send(WireRequest.get("/raw/y").bytes)
            let second = try listener.take()
            _ = try second.readHead()
            try second.send(Self.whole)
            #expect(try client.response().text == "hello")
        }
    }

    @Test func `a reset before the request or in its body is 502`() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let before = try scenario.client(sending: WireRequest.get("/raw/x"))
            try listener.take().reset()
            expectDenial(try before.response(), 502, "upstream/unreachable")
            let within = try scenario.client(
                sending: "POST /raw/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhello")
            let server = try listener.take()
            _ = try server.readHead()
            server.reset()
            expectDenial(try within.response(), 502, "upstream/unreachable")
            #expect(try scenario.send(.get("/public/after")).status == 200)
        }
    }

    @Test func `a reset between requests has no effect`() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            let client = try scenario.connect()
            for _ in 0..<3 {
                try client.send(WireRequest.get("/raw/x").bytes)
                let server = try listener.take()
                _ = try server.readHead()
                try server.send(Self.whole)
                #expect(try client.response().text == "hello")
                server.reset()
            }
        }
    }

    @Test func `an upstream that accepts no connection is 502 in time`() async throws {
        try await Scenario.runWithRawUpstream(backlog: 0, times: "connect_timeout: 300ms") { scenario, listener in
            // The kernel completes one or two connections and no more.
            let fillers = (0..<3).map { _ in try? RawClient(port: listener.port, timeout: 1) }
            let began = ContinuousClock.now
            try await scenario.unharmed {
                expectDenial(try scenario.send(.get("/raw/x")), 502, "upstream/unreachable")
            }
            #expect(ContinuousClock.now - began < Allowance.hang)
            _ = fillers
        }
    }

    @Test func `a response head in single bytes does not extend the timeout`() async throws {
        try await Scenario.runWithRawUpstream(times: "connect_timeout: 60s, response_timeout: 500ms") {
            scenario, listener in
            try await scenario.unharmed {
                let (client, server) = try scenario.exchange(with: listener)
                try server.send("HTTP/1.1 200 OK\r\nX-Drip: ")
                try server.drip(repeatElement(UInt8(ascii: "a"), count: 1000), pause: 20)
                expectDenial(try client.response(), 504, "upstream/timeout")
            }
            try await scenario.untilQuiet()
        }
    }

    @Test func `a slow response body is forwarded as long as it arrives`() async throws {
        try await Scenario.runWithRawUpstream { scenario, listener in
            try await scenario.unharmed {
                let (client, server) = try scenario.exchange(with: listener)
                try server.send("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
                try server.drip(BodyPattern.bytes(40), pause: 25)
                #expect(try client.response().body == BodyPattern.bytes(40))
            }
        }
    }
}
