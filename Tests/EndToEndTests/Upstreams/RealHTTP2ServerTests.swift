import Foundation
import Testing

@testable import SystemFixtures

/// Upstreams with HTTP/2 that other projects wrote.
enum RealHTTP2Server {
    /// The interpreter with grpcio. `script/test` sets it.
    static let interpreter = ProcessInfo.processInfo.environment["GATEHOUSE_ORACLE_PYTHON"].flatMap {
        $0.isEmpty ? nil : $0
    }

    static let nginx = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
}

/// `grpc_server.py` on a free port.
final class GRPCServer: Sendable {
    let port: String
    let folder: ScratchFolder
    private let server: ServerProcess

    init(_ authority: TestAuthority? = nil) async throws {
        let folder = try ScratchFolder()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "grpc_server.py")
        let files = authority.map { [$0.certificate, $0.key] } ?? []
        server = try await ServerProcess(
            RealHTTP2Server.interpreter ?? "", [script.path, folder.path] + files, in: folder, log: "log")
        port = try await eventually("the gRPC server; \(folder.read("log"))") {
            let text = folder.read("port")
            return text.isEmpty ? nil : text
        }
        self.folder = folder
    }

    var events: String { folder.read("events") }

    func end() { server.end() }
}

@Suite(.enabled(if: RealHTTP2Server.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"))
struct GRPCUpstreamTests {
    /// A message with the prefix of gRPC.
    private static func message(_ text: String) -> [UInt8] { [0, 0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func call(_ method: String, _ message: String, _ fields: String = "") -> [UInt8] {
        let body = Self.message(message)
        return Array(
            ("POST /test.Echo/\(method) HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n\(fields)"
                + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }

    private func run(
        _ settings: String, tls authority: TestAuthority? = nil,
        _ body: (Scenario, GRPCServer) async throws -> Void
    ) async throws {
        let server = try await GRPCServer(authority)
        defer { server.end() }
        let url = "\(authority == nil ? "http" : "https")://127.0.0.1:\(server.port)"
        try await Scenario.run(
            arrange: { _, _, configuration in
                configuration["workers"] = "1"
                configuration["upstreams"] = "{ api: { servers: ['\(url)'], \(settings) } }"
                configuration.routes = ["path: '/test.Echo/{m}', auth: none, upstream: api"]
            },
            { try await body($0, server) })
    }

    @Test(arguments: [false, true])
    func `a call of an HTTP/1.1 client returns its message and its trailers`(isSecure: Bool) async throws {
        let authority = isSecure ? try TestAuthority() : nil
        let settings = authority.map { "protocol: h2, tls: { ca: '\($0.authority)' }" } ?? "protocol: h2c"
        try await run(settings, tls: authority) { scenario, _ in
            for text in ["one", "two"] {
                let response = try scenario.client(sending: Self.call("Unary", text)).response()
                #expect(response.status == 200)
                #expect(response.fields.contains { $0.name == "seen-uid" && $0.value == "-" })
                #expect(response.body == Self.message(text))
                #expect(response.trailers.contains { $0.name == "grpc-status" && $0.value == "0" })
                #expect(response.trailers.contains { $0.name == "x-bin-bin" && $0.value == "AP8" })
            }
            #expect(try scenario.gateway.metric("gatehouse_upstream_connects_total") == 1)
        }
    }

    @Test func `health checks call the health service`() async throws {
        for (service, isHealthy) in [("test.Echo", true), ("'*'", true), ("test.Down", false), ("test.None", false)] {
            let check = "health: { grpc: \(service), interval: 100ms, unhealthy: 1 }"
            try await run("protocol: h2c, \(check)") { scenario, _ in
                let result = isHealthy ? "passed" : "failed"
                _ = try await eventually("a check of \(service)") {
                    let name = "gatehouse_upstream_server_checks_total"
                    return try scenario.gateway.metric(name, "result=\"\(result)\"") > 0 ? true : nil
                }
                let healthy = try await eventually("the state of \(service)") { () -> Bool? in
                    let value = try scenario.gateway.metric("gatehouse_upstream_server_healthy")
                    return (value == 1) == isHealthy ? true : nil
                }
                #expect(healthy)
            }
        }
    }

    @Test func `a client that leaves cancels its call`() async throws {
        try await run("protocol: h2c") { scenario, server in
            let client = try scenario.client(sending: Self.call("Unary", "sleep"))
            _ = try client.readHead()
            client.reset()
            _ = try await eventually("the cancellation") { server.events.contains("cancelled") ? true : nil }
        }
    }
}

@Suite(.enabled(if: RealHTTP2Server.nginx != nil, "nginx is not installed: script/setup --test installs it"))
struct NginxUpstreamTests {
    @Test func `nginx serves bodies and keeps its connections`() async throws {
        let (authority, folder) = (try TestAuthority(), try ScratchFolder())
        let port = try RawListener().port
        try folder.write(String(repeating: "0123456789abcdef", count: 65_536), to: "large.txt")
        try folder.write(
            """
            daemon off; master_process off; worker_processes 1; pid nginx.pid; error_log log;
            events {}
            http {
              access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
              uwsgi_temp_path uwsgi; scgi_temp_path scgi; keepalive_requests 50;
              server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(authority.certificate); ssl_certificate_key \(authority.key);
                root \(folder.path);
                location /echo { return 200 "$request_method $http_host $server_protocol"; }
              }
            }
            """, to: "nginx.conf")
        let nginx = try await ServerProcess(
            RealHTTP2Server.nginx ?? "", ["-p", folder.path, "-c", "nginx.conf"], in: folder, log: "output")
        defer { nginx.end() }
        _ = try await eventually("nginx; \(folder.read("log")) \(folder.read("output"))") {
            (try? RawClient(port: port)) == nil ? nil : true
        }
        try await Scenario.run(
            arrange: { _, _, configuration in
                configuration["workers"] = "1"
                configuration["upstreams"] =
                    "{ api: { servers: ['https://127.0.0.1:\(port)'], protocol: h2, tls: { ca: '\(authority.authority)' } } }"
                configuration.routes = ["path: /**, auth: none, upstream: api"]
            },
            { scenario in
                let client = try scenario.connect()
                // More requests than nginx permits on a connection: each GOAWAY replaces it.
                for _ in 0..<130 {
                    let response = try client.exchange(.get("/echo"))
                    #expect(response.status == 200)
                    #expect(response.text.contains("GET "))
                    #expect(response.text.contains("HTTP/2.0"))
                }
                #expect(try scenario.gateway.metric("gatehouse_upstream_connects_total") >= 3)
                let large = try client.exchange(.get("/large.txt"))
                #expect(large.body.count == 1 << 20)
            })
    }
}
