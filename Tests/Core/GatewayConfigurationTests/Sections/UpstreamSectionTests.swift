import GatewayConfiguration
import Testing

@testable import CoreFixtures

@Suite struct UpstreamSectionTests {
    /// Each error is located at the mark.
    static let broken: [BrokenConfiguration] = [
        upstream("servers: [§'unix:run/app']", "upstreams.api.servers[] is unix: without an absolute path"),
        upstream(
            "servers: [§'unix:/\(String(repeating: "a", count: 103))']", "is a socket path of more than 103 bytes"),
        upstream("servers: [{ url: http://a, weight: §0 }]", "upstreams.api.servers[].weight is"),
        upstream("servers: [§{ weight: 2 }]", "upstreams.api.servers[].url is missing"),
        upstream("servers: §[http://a, { url: http://a, weight: 2 }]", "upstreams.api.servers has a duplicate server"),
        upstream("servers: [http://a], §balance: hash", "balance: hash without hash_on"),
        upstream("servers: [http://a], hash_on: §uid", "upstreams.api.hash_on without balance: hash"),
        upstream("servers: [http://a], balance: hash, hash_on: §'header:a b'", "upstreams.api.hash_on cannot be"),
        upstream("servers: [http://a], balance: §random", "write round_robin or least_requests or hash"),
        upstream("servers: [http://a], §tls: { ca: ca.pem }", "upstreams.api.tls without an https:// server"),
        upstream(
            "servers: [https://a], tls: { §certificate: c.pem }", "upstreams.api.tls.certificate without private_key"),
        upstream(
            "servers: [https://a], tls: { server_name: §10.0.0.1 }", "not a name; write a host name without a port"),
        upstream("servers: [https://a], tls: { §verify: false }", "unknown key"),
        upstream("servers: [http://a], health: { path: §healthz }", "not a path; begin it with '/'"),
        upstream("servers: [http://a], health: { status: [§99] }", "not a status; write 200 or 200-399"),
        upstream("servers: [http://a], health: { status: [§399-200] }", "not a status; write 200 or 200-399"),
        upstream(
            "servers: [http://a], ejection: { time: 1m, max_time: §30s }",
            "upstreams.api.ejection.max_time is less than time"),
        upstream("servers: [http://a], ejection: { max_share: §0 }", "upstreams.api.ejection.max_share is"),
        upstream("servers: [http://a], retry: { conditions: [§500] }", "upstreams.api.retry.conditions[] cannot be"),
        upstream(
            "servers: [http://a], retry: { conditions: [connect], §on: [reset] }",
            "upstreams.api.retry.on is another name of conditions, which is also set; remove one of them"),
        upstream(
            "servers: [http://a], retry: { §true: [connect] }",
            "unknown key 'true' in upstreams.api.retry; did you mean 'conditions'? tools that read YAML 1.1"),
        upstream("servers: [§'localhost:3000']", "not an absolute URL; write http://HOST:PORT, https://HOST:PORT or"),
        upstream("servers: [http://a], retry: { attempts: §6 }", "upstreams.api.retry.attempts is"),
        upstream("servers: [http://a], pending: §0", "upstreams.api.pending is"),
        upstream("servers: [http://a], resolve_every: §10ms", "upstreams.api.resolve_every is"),
        upstream("servers: [http://a], protocol: §spdy", "write http/1.1 or h2 or h2c"),
        upstream("servers: [http://a], §protocol: h2", "protocol: h2 with http://a:80, which has no TLS"),
        upstream("servers: [https://a], §protocol: h2c", "protocol: h2c with https://a:443, which has TLS"),
        upstream(
            "servers: [http://a], protocol: h2c, http2: { ping_interval: §10ms }",
            "upstreams.api.http2.ping_interval is"),
        upstream("servers: [http://a], §http2: { stream_window: 1MiB }", "upstreams.api.http2 without HTTP/2"),
        upstream(
            "servers: [http://a], protocol: h2c, http2: { stream_window: §64 }", "upstreams.api.http2.stream_window is"),
        upstream(
            "servers: [http://a], protocol: h2c, http2: { streams_per_connection: §0 }",
            "upstreams.api.http2.streams_per_connection is"),
        upstream("servers: [http://a], §health: { grpc: a.B }", "upstreams.api.health.grpc without HTTP/2"),
        upstream(
            "servers: [http://a], protocol: h2c, health: { grpc: §'a b' }", "not the name of a gRPC service"),
        upstream(
            "servers: [http://a], protocol: h2c, health: { grpc: a.B, §path: /x }",
            "upstreams.api.health.path beside grpc"),
    ]

    private static func upstream(_ marked: String, _ problem: String) -> BrokenConfiguration {
        let before = "  api: { "
        let column = before.count + marked.prefix { $0 != "§" }.count + 1
        let text = marked.replacing("§", with: "")
        return .file(
            "upstreams:\n\(before)\(text) }\nroutes: [{ path: /, auth: none, upstream: api }]\n",
            "2:\(column) \(problem)")
    }

