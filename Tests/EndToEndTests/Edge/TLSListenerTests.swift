import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A listener with TLS, tested with curl and OpenSSL.
struct TLSListenerTests {
    /// Closes the connection after one response.
    private static let get = "GET /public/x HTTP/1.1\nHost: localhost\nConnection: close\n\n"

    private func run(
        tls: String = "", _ arrange: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (Scenario, TestAuthority) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        try await Scenario.run(
            arrange: { _, _, configuration in
                configuration.listen(authority.certificate, authority.key, tls: tls)
                arrange(&configuration)
            }
        ) { try await body($0, authority) }
    }

    @Test func `A-20: the upstream gets https as X-Forwarded-Proto`() async throws {
        try await run { scenario, authority in
            let answer = try await SecureCall.curl(
                ["-H", "X-Forwarded-Proto: http", "-H", "X-Forwarded-Port: 80"], "https://localhost:PORT/public/x",
                port: scenario.gateway.port, authority: authority.authority)
            #expect(answer.status == 200, "\(answer.output)")
            #expect(answer.output.contains("\"X-Forwarded-Proto\",\"https\""), "\(answer.output)")
            #expect(answer.output.contains("proto=https"))
            #expect(!answer.output.lowercased().contains("x-forwarded-port"))
            try await scenario.gateway.untilLogged("https://127.0.0.1:\(scenario.gateway.port)")
        }
    }

