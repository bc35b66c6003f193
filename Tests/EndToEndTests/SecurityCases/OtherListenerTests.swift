import Foundation
import Testing

@testable import SystemFixtures

/// Unix domain sockets, and listeners behind a load balancer with the PROXY protocol.
struct OtherListenerTests {
    private static let spoofed = [
        "X-Auth-Uid: spoofed", "x_auth_uid: spoofed", "X-Forwarded-For: 8.8.8.8", "X-Forwarded-Proto: https",
        "Forwarded: for=8.8.8.8", "X-Real-IP: 8.8.8.8", "X-Original-URL: /public/x",
    ]

    private func run(
        trusted: String = "[]", _ body: (Scenario, _ socket: String) async throws -> Void
    ) async throws {
        let folder = try ScratchFolder()
        let path = folder.path("gatehouse.sock")
        try await Scenario.run(arrange: {
            $2["listen"] = "[{ address: 127.0.0.1:0 }, { address: 'unix:\(path)' }]"
            $2["trusted_proxies"] = trusted
        }) { try await body($0, path) }
    }

    private func curl(_ socket: String, _ lines: [String], _ target: String = "/public/x") async throws -> String {
        let fields = lines.flatMap { ["-H", $0] }
        return try await SecureCall.run(
            "curl", ["-sSi", "--max-time", "20", "--unix-socket", socket] + fields + ["http://a\(target)"]
        ).output
    }

    @Test(.tags(.a11, .a18)) func `a Unix domain socket trusts no forwarded address`() async throws {
        try await run { scenario, socket in
            let open = try await curl(socket, Self.spoofed)
            #expect(open.contains("200 OK") && !open.contains("8.8.8.8") && !open.contains("spoofed"), "\(open)")
            #expect(open.contains("\"X-Forwarded-For\",\"unknown\"") && open.contains("\"X-Forwarded-Proto\",\"http\""))
            #expect(try await curl(socket, Self.spoofed, "/me/x").contains("401 Unauthorized"))
            let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
            #expect(mode == 0o660)
            _ = try await eventually("the log") { scenario.gateway.output.contains("\"client\":\"unix\"") ? true : nil }
        }
    }

