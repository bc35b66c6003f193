import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The client address is the address of the socket, including private addresses.
struct ClientAddressTests {
    static let claims: [[String]] = [
        ["X-Forwarded-For: evil\", 127.0.0.1, not-an-ip"], ["X-Forwarded-For: 127.0.0.1"],
        ["X-Forwarded-For: 10.1.2.3, 192.168.0.1, ::1"], ["X-Forwarded-For: unix:"], ["X-Forwarded-For:"],
        ["X-Forwarded-For: 8.8.8.8", "X-Forwarded-For: 9.9.9.9"], ["X-Real-IP: 8.8.8.8", "True-Client-IP: 8.8.8.8"],
        ["Forwarded: for=8.8.8.8;proto=https;host=evil.example"], ["Forwarded: for=\"[2001:db8::1]:80\";by=_hidden"],
        ["X-Forwarded-For: 8.8.8.8\u{0}"], ["X-Forwarded-For: \u{FF}\u{FE}"],
    ]

    /// Runs a gateway with two listeners. Clients of the second one connect to another local address.
    private func run(_ body: (Scenario, _ ports: [Int]) throws -> Void) async throws {
        try await Scenario.run(arrange: { $2["listen"] = "[{ address: 127.0.0.1:0 }, { address: 127.0.0.2:0 }]" }) {
            scenario in
            let ports = scenario.gateway.listeners
            #expect(ports.count == 2, "\(scenario.gateway.errors)")
            try body(scenario, ports)
        }
    }

    @Test(.tags(.a11, .a12, .a18)) func `no listener trusts the address that a client claims`() async throws {
        try await run { scenario, ports in
            for (number, port) in ports.enumerated() {
                for lines in Self.claims {
                    let spoofed = lines + ["X-Auth-Uid: spoofed", "x_role: spoofed"]
                    let text: RawRequest = "GET /public/x HTTP/1.1\nHost: a\n\(spoofed.joined(separator: "\n"))\n\n"
                    let host = UInt8(number + 1)
                    let client = try RawClient(port: port, loopback: host, from: host)
                    try client.send(text.bytes(scenario))
                    let response = try client.response()
                    if lines[0].contains("\u{0}") {
                        expectDenial(response, 400, "request/malformed")
                        continue
                    }
                    let report = try #require(EchoReport(response), "\(lines) \(response.text)")
                    #expect(report.values("X-Forwarded-For") == ["127.0.0.\(host)"], "\(lines)")
                    #expect(report.lines.filter { $0.contains("8.8.8") || $0.contains("spoofed") } == [])
                    #expect(report.values("Forwarded").count == 1)
                    #expect(report["Forwarded"]?.hasPrefix("for=127.0.0.\(host);") == true)
                }
            }
            #expect(scenario.gateway.port == ports[0])
        }
    }

    @Test(.tags(.a12)) func `the access log contains the address of the peer`() async throws {
        try await Scenario.run { scenario in
            for lines in Self.claims.dropLast(2) {
                _ = try scenario.send(WireRequest(target: "/public/x", fields: lines))
            }
            let clients = await scenario.accessLog().map { $0["client"] }
            #expect(clients.count == Self.claims.count - 2)
            #expect(Set(clients) == ["127.0.0.1"])
        }
    }

    @Test(.tags(.a18)) func `no spoofed field opens the admin listener`() async throws {
        let lines = [
            "X-Auth-Uid: root", "X-Forwarded-For: 127.0.0.1", "X-Original-URL: /livez", "X-Forwarded-Host: localhost",
            "X-HTTP-Method-Override: GET", "X-Auth: e30", "Authorization: Basic YWRtaW46YWRtaW4=",
        ]
        try await Scenario.run { scenario in
            for (line, target) in zip(lines + lines, ["/v1/keys", "/v1/users/ada", "/v1/routes"].cycled(14)) {
                let request = WireRequest(target: target, fields: [line], host: "localhost")
                let response = try RawClient.exchange(scenario.gateway.adminPort, request)
                #expect(response.status == 401, "\(line) \(target)")
            }
        }
    }
}

extension Array {
    /// Returns `count` elements and repeats the array as needed.
    func cycled(_ count: Int) -> [Element] { (0..<count).map { self[$0 % self.count] } }
}
