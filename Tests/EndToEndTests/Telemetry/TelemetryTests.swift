import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The export of traces and metrics by the built gateway.
struct TelemetryTests {
    private static let id = "0af7651916cd43dd8448eb211c80319c"

    /// A gateway that exports to a receiver at short intervals.
    private func run(
        telemetry: (TelemetryReceiver) -> String = { "{ endpoint: '\($0.url)', traces: { interval: 100ms } }" },
        _ body: (Scenario, TelemetryReceiver) async throws -> Void
    ) async throws {
        let receiver = try TelemetryReceiver()
        try await Scenario.run(arrange: { $2["telemetry"] = telemetry(receiver) }) { scenario in
            try await body(scenario, receiver)
        }
    }

    @Test func `a request's spans reach the receiver, and the upstream continues the trace`() async throws {
        try await run { scenario, receiver in
            let request = WireRequest.bearer(
                try scenario.token(), "/me/7?x=secret-query", "traceparent: 00-\(Self.id)-b7ad6b7169203331-01",
                "User-Agent: test/1")
            let report = try scenario.passes(request)
            let server = try await receiver.serverSpan(of: "/me/7")
            #expect(server.text("name") == "GET /me/**" && server.text("traceId") == Self.id)
            #expect(server.text("parentSpanId") == "b7ad6b7169203331")
            #expect(server.attribute("http.route") == "/me/**" && server.attribute("user_agent.original") == "test/1")
            #expect(server.attribute("http.response.status_code") == "200")
            #expect(server.attribute("gatehouse.request_id") == report["X-Request-Id"])
            let parent = try #require(report["traceparent"]).split(separator: "-").map(String.init)
            let client = try #require(receiver.spans.first { $0.text("spanId") == parent[2] })
            #expect(client.text("parentSpanId") == server.text("spanId") && client["kind"] == .integer(3))
            #expect(parent[1] == Self.id && parent[3] == "01")
            let text = receiver.messages.map { String(decoding: $0.body.bytes, as: UTF8.self) }.joined()
            #expect(!text.contains("secret-query") && !text.contains("eyJ") && !text.contains("enduser.id"))
        }
    }

    @Test func `the resource and the headers are the configured ones`() async throws {
        let telemetry = { (receiver: TelemetryReceiver) in
            """
            { endpoint: '\(receiver.url)/base/', headers: { X-Api-Key: s3cret }, service_name: edge,
              resource_attributes: { deployment.environment.name: test }, metrics: null, traces: { interval: 100ms } }
            """
        }
        try await run(telemetry: telemetry) { scenario, receiver in
            _ = try scenario.passes(.get("/public/x"))
            let message = try await eventually("a message") { receiver.messages.first }
            #expect(message.path == "/base/v1/traces" && message.head.lowercased().contains("x-api-key: s3cret"))
            let resource = try #require(message.body.list("resourceSpans").first?["resource"])
            #expect(resource.attribute("service.name") == "edge")
            #expect(resource.attribute("deployment.environment.name") == "test")
            #expect(resource.attribute("service.instance.id")?.count == 36)
            #expect(!scenario.gateway.errors.contains("s3cret"))
        }
    }

    @Test func `metrics are exported with the names of the metrics page`() async throws {
        let telemetry = { (receiver: TelemetryReceiver) in
            "{ endpoint: '\(receiver.url)', metrics: { interval: 1s } }"
        }
        try await run(telemetry: telemetry) { scenario, receiver in
            _ = try scenario.passes(.get("/public/x"))
            let point = try await eventually("the counted request") {
                let counters = receiver.metrics.filter { $0.text("name") == "gatehouse_requests_total" }
                let points = counters.flatMap { $0["sum"]?.list("dataPoints") ?? [] }
                return points.first { $0.attribute("route") == "/public/**" && $0.attribute("code") == "ok" }
            }
            #expect(point.text("asInt") == "1")
            #expect(receiver.metrics.contains { $0.text("name") == "gatehouse_request_duration_seconds" })
        }
    }

