import Foundation
import Testing

@testable import SystemFixtures

/// TLS does not change the route of a request or its requirements.
struct TLSCaseTests {
    private static func request(_ host: String, _ lines: String = "") -> String {
        "GET /x HTTP/1.1\nHost: \(host)\n\(lines)Connection: close\n\n"
    }

    private static let routes = [
        "path: /**, host: secret.example, upstream: api", "path: /**, host: open.example, auth: none, upstream: api",
    ]

    private func run(tls: String = "", _ body: (Scenario, TestAuthority) async throws -> Void) async throws {
        let authority = try TestAuthority(names: "DNS:open.example,DNS:localhost")
        let other = try TestAuthority(names: "DNS:secret.example,DNS:*.wild.example")
        let further = ", certificates: [{ certificate: '\(other.certificate)', private_key: '\(other.key)' }]"
        try await Scenario.run(
            arrange: {
                $2.listen(
                    authority.certificate, authority.key,
                    tls: further + tls.replacing("CA", with: "'\(authority.authority)'"))
                $2.routes = Self.routes
            }
        ) { try await body($0, authority) }
    }

    /// Handshakes with each kind of server name, or without one.
    static let names: [[String]] = [
        ["-noservername"], ["-servername", "open.example"], ["-servername", "secret.example"],
        ["-servername", "SECRET.Example"], ["-servername", "x.wild.example"], ["-servername", "nobody.example"],
        ["-tls1_2", "-servername", "open.example"],
        // A ClientHello of several records with at most 512 bytes each.
        [
            "-servername", "open.example", "-max_send_frag", "512", "-alpn",
            (0..<12).map { "x\($0)-" + String(repeating: "a", count: 60) }.joined(separator: ",") + ",http/1.1",
        ],
    ]

    @Test(.tags(.c13)) func `the Host field selects the route, whatever server name the handshake has`() async throws {
        try await run { scenario, _ in
            let table = [
                (Self.request("secret.example"), 401), (Self.request("SECRET.example:443"), 401),
                (Self.request("open.example"), 200), (Self.request("nobody.example"), 404),
                (Self.request("secret.example", "X-Forwarded-Host: open.example\n"), 401),
                (Self.request("secret.example", "Authorization: Bearer \(try scenario.token())\n"), 200),
            ]
            for names in Self.names {
                for (text, status) in table {
                    let answer = try await SecureCall.client(names, port: scenario.gateway.port, sends: text)
                    #expect(answer.status == status, "\(names) \(text) \(answer.output)")
                }
            }
        }
    }

    @Test(.tags(.c13)) func `no server name bypasses the client certificate`() async throws {
        try await run(tls: ", client_ca: CA") { scenario, authority in
            let text = Self.request("open.example")
            let identity = ["-cert", authority.clientCertificate, "-key", authority.clientKey]
            for names in Self.names {
                let without = try await SecureCall.client(names, port: scenario.gateway.port, sends: text)
                #expect(without.status == nil, "\(without.output)")
                let with = try await SecureCall.client(names + identity, port: scenario.gateway.port, sends: text)
                #expect(with.status == 200, "\(with.output)")
            }
        }
    }

    @Test(.tags(.c13)) func `a handshake in single bytes has the same result`() async throws {
        try await run { scenario, _ in
            let relay = try ByteRelay(to: scenario.gateway.port)
            relay.start()
            for (host, status) in [("secret.example", 401), ("open.example", 200)] {
                let answer = try await SecureCall.client(
                    ["-servername", "open.example"], port: relay.port, sends: Self.request(host))
                #expect(answer.status == status, "\(answer.output)")
            }
        }
    }

    @Test(.tags(.c14)) func `early data is not accepted`() async throws {
        try await run { scenario, _ in
            let folder = try ScratchFolder()
            let port = scenario.gateway.port
            let text = Self.request("open.example")
            let first = try await SecureCall.client(
                ["-tls1_3", "-sess_out", folder.path("session")], port: port, sends: text)
            #expect(first.status == 200 && first.output.contains("Max Early Data: 0"), "\(first.output)")
            try folder.write(text.replacing("GET", with: "POST").replacing("\n", with: "\r\n"), to: "early")
            let second = try await SecureCall.client(
                ["-tls1_3", "-sess_in", folder.path("session"), "-early_data", folder.path("early")], port: port,
                sends: text)
            #expect(!second.output.contains("Early data was accepted"), "\(second.output)")
            _ = try await eventually("both requests in the log") {
                scenario.gateway.output.split(separator: "\n").count >= 1 ? true : nil
            }
            #expect(!scenario.gateway.output.contains("POST"))
        }
    }

    static let unfit: [(what: String, tls: String)] = [
        ("no certificate", "certificate: absent.pem, private_key: KEY"),
        ("no key", "certificate: CERTIFICATE, private_key: absent.key"),
        ("another's key", "certificate: CERTIFICATE, private_key: CLIENTKEY"),
        ("an empty certificate", "certificate: empty, private_key: KEY"),
        ("a key for a certificate", "certificate: KEY, private_key: KEY"),
        ("no authorities", "certificate: CERTIFICATE, private_key: KEY, client_ca: absent.pem"),
        ("a file without authorities", "certificate: CERTIFICATE, private_key: KEY, client_ca: empty"),
        ("an empty name", "certificate: CERTIFICATE, private_key: KEY, client_ca: ''"),
        ("a folder", "certificate: ., private_key: KEY"),
        (
            "no second key",
            "certificate: CERTIFICATE, private_key: KEY, certificates: [{ certificate: CERTIFICATE, private_key: absent }]"
        ),
    ]

    @Test(.tags(.c15), arguments: unfit)
    func `a listener whose files are missing is not opened`(row: (what: String, tls: String)) async throws {
        let authority = try TestAuthority()
        let folder = try ScratchFolder()
        try folder.write("", to: "empty")
        let tls = row.tls.replacing("CLIENTKEY", with: authority.clientKey)
            .replacing("CERTIFICATE", with: authority.certificate).replacing("KEY", with: authority.key)
        let listen = "listen: [{ address: 127.0.0.1:0, tls: { \(tls) } }]\nadmin: { address: 127.0.0.1:0 }\n"
        try folder.write(CheckTests.valid + listen, to: "gatehouse.yaml")
        for command in ["check", "serve"] {
            let run = try await CommandRun.run(command, "--config", "gatehouse.yaml", in: folder)
            #expect(run.exitCode == 1, "\(row.what)")
            #expect(run.errors.contains("gatehouse.yaml:"), "\(row.what): \(run.errors)")
        }
    }
}

/// Forwards the bytes of clients in separate packets, and the responses as they arrive.
private final class ByteRelay: Sendable {
    private let listener: RawListener
    private let target: Int

    init(to port: Int) throws {
        listener = try RawListener()
        target = port
    }

    var port: Int { listener.port }

    /// Serves connections sequentially until the end of the test.
    func start() {
        Thread.detachNewThread {
            while let client = try? self.listener.take(), let server = try? RawClient(port: self.target) {
                Self.pump(client, server)
            }
        }
    }

    private static func pump(_ client: RawClient, _ server: RawClient) {
        while true {
            if client.waitForBytes(5) {
                guard let bytes = try? client.readSome(), !bytes.isEmpty else { return }
                for byte in bytes where (try? server.send([byte])) == nil { return }
            }
            if server.waitForBytes(5) {
                guard let bytes = try? server.readSome(), !bytes.isEmpty, (try? client.send(bytes)) != nil else {
                    return
                }
            }
        }
    }
}