    @Test(arguments: broken)
    func `each error in an upstream is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    private func load(_ text: String) throws -> Configuration.Upstream {
        let configuration = try ConfigurationTesting.load(
            "upstreams:\n  api: { \(text) }\nroutes: [{ path: /, auth: none, upstream: api }]\n")
        return configuration.upstreams[0]
    }

    @Test func `every kind of server is read`() throws {
        let upstream = try load(
            "servers: [http://a:1, https://b, 'unix:/run/app.sock', { url: 'http://[::1]:2', weight: 5 }]")
        let spelled = ["http://a:1", "https://b:443", "unix:/run/app.sock", "http://[::1]:2"]
        #expect(upstream.servers.map(\.description) == spelled)
        #expect(upstream.servers.map(\.weight) == [1, 1, 1, 5])
        #expect(upstream.servers.map(\.isSecure) == [false, true, false, false])
        #expect(upstream.servers[2].path == "/run/app.sock")
    }

    @Test func `all other keys have their defaults`() throws {
        let upstream = try load("servers: [http://a]")
        #expect(upstream == Configuration.Upstream(name: "api", servers: upstream.servers).located(upstream))
        #expect(upstream.balance == .roundRobin && upstream.health == nil && upstream.pending == 1024)
        #expect(upstream.ejection?.failures == 5 && upstream.ejection?.maxShare == 50)
        #expect(upstream.retry?.conditions == [.connect, .reset] && upstream.retry?.attempts == 1)
    }

    @Test func `every key of an upstream is read`() throws {
        let upstream = try load(
            """
            servers: [https://a], balance: hash, hash_on: 'header:X-Tenant', pending: 7, resolve_every: 5s, slow_start: 30s,
                tls: { ca: ca.pem, server_name: API.internal, certificate: c.pem, private_key: k.pem },
                health: { path: '/up?x', interval: 1s, timeout: 500ms, healthy: 1, unhealthy: 2, status: [200, 204-299], host: a:1 },
                ejection: { failures: 2, time: 1s, max_time: 4s, max_share: 100 },
                retry: { conditions: [502, timeout], attempts: 3, budget: 50 }
            """)
        #expect(upstream.hashOn == .header("x-tenant") && upstream.pending == 7 && upstream.slowStart == .seconds(30))
        #expect(upstream.tls.serverName == "api.internal" && upstream.tls.privateKey == "k.pem")
        #expect(upstream.health?.status == [200...200, 204...299] && upstream.health?.host == "a:1")
        #expect(upstream.ejection?.maxTime == .seconds(4))
        #expect(upstream.retry?.conditions == [.status502, .timeout] && upstream.retry?.budget == 50)
    }

    @Test func `the settings of HTTP/2 are read`() throws {
        let upstream = try load(
            """
            servers: [https://a], protocol: h2, health: { grpc: '*' }, http2: { streams_per_connection: 7,
                stream_window: 65535, connection_window: 2MiB, connection_age: 10m, ping_interval: 1m, ping_timeout: 5s }
            """)
        #expect(upstream.protocol == .h2 && upstream.http2.streamsPerConnection == 7)
        #expect(upstream.http2.streamWindow == 65_535 && upstream.http2.connectionWindow == 2 << 20)
        #expect(upstream.http2.connectionAge == .seconds(600) && upstream.health?.grpc == "")
        #expect(upstream.http2.pingInterval == .seconds(60) && upstream.http2.pingTimeout == .seconds(5))
    }

    @Test func `a route to an upstream with HTTP/2 has no upgrades`() {
        let text =
            "upstreams: { api: { servers: [http://a], protocol: h2c } }\n"
            + "routes: [{ path: /, auth: none, upstream: api, upgrade: [websocket] }]\n"
        BrokenConfiguration.file(text, "2:48 upgrade on a route to an upstream with HTTP/2, which has no upgrades")
            .check()
    }

    @Test func `the older name of the conditions of a retry has the same meaning and no warning`() throws {
        let configuration = try ConfigurationTesting.load(
            "upstreams: { api: { servers: [http://a], retry: { on: [502, timeout] } } }\n"
                + "routes: [{ path: /, auth: none, upstream: api }]\n")
        #expect(configuration.upstreams[0].retry?.conditions == [.status502, .timeout])
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `null disables ejection, retry and health checks`() throws {
        let upstream = try load("servers: [http://a], ejection: null, retry: null, health: null")
        #expect(upstream.ejection == nil && upstream.retry == nil && upstream.health == nil)
    }
}

extension Configuration.Upstream {
    fileprivate func located(_ other: Self) -> Self {
        var copy = self
        copy.tls.location = other.tls.location
        return copy
    }
}
