import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Only a trusted proxy determines the client address. It determines nothing else.
struct TrustedProxyTests {
    /// Runs a gateway whose trusted proxy is 127.0.0.2. Other clients connect from 127.0.0.1.
    private func run(_ body: (Scenario, _ port: Int) throws -> Void) async throws {
        try await Scenario.run(arrange: { $2["trusted_proxies"] = "[127.0.0.2, 10.0.0.0/8]" }) {
            try body($0, $0.gateway.port)
        }
    }

    private func response(_ lines: [String], _ port: Int, from: UInt8, target: String = "/public/x") throws
        -> WireResponse
    {
        let client = try RawClient(port: port, from: from)
        try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n")
        return try client.response()
    }

    @Test(.tags(.a10, .a11, .a12)) func `only a trusted proxy names the client`() async throws {
        try await run { _, port in
            let lines = ["X-Forwarded-For: 6.6.6.6, 8.8.8.8, 10.1.1.1", "X-Forwarded-Proto: https"]
            let forwarded = try #require(EchoReport(try response(lines, port, from: 2)))
            #expect(forwarded.values("X-Forwarded-For") == ["8.8.8.8, 10.1.1.1, 127.0.0.2"])
            #expect(forwarded.values("X-Forwarded-Proto") == ["https"])
            #expect(
                forwarded.values("Forwarded") == ["for=8.8.8.8;proto=https;host=\"a\", for=10.1.1.1, for=127.0.0.2"])
            let near = try #require(EchoReport(try response(lines, port, from: 1)))
            #expect(near.values("X-Forwarded-For") == ["127.0.0.1"])
            #expect(near.values("X-Forwarded-Proto") == ["http"])
        }
    }

    static let junk = [
        "X-Forwarded-For: evil\", 127.0.0.1, not-an-ip", "X-Forwarded-For: not-an-ip",
        "X-Forwarded-For: 8.8.8.8, 10.1.1.1, x",
        "X-Forwarded-For: unix:", "Forwarded: for=\"8.8.8.8", "Forwarded: for=8.8.8.8;proto=ftp",
        "X-Forwarded-Proto: ftp",
    ]

    @Test(.tags(.a12)) func `an invalid address from the proxy is rejected`() async throws {
        try await run { _, port in
            for line in Self.junk {
                expectDenial(try response([line], port, from: 2), 400, "request/malformed", line)
            }
        }
    }

    @Test func `A-12: a field of the client does not replace the field of the proxy`() async throws {
        try await run { _, port in
            let lines = ["Forwarded: for=8.8.8.8", "X-Forwarded-For: 6.6.6.6"]
            expectDenial(try response(lines, port, from: 2), 400, "request/malformed")
        }
    }

    @Test(arguments: [
        ("Forwarded", "Forwarded: for=8.8.8.8;proto=https"),
        ("[X-Forwarded-For, X-Forwarded-Proto]", "X-Forwarded-For: 8.8.8.8\r\nX-Forwarded-Proto: https"),
        ("[CF-Connecting-IP, X-Forwarded-Proto]", "CF-Connecting-IP: 8.8.8.8\r\nX-Forwarded-Proto: https"),
    ])
    func `A-12: only the configured fields of the proxy determine the address`(sets: String, forwarded: String)
        async throws
    {
        let spoofed = ["Forwarded: for=6.6.6.6;proto=http", "X-Forwarded-For: 6.6.6.6", "CF-Connecting-IP: 6.6.6.6"]
        let proxies = "[{ network: 127.0.0.2, sets: \(sets) }]"
        try await Scenario.run(arrange: { $2["trusted_proxies"] = proxies }) { scenario in
            let names = forwarded.split(separator: "\r\n").map { $0.prefix { $0 != ":" } }
            let lines = spoofed.filter { line in !names.contains { line.hasPrefix($0) } } + [forwarded]
            let report = try #require(EchoReport(try response(lines, scenario.gateway.port, from: 2)))
            #expect(report.values("X-Forwarded-For") == ["8.8.8.8, 127.0.0.2"])
            #expect(report.values("X-Forwarded-Proto") == ["https"])
            #expect(
                report.lines.filter { $0.contains("6.6.6.6") }
                    == (sets.contains("CF-") ? [] : ["cf-connecting-ip: 6.6.6.6"]))
        }
    }

    @Test(.tags(.a10)) func `the proxy does not change the requested target`() async throws {
        let lines = [
            "X-Original-URL: /public/x", "X-Rewrite-URL: /public/x", "X-Forwarded-Uri: /public/x",
            "X-Forwarded-Method: OPTIONS",
            "X-Envoy-Original-Path: /public/x", "X-Forwarded-Host: open.example", "X-Forwarded-Prefix: /public",
            "X-Auth-Uid: admin", "X-Forwarded-Port: 443",
        ]
        try await run { _, port in
            #expect(try response(lines + ["X-Forwarded-For: 8.8.8.8"], port, from: 2, target: "/me/x").status == 401)
            let open = try #require(EchoReport(try response(lines, port, from: 2)))
            let spoofed = [
                "original", "rewrite", "envoy", "open.example", "admin", "port", "prefix", "x-forwarded-method",
            ]
            #expect(open.lines.filter { line in spoofed.contains { line.contains($0) } } == [])
        }
    }

    @Test(.tags(.a12)) func `the access log contains the address of the client`() async throws {
        try await run { scenario, port in
            let requests: [(String, UInt8)] = [
                ("X-Forwarded-For: 8.8.8.8", 2), ("X-Forwarded-For: 8.8.8.8", 1), ("X-Forwarded-For: junk", 2),
            ]
            for (line, from) in requests {
                _ = try response([line], port, from: from)
            }
            let deadline = ContinuousClock.now + Allowance.hang
            var clients: [JSON?] = []
            while clients.count < 3, ContinuousClock.now < deadline {
                Thread.sleep(forTimeInterval: 0.05)
                clients = scenario.gateway.output.split(separator: "\n").map {
                    JSON(parsing: Array($0.utf8))?["client"]
                }
            }
            #expect(clients.count == 3 && Set(clients) == ["8.8.8.8", "127.0.0.1", "127.0.0.2"], "\(clients)")
        }
    }

    /// A connection of a proxy transports requests of many clients.
    @Test(.tags(.a12)) func `each request of a connection has its own client address`() async throws {
        try await run { _, port in
            let client = try RawClient(port: port, from: 2)
            for address in ["8.8.8.8", "8.8.8.8", "9.9.9.9", "8.8.8.8", nil] {
                let line = address.map { "X-Forwarded-For: \($0)\r\n" } ?? ""
                try client.send("GET /public/x HTTP/1.1\r\nHost: a\r\n\(line)\r\n")
                let forwarded = try #require(EchoReport(try client.response()))["X-Forwarded-For"]
                #expect(forwarded == (address.map { "\($0), 127.0.0.2" } ?? "127.0.0.2"))
            }
        }
    }
}
