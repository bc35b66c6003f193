import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Upstream servers of other projects, with HTTP/2 on both sides of the gateway and without TLS.
struct HTTP2ServerPeerTests {
    private func run(
        upstream: (_ echo: Int) async throws -> (port: Int, server: ServerProcess),
        _ body: (Scenario, HTTP2Client) throws -> Void
    ) async throws {
        var server: ServerProcess?
        defer { server?.end() }
        try await Scenario.run(
            arrange: { _, echo, configuration in
                let started = try await upstream(echo.port)
                server = started.server
                configuration["workers"] = "1"
                configuration["listen"] = "[{ address: 127.0.0.1:0, protocols: [http/1.1, h2c] }]"
                configuration["upstreams"] =
                    "{ api: { servers: ['http://127.0.0.1:\(started.port)'], protocol: h2c } }"
                configuration.routes = ["path: /**, auth: none, upstream: api"]
            },
            { scenario in
                try body(scenario, try HTTP2Client(port: scenario.gateway.port, settings: [(4, 1 << 20)]))
                #expect(try scenario.gateway.metric("gatehouse_upstream_connects_total") == 1)
            })
    }

    private func upload(_ client: HTTP2Client, _ count: Int) throws -> HTTP2Client.Answer {
        let stream = try client.request(HTTP2Client.head("/upload", method: "POST"), endsStream: false)
        for start in stride(from: 0, to: count, by: 10_000) {
            let size = min(10_000, count - start)
            try client.data(Array(repeating: 0x61, count: size), stream: stream, endsStream: start + size == count)
        }
        return try client.answer(stream)
    }

    /// Responds with a line about the request, and 100,000 bytes.
    private static let application = """
        async def app(scope, receive, send):
            assert scope["type"] == "http"
            size, more = 0, True
            while more:
                event = await receive()
                size, more = size + len(event.get("body", b"")), event.get("more_body", False)
            line = f"{scope['http_version']} {scope['method']} {scope['path']} {size}\\n".encode()
            await send({"type": "http.response.start", "status": 200, "headers": [(b"x-peer", b"hypercorn")]})
            for part in (line, b"." * 100_000):
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        """

    @Test(
        .enabled(
            if: RealHTTP2Server.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"))
    func `hypercorn serves streams in parallel and bodies in both directions`() async throws {
        try await run(upstream: { _ in
            let folder = try ScratchFolder()
            try folder.write(Self.application, to: "application.py")
            let server = try await ServerProcess(
                RealHTTP2Server.interpreter ?? "",
                ["-m", "hypercorn", "application:app", "--workers", "0", "--bind", "127.0.0.1:0"], in: folder,
                log: "log")
            let port = try await eventually("hypercorn; \(folder.read("log"))") {
                folder.read("log").firstMatch(of: /Running on http:\/\/127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
            }
            return (port, server)
        }) { _, client in
            let streams = try (0..<20).map { try client.request(HTTP2Client.head("/\($0)")) }
            for (number, stream) in streams.enumerated() {
                let answer = try client.answer(stream)
                #expect(answer.status == 200 && answer.isComplete && answer["x-peer"] == "hypercorn")
                #expect(answer.text.hasPrefix("2 GET /\(number) 0\n") && answer.body.count > 100_000)
            }
            #expect(try upload(client, 60_000).text.hasPrefix("2 POST /upload 60000\n"))
        }
    }

    private static func envoy(_ port: Int, echo: Int) -> String {
        """
        static_resources:
          listeners:
            - address: { socket_address: { address: 127.0.0.1, port_value: \(port) } }
              filter_chains:
                - filters:
                    - name: envoy.filters.network.http_connection_manager
                      typed_config:
                        "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                        stat_prefix: gateway
                        codec_type: HTTP2
                        http_filters:
                          - name: envoy.filters.http.router
                            typed_config:
                              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
                        route_config:
                          virtual_hosts:
                            - { name: all, domains: ["*"], routes: [{ match: { prefix: / }, route: { cluster: echo } }] }
          clusters:
            - name: echo
              type: STATIC
              load_assignment:
                cluster_name: echo
                endpoints:
                  - lb_endpoints:
                      - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: \(echo) } } }
        """
    }

    @Test(.enabled(if: RecipeProxy.folder != nil, "GATEHOUSE_PROXIES names no folder: script/test sets it"))
    func `Envoy serves streams in parallel and bodies in both directions`() async throws {
        try await run(upstream: { echo in
            let (folder, port) = (try ScratchFolder(), try Ports.free())
            try folder.write(Self.envoy(port, echo: echo), to: "envoy.yaml")
            let server = try await ServerProcess(
                "\(RecipeProxy.folder ?? "")/envoy",
                ["-c", "envoy.yaml", "--concurrency", "1", "--disable-hot-restart", "-l", "warning"], in: folder,
                log: "log")
            _ = try await eventually("Envoy; \(folder.read("log"))") {
                (try? RawClient(port: port)) == nil ? nil : true
            }
            return (port, server)
        }) { _, client in
            let streams = try (0..<20).map { try client.request(HTTP2Client.head("/\($0)?bytes=100000")) }
            for stream in streams {
                let answer = try client.answer(stream)
                #expect(answer.status == 200 && answer.isComplete && answer.body.count == 100_000)
                #expect(answer["server"] == "envoy")
            }
            let checksum = String(FNV1a.checksum(Array(repeating: 0x61, count: 60_000)), radix: 16)
            #expect(try upload(client, 60_000).text.contains(checksum))
        }
    }
}