    @Test func `a transient failure is retried, and the metrics count it`() async throws {
        try await run { scenario, receiver in
            receiver.respond(with: [503, 200], fields: "Retry-After: 1\r\n")
            _ = try scenario.passes(.get("/public/x"))
            _ = try await receiver.serverSpan(of: "/public/x")
            let failed = #"signal="traces",result="failed""#
            #expect(try scenario.gateway.metric("gatehouse_otlp_requests_total", failed) == 1)
            _ = try await eventually("the counter") {
                try scenario.gateway.metric("gatehouse_otlp_exported_total", #"signal="traces""#) > 0 ? true : nil
            }
            #expect(try scenario.gateway.metric("gatehouse_otlp_dropped_total") == 0)
        }
    }

    @Test func `a receiver that never responds delays no request, and dropped spans are counted`() async throws {
        let telemetry = { (receiver: TelemetryReceiver) in
            "{ endpoint: '\(receiver.url)', metrics: null, traces: { queue: 64, batch: 16, interval: 100ms } }"
        }
        try await run(telemetry: telemetry) { scenario, receiver in
            receiver.hang()
            let client = try scenario.connect()
            for number in 0..<200 {
                #expect(try client.exchange(.get("/public/\(number)")).status == 200)
            }
            let dropped = try await eventually("dropped spans") { () -> Int? in
                let count = try scenario.gateway.metric("gatehouse_otlp_dropped_total", #"reason="queue_full""#)
                return count > 0 ? count : nil
            }
            #expect(dropped < 400)
            #expect(try scenario.gateway.metric("gatehouse_otlp_waiting_spans") <= 64)
        }
    }

    @Test func `a stop exports the waiting spans`() async throws {
        let telemetry = { (receiver: TelemetryReceiver) in
            "{ endpoint: '\(receiver.url)', traces: { interval: 1m } }"
        }
        try await run(telemetry: telemetry) { scenario, receiver in
            _ = try scenario.passes(.get("/public/last"))
            scenario.gateway.signal(15)
            #expect(await scenario.gateway.exitCode() == 0)
            #expect(receiver.spans.contains { $0.attribute("url.path") == "/public/last" })
            #expect(receiver.metrics.contains { $0.text("name") == "gatehouse_requests_total" })
        }
    }

    @Test func `a stop without a receiver is not delayed`() async throws {
        let telemetry = { (_: TelemetryReceiver) in "{ endpoint: 'http://127.0.0.1:1', traces: { interval: 1m } }" }
        try await run(telemetry: telemetry) { scenario, _ in
            _ = try scenario.passes(.get("/public/last"))
            let start = ContinuousClock.now
            scenario.gateway.signal(15)
            #expect(await scenario.gateway.exitCode() == 0)
            #expect(ContinuousClock.now - start < Allowance.hang)
        }
    }

    @Test func `a reload changes the receiver, and disables the export`() async throws {
        let (first, second) = (try TelemetryReceiver(), try TelemetryReceiver())
        let section = { (receiver: TelemetryReceiver) in
            "{ endpoint: '\(receiver.url)', metrics: null, traces: { interval: 100ms } }"
        }
        try await ReloadScenario.run(arrange: { $0["telemetry"] = section(first) }) { reload in
            _ = try reload.scenario.passes(.get("/public/first"))
            _ = try await first.serverSpan(of: "/public/first")
            try await reload.reload { $0["telemetry"] = section(second) }
            _ = try reload.scenario.passes(.get("/public/second"))
            _ = try await second.serverSpan(of: "/public/second")
            #expect(!first.spans.contains { $0.attribute("url.path") == "/public/second" })
            try await reload.reload { $0["telemetry"] = nil }
            let report = try reload.scenario.passes(.get("/public/third"))
            #expect(report["traceparent"]?.hasSuffix("-00") == true)
            #expect(try reload.gateway.samples(of: "gatehouse_otlp_requests_total", containing: "").isEmpty)
        }
    }

    @Test func `OpenTelemetry's variables enable the export without the section`() async throws {
        let receiver = try TelemetryReceiver()
        try await Scenario.run(arrange: { _, _, configuration in
            configuration.environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.url
            configuration.environment["OTEL_SERVICE_NAME"] = "from-environment"
        }) { scenario in
            _ = try scenario.passes(.get("/public/x"))
            _ = try await receiver.serverSpan(of: "/public/x")
            let resource = receiver.messages.first?.body.list("resourceSpans").first?["resource"]
            #expect(resource?.attribute("service.name") == "from-environment")
        }
    }

    @Test func `a denied request has a span, and its trace id in the access log`() async throws {
        try await run { scenario, receiver in
            #expect(try scenario.send(.get("/me/denied")).status == 401)
            let server = try await receiver.serverSpan(of: "/me/denied")
            #expect(server.attribute("gatehouse.code") == "auth/missing-credential" && server["status"] == nil)
            let lines = await scenario.accessLog()
            let line = try #require(lines.first { $0.text("path") == "/me/denied" })
            #expect(line.text("trace_id") == server.text("traceId"))
        }
    }
}
