import DevelopmentIdentity
import Testing

/// Clients without a token that occupy the admin listener.
struct AdminPressureTests {
    @Test func `probes get responses despite five hundred idle connections`() async throws {
        try await Scenario.run { scenario in
            var idle: [RawClient] = []
            for number in 0..<500 {
                // The connections come from several addresses, including the address of the probes.
                idle.append(try RawClient(port: scenario.gateway.adminPort, from: UInt8(1 + number % 5)))
                if number % 2 == 0 { try? idle.last?.send("GET /livez HTTP/1.1\r\n") }
                guard number >= 64, number % 20 == 0 else { continue }
                for target in ["/livez", "/readyz", "/metrics"] {
                    let request = WireRequest(target: target, host: "localhost")
                    #expect(try RawClient.exchange(scenario.gateway.adminPort, request).status == 200, "\(number)")
                }
            }
            #expect(try scenario.admin("POST", "/v1/users/ada/revoke").status == 200)
            // On a busy machine, most connections end by their timeout before that.
            #expect(try scenario.metric("gatehouse_admin_connections_closed_total") > 0)
        }
    }

    @Test func `unread metrics responses do not delay probes`() async throws {
        try await Scenario.run { scenario in
            var scrapes: [RawClient] = []
            for _ in 0..<200 {
                let client = try RawClient(port: scenario.gateway.adminPort, receiveBuffer: 1024)
                try? client.send(WireRequest(target: "/metrics", host: "localhost").bytes)
                scrapes.append(client)
            }
            #expect(try scenario.gateway.readiness().status == 200)
        }
    }
}