    @Test(arguments: [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")])
    func `both versions are served with HTTP/1.1`(_ option: String, _ version: String) async throws {
        try await run { scenario, _ in
            let answer = try await SecureCall.client(
                [option, "-alpn", "http/1.1"], port: scenario.gateway.port, sends: Self.get)
            #expect(answer.status == 200, "\(answer.output)")
            #expect(answer.output.contains("New, \(version)"), "\(answer.output)")
            #expect(answer.output.contains("ALPN protocol: http/1.1"))
            // The response ends with close_notify.
            #expect(!answer.output.contains("unexpected eof"), "\(answer.output)")
        }
    }

    @Test(arguments: [
        ("--http2", "", "2"), ("--http1.1", "", "1.1"), ("--http2", ", protocols: [http/1.1]", "1.1"),
    ])
    func `a client selects HTTP/2 by ALPN`(_ option: String, _ listener: String, _ version: String) async throws {
        let authority = try TestAuthority()
        try await Scenario.run(
            arrange: { $2.listen(authority.certificate, authority.key, listener: listener) }
        ) { scenario in
            let answer = try await SecureCall.curl(
                [option, "-w", "version=%{http_version}"], "https://localhost:PORT/public/x",
                port: scenario.gateway.port, authority: authority.authority)
            #expect(answer.status == 200 && answer.output.contains("version=\(version)"), "\(answer.output)")
            #expect(answer.output.contains("\"X-Forwarded-Proto\",\"https\""), "\(answer.output)")
        }
    }

    @Test func `a version below the minimum is rejected`() async throws {
        try await run(tls: ", minimum_version: '1.3'") { scenario, _ in
            let answer = try await SecureCall.client(["-tls1_2"], port: scenario.gateway.port, sends: Self.get)
            #expect(answer.status == nil && answer.output.contains("alert protocol version"), "\(answer.output)")
        }
    }

    @Test func `a long body and a long response are complete`() async throws {
        try await run { scenario, authority in
            for close in [[], ["-H", "Connection: close"]] {
                for how in ["", "&chunked=1"] {
                    let answer = try await SecureCall.curl(
                        close + ["-o", "/dev/null", "-w", "size=%{size_download} status=%{http_code}"],
                        "https://localhost:PORT/public/x?bytes=3000000\(how)", port: scenario.gateway.port,
                        authority: authority.authority)
                    #expect(answer.exitCode == 0 && answer.output == "size=3000000 status=200", "\(answer.output)")
                }
            }
            let folder = try ScratchFolder()
            let body = BodyPattern.bytes(3_000_000).map { $0 & 0x3F | 0x40 }
            try folder.write(String(decoding: body, as: UTF8.self), to: "large")
            let upload = try await SecureCall.curl(
                ["--data-binary", "@\(folder.path("large"))", "-H", "Expect: 100-continue"],
                "https://localhost:PORT/public/x", port: scenario.gateway.port, authority: authority.authority)
            #expect(upload.output.contains(String(FNV1a.checksum(body), radix: 16)), "\(upload.output.prefix(500))")
        }
    }

    @Test func `a truncated response does not look complete`() async throws {
        let upstream = try RawListener()
        try await run({
            $0["upstreams"] = "{ api: { servers: ['\(upstream.url)'] } }"
            $0.routes = ["path: /**, auth: none, upstream: api"]
        }) { scenario, _ in
            async let answer = SecureCall.client(
                [], port: scenario.gateway.port, sends: "GET /x HTTP/1.0\nHost: localhost\n\n")
            // The client starts on this thread, which must not block earlier.
            _ = try await eventually("a connection to the upstream") { upstream.isWaited(0) ? true : nil }
            let server = try upstream.take()
            _ = try server.readHead()
            try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            try await Task.sleep(for: .milliseconds(300))
            server.reset()
            let output = try await answer.output
            #expect(output.contains("hello") && output.contains("unexpected eof"), "\(output)")
        }
    }

    @Test func `a connection without a handshake is closed in time`() async throws {
        try await run({ $0["limits"] = "{ handshake_timeout: 500ms, idle_timeout: 60s }" }) { scenario, _ in
            let clear = try scenario.client(sending: Self.get.replacing("\n", with: "\r\n"))
            let heard = String(decoding: try clear.readToEnd(), as: UTF8.self)
            #expect(!heard.contains("HTTP/"))
            let silent = try scenario.client(sending: [0x16, 0x03, 0x01])
            let began = ContinuousClock.now
            _ = try silent.readToEnd()
            #expect(began.duration(to: .now) < Allowance.hang)
            #expect(try scenario.gateway.metric("gatehouse_tls_handshake_failures_total") == 2)
            let answer = try await SecureCall.client([], port: scenario.gateway.port, sends: Self.get)
            #expect(answer.status == 200)
        }
    }

    @Test func `handshakes count as connections`() async throws {
        try await run({ $0["limits"] = "{ connections: 64, handshake_timeout: 30s }" }) { scenario, _ in
            let silent = try (0..<64).map { _ in try scenario.connect() }
            _ = try await eventually("the maximum number of connections") {
                try scenario.gateway.metric("gatehouse_connections") >= 64 ? true : nil
            }
            let answer = try await SecureCall.client([], port: scenario.gateway.port, sends: Self.get, lasts: 5)
            #expect(answer.status == nil)
            #expect(try scenario.gateway.metric("gatehouse_connections_refused_total") >= 1)
            #expect(silent.count == 64)
        }
    }

    @Test func `the server name selects the certificate`() async throws {
        let other = try TestAuthority(names: "DNS:other.example,DNS:*.wild.example")
        let further = ", certificates: [{ certificate: '\(other.certificate)', private_key: '\(other.key)' }]"
        try await run(tls: further) { scenario, authority in
            let table: [(host: String, authority: TestAuthority)] = [
                ("localhost", authority), ("other.example", other), ("OTHER.Example", other), ("a.wild.example", other),
            ]
            for (host, authority) in table {
                let answer = try await SecureCall.curl(
                    [], "https://\(host):PORT/public/x", port: scenario.gateway.port, authority: authority.authority)
                #expect(answer.status == 200, "\(host) \(answer.output)")
            }
            for names in [["-noservername"], ["-servername", "nobody.example"], ["-servername", "a.b.wild.example"]] {
                let answer = try await SecureCall.client(
                    names + ["-CAfile", authority.authority, "-verify_return_error"], port: scenario.gateway.port,
                    sends: Self.get)
                #expect(answer.status == 200, "\(names) \(answer.output)")
            }
        }
    }

    @Test func `client certificates are verified`() async throws {
        let stranger = try TestAuthority()
        for mode in ["required", "optional"] {
            let authority = try TestAuthority()
            try await Scenario.run(
                arrange: {
                    $2.listen(
                        authority.certificate, authority.key,
                        tls: ", client_ca: '\(authority.authority)', client_certificates: \(mode)")
                }
            ) { scenario in
                func status(_ arguments: String...) async throws -> Int? {
                    try await SecureCall.curl(
                        arguments, "https://localhost:PORT/public/x", port: scenario.gateway.port,
                        authority: authority.authority
                    ).status
                }
                let identity = ["--cert", authority.clientCertificate, "--key", authority.clientKey]
                for (option, version) in [("--http2", "HTTP/2 200"), ("--http1.1", "HTTP/1.1 200")] {
                    let known = try await SecureCall.curl(
                        identity + [option], "https://localhost:PORT/public/x", port: scenario.gateway.port,
                        authority: authority.authority)
                    #expect(known.output.contains(version), "\(mode) \(known.output)")
                }
                let unknown = try await status("--cert", stranger.clientCertificate, "--key", stranger.clientKey)
                #expect(unknown == nil, "\(mode)")
                let none = try await status()
                #expect(none == (mode == "required" ? nil : 200), "\(mode)")
            }
        }
    }

    @Test func `sessions are resumed with client certificates too`() async throws {
        let authority = try TestAuthority()
        let tls = ", client_ca: '\(authority.authority)'"
        try await Scenario.run(arrange: { $2.listen(authority.certificate, authority.key, tls: tls) }) { scenario in
            let folder = try ScratchFolder()
            let identity = ["-cert", authority.clientCertificate, "-key", authority.clientKey, "-tls1_3"]
            let first = try await SecureCall.client(
                identity + ["-sess_out", folder.path("session")], port: scenario.gateway.port, sends: Self.get)
            #expect(first.status == 200, "\(first.output)")
            let second = try await SecureCall.client(
                identity + ["-sess_in", folder.path("session")], port: scenario.gateway.port, sends: Self.get)
            #expect(second.status == 200 && second.output.contains("Reused, TLSv1.3"), "\(second.output)")
        }
    }
}

extension TLSListenerTests {
    @Test func `renewed certificates are served and invalid ones are not`() async throws {
        let (old, new) = (try TestAuthority(), try TestAuthority())
        let folder = try ScratchFolder()
        func replace(_ name: String, by file: String) throws {
            try folder.write(String(contentsOfFile: file, encoding: .utf8), to: name + ".new")
            try #require(rename(folder.path(name + ".new"), folder.path(name)) == 0)
        }
        try replace("chain.pem", by: old.certificate)
        try replace("key.pem", by: old.key)
        try await Scenario.run(arrange: { $2.listen(folder.path("chain.pem"), folder.path("key.pem")) }) { scenario in
            func isServed(_ authority: TestAuthority) async throws -> Bool {
                try await SecureCall.curl(
                    [], "https://localhost:PORT/public/x", port: scenario.gateway.port, authority: authority.authority
                ).status == 200
            }
            #expect(try await isServed(old))
            try replace("chain.pem", by: new.certificate)
            _ = try await eventually("the mismatch noticed") {
                try scenario.gateway.metric("gatehouse_tls_reload_failures_total") == 1 ? true : nil
            }
            #expect(try await isServed(old))
            try replace("key.pem", by: new.key)
            _ = try await eventually("the renewal") {
                try scenario.gateway.metric("gatehouse_tls_reloads_total") == 1 ? true : nil
            }
            #expect(try await isServed(new))
            try await scenario.gateway.untilLogged(
                "the certificates on disk are invalid; the previous ones stay in use")
            #expect(
                try scenario.gateway.metric("gatehouse_tls_certificate_expiry_seconds", "subject=\"localhost\"") > 0)
        }
    }
}
