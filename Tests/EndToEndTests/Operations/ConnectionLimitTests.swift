import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// More clients than `limits.connections`, or than `limits.connections_per_address`.
struct ConnectionLimitTests {
    /// A connection with a running request, which is therefore not idle.
    private func busy(_ port: Int, from source: UInt8? = nil) throws -> RawClient {
        let client = try RawClient(port: port, from: source)
        try client.send("POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
        return client
    }

    /// Limits of connections. The timeouts are lifted, because they would end a held request on a slow machine.
    private static func limits(_ connections: Int, perAddress: Int? = nil) -> String {
        let perAddress = perAddress.map { ", connections_per_address: \($0)" } ?? ""
        return "{ connections: \(connections)\(perAddress), body_rate: 0, idle_timeout: 1h }"
    }

    private func isServed(_ client: RawClient) -> Bool {
        (try? client.exchange(.get("/public/x")))?.status == 200
    }

    /// Waits until a new connection is refused. The gateway updates several times per second which connections are
    /// idle, so that one that has just begun its request may still make room.
    private func untilRefused(_ port: Int) async throws {
        try await eventually("a refused connection") { isServed(try RawClient(port: port)) ? nil : true }
    }

    @Test func `a connection over the limit is closed and a released one is free`() async throws {
        try await Scenario.run(arrange: { $2["limits"] = Self.limits(4) }) { scenario in
            var held = try (0..<4).map { _ in try busy(scenario.gateway.port) }
            _ = try await eventually("four connections") {
                try scenario.gateway.metric("gatehouse_requests_in_flight") == 4 ? true : nil
            }
            try await untilRefused(scenario.gateway.port)
            try held[0].send("b")
            #expect(try held[0].response().status == 200)
            held.removeLast()
            _ = try await eventually("a free connection") {
                isServed(try scenario.connect()) ? true : nil
            }
        }
    }

    @Test func `K-15: one address cannot use the connections of others`() async throws {
        let limits = Self.limits(8, perAddress: 4)
        try await Scenario.run(arrange: { $2["limits"] = limits }) { scenario in
            let port = scenario.gateway.port
            let held = try (0..<4).map { _ in try busy(port) }
            _ = try await eventually("four connections") {
                try scenario.gateway.metric("gatehouse_requests_in_flight") == 4 ? true : nil
            }
            try await untilRefused(port)
            for _ in 0..<4 { #expect(!isServed(try RawClient(port: port))) }
            #expect(isServed(try RawClient(port: port, from: 2)))
            #expect(held.count == 4)
        }
    }

    /// `ConnectionTableTests` has the choice of the connection.
    @Test func `an idle connection makes room`() async throws {
        try await Scenario.run(arrange: { $2["limits"] = Self.limits(4) }) { scenario in
            let port = scenario.gateway.port
            let idle = try (0..<4).map { _ in
                let client = try RawClient(port: port)
                #expect(isServed(client))
                return client
            }
            let newcomer = try await eventually("a free connection") {
                let client = try RawClient(port: port, from: 3)
                return isServed(client) ? client : nil
            }
            #expect(isServed(newcomer))
            #expect(idle.filter { isServed($0) }.count == 3)
            #expect(try scenario.gateway.metric("gatehouse_connections_evicted_total") == 1)
        }
    }

    @Test(arguments: ["", "PROXY UNKNOWN\r\n"])
    func `an address whose PROXY headers name no client cannot use the connections of others`(_ header: String)
        async throws
    {
        try await Scenario.run(arrange: {
            $2["limits"] = Self.limits(8, perAddress: 4)
            $2["listen"] = "[{ address: 127.0.0.1:0, proxy_protocol: true }]"
        }) { scenario in
            func client(_ header: String, from source: UInt8? = nil) throws -> RawClient {
                let client = try RawClient(port: scenario.gateway.port, from: source)
                if !header.isEmpty {
                    try client.send(header + "POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
                }
                return client
            }
            let held = try (0..<4).map { _ in try client(header) }
            _ = try await eventually("four connections") {
                try scenario.gateway.metric("gatehouse_connections_accepted_total") == 4 ? true : nil
            }
            for _ in 0..<6 {
                // The connection ends with or without a reset.
                #expect(throws: (any Error).self) { try client(header).response() }
            }
            let other = try client("PROXY TCP4 192.0.2.2 127.0.0.1 1 2\r\n", from: 2)
            try other.send("b")
            #expect(try other.response().status == 200)
            #expect(held.count == 4)
        }
    }

    @Test func `behind a load balancer the limit applies to the client of the PROXY header`() async throws {
        try await Scenario.run(arrange: {
            $2["limits"] = Self.limits(8, perAddress: 2)
            $2["listen"] = "[{ address: 127.0.0.1:0, proxy_protocol: true }]"
        }) { scenario in
            func client(_ address: String) throws -> RawClient {
                let client = try scenario.client(sending: "PROXY TCP4 \(address) 127.0.0.1 1 2\r\n")
                try client.send("POST /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
                return client
            }
            let busy = try (0..<2).map { _ in try client("192.0.2.1") }
            _ = try await eventually("two connections") {
                try scenario.gateway.metric("gatehouse_requests_in_flight") == 2 ? true : nil
            }
            // A request that is sent whole ends if a connection makes room for it; see `untilRefused`.
            _ = try await eventually("a refused connection") {
                let third = try client("192.0.2.1")
                try? third.send("b")
                return (try? third.response())?.status == 200 ? nil : true
            }
            let other = try client("192.0.2.2")
            try other.send("b")
            #expect(try other.response().status == 200)
            #expect(busy.count == 2)
        }
    }
}