    @Test func `a Unix domain socket can be configured as trusted`() async throws {
        try await run(trusted: "[unix]") { _, socket in
            let open = try await curl(socket, Self.spoofed)
            #expect(
                open.contains("\"X-Forwarded-For\",\"8.8.8.8\"") && open.contains("\"X-Forwarded-Proto\",\"https\""))
            #expect(!open.contains("spoofed"), "\(open)")
        }
    }

    @Test func `a socket file is removed at shutdown and replaced after a kill`() async throws {
        try await run { scenario, socket in
            await scenario.gateway.kill()
            #expect(FileManager.default.fileExists(atPath: socket))
            try await scenario.gateway.start()
            #expect(try await curl(socket, []).contains("200 OK"))
            scenario.gateway.signal(SIGTERM)
            #expect(await scenario.gateway.exitCode() == 0)
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }

    @Test func `a socket file with a listener is not replaced`() async throws {
        try await run { scenario, socket in
            let folder = try ScratchFolder()
            let listen = "listen: [{ address: 'unix:\(socket)' }]\nadmin: { address: 127.0.0.1:0 }\n"
            try folder.write(CheckTests.valid + listen, to: "gatehouse.yaml")
            let second = try await CommandRun.run("serve", "--config", "gatehouse.yaml", in: folder)
            #expect(
                second.exitCode == 1 && second.errors.contains("cannot listen on unix:\(socket)"), "\(second.errors)")
            #expect(try await curl(socket, []).contains("200 OK"))
            #expect(scenario.gateway.port > 0)
        }
    }

    // MARK: - The PROXY protocol

    private static let get = "GET /public/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private func proxied(
        trusted: String = "[127.0.0.1]", _ body: (Scenario) async throws -> Void
    ) async throws {
        try await Scenario.run(arrange: {
            $2["listen"] = "[{ address: 127.0.0.1:0, proxy_protocol: true }]"
            $2["trusted_proxies"] = trusted
            $2["limits"] = "{ handshake_timeout: 1s }"
        }) { try await body($0) }
    }

    @Test func `the PROXY header names the client`() async throws {
        try await proxied { scenario in
            let headers: [([UInt8], String)] = [
                (Array("PROXY TCP4 192.0.2.7 10.0.0.1 4711 80\r\n".utf8), "192.0.2.7"),
                (Array("PROXY TCP6 2001:db8::7 ::1 4711 80\r\n".utf8), "2001:db8::7"),
                (Array("PROXY UNKNOWN\r\n".utf8), "127.0.0.1"),
                (
                    [
                        13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, 12, 192, 0, 2, 8, 10, 0,
                        0, 1, 1, 1, 0, 80,
                    ],
                    "192.0.2.8"
                ),
                ([13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x20, 0, 0, 0], "127.0.0.1"),
            ]
            for (header, client) in headers {
                let connection = try scenario.client(sending: header + Array(Self.get.utf8))
                let report = try #require(EchoReport(try connection.response()), "\(client)")
                #expect(report.values("X-Forwarded-For") == [client])
            }
        }
    }

    @Test(.tags(.a11)) func `clients behind the PROXY header are not trusted proxies`() async throws {
        try await proxied { scenario in
            let connection = try scenario.connect()
            let lines = "GET /public/x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 8.8.8.8\r\n\r\n"
            try connection.send("PROXY TCP4 192.0.2.7 10.0.0.1 4711 80\r\n" + lines)
            let report = try #require(EchoReport(try connection.response()))
            #expect(report.values("X-Forwarded-For") == ["192.0.2.7"])
        }
    }

    @Test(.tags(.a18)) func `a connection without a valid PROXY header is closed and counted`() async throws {
        try await proxied { scenario in
            let bad = [Self.get, "PROXY TCP4 192.0.2.777 10.0.0.1 1 80\r\n" + Self.get, "PROXY TCP4 ", ""]
            for text in bad {
                let connection = try scenario.client(sending: text)
                let heard = (try? connection.readToEnd()) ?? []
                #expect(heard.isEmpty, "\(text)")
            }
            #expect(try scenario.gateway.metric("gatehouse_proxy_header_failures_total") == bad.count)
        }
    }

    @Test(.tags(.a18)) func `only the configured load balancer can connect`() async throws {
        try await proxied(trusted: "[10.0.0.0/8]") { scenario in
            let connection = try scenario.connect()
            try? connection.send("PROXY TCP4 192.0.2.7 10.0.0.1 4711 80\r\n" + Self.get)
            let heard = (try? connection.readToEnd()) ?? []
            #expect(heard.isEmpty)
            #expect(try scenario.gateway.metric("gatehouse_proxy_header_failures_total") == 1)
        }
    }

    @Test(.tags(.a11)) func `the PROXY header precedes HTTP/2 and names the client of each stream`() async throws {
        try await Scenario.run(arrange: {
            $2["listen"] = "[{ address: 127.0.0.1:0, proxy_protocol: true, protocols: [http/1.1, h2c] }]"
            $2["trusted_proxies"] = "[127.0.0.1]"
        }) { scenario in
            let client = try HTTP2Client(
                port: scenario.gateway.port, after: "PROXY TCP4 192.0.2.7 10.0.0.1 4711 80\r\n")
            for _ in 0..<2 {
                let answer = try client.exchange(HTTP2Client.head() + [("x-forwarded-for", "8.8.8.8")])
                #expect(answer.text.contains("\"X-Forwarded-For\",\"192.0.2.7\""), "\(answer)")
            }
            let other = try HTTP2Client(port: scenario.gateway.port)
            #expect(try other.readToEnd() == nil)
        }
    }

    @Test func `the PROXY header precedes TLS`() async throws {
        let authority = try TestAuthority()
        try await Scenario.run(arrange: {
            $2.listen(authority.certificate, authority.key, listener: ", proxy_protocol: true")
            $2["trusted_proxies"] = "[127.0.0.1]"
        }) { scenario in
            for (option, version) in [("--http2", "HTTP/2 200"), ("--http1.1", "HTTP/1.1 200")] {
                let answer = try await SecureCall.curl(
                    ["--haproxy-protocol", option], "https://localhost:PORT/public/x", port: scenario.gateway.port,
                    authority: authority.authority)
                #expect(answer.output.contains(version), "\(answer.output)")
                #expect(answer.output.contains("\"X-Forwarded-For\",\"127.0.0.1\""))
            }
            let without = try await SecureCall.curl(
                [], "https://localhost:PORT/public/x", port: scenario.gateway.port, authority: authority.authority)
            #expect(without.status == nil)
        }
    }
}
