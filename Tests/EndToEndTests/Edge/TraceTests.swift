import DevelopmentIdentity
import Testing

struct TraceTests {
    private static let id = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "00-\(id)-b7ad6b7169203331-01"

    @Test func `a trace continues and is logged`() async throws {
        try await Scenario.run { scenario in
            let report = try scenario.passes(
                .get(
                    "/public/x", "traceparent: \(Self.parent)", "tracestate: a=1"
                ))
            #expect(report.values("traceparent") == [Self.parent] && report.values("tracestate") == ["a=1"])
            let made = try scenario.passes(.get("/public/y", "traceparent: \(Self.parent)x", "tracestate: a=1"))
            #expect(made["traceparent"]?.contains(Self.id) == false && made["tracestate"] == nil)
            _ = await scenario.accessLog()
            #expect(scenario.gateway.output.contains("\"trace_id\":\"\(Self.id)\""))
            let other = try #require(made["traceparent"]).split(separator: "-")[1]
            #expect(scenario.gateway.output.contains("\"trace_id\":\"\(other)\""))
        }
    }

    @Test func `with restart, a trace begins at the gateway`() async throws {
        try await Scenario.run(arrange: { $2["trace_context"] = "restart" }) { scenario in
            let report = try scenario.passes(.get("/public/x", "traceparent: \(Self.parent)", "tracestate: a=1"))
            #expect(report.values("traceparent").count == 1 && report["tracestate"] == nil)
            #expect(report["traceparent"]?.contains(Self.id) == false)
        }
    }
}
