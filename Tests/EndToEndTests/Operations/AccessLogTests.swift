import DevelopmentIdentity
import Testing

/// The access log has one line of JSON for each request, and no credentials.
struct AccessLogTests {
    @Test func `a line has the user, the request and the decision`() async throws {
        try await Scenario.run { scenario in
            let response = try scenario.send(.bearer(scenario.token(), "/me/logged?secret=1"))
            let report = try #require(EchoReport(response))
            #expect(response.values("X-Request-Id") == report.values("X-Request-Id"))
            let lines = await scenario.accessLog()
            let line = try #require(lines.first)
            #expect(line["method"] == "GET" && line["path"] == "/me/logged" && line["status"] == 200)
            #expect(line["code"] == "ok" && line["uid"] == "ada" && line["upstream"] == "api")
            #expect(line["route"] == "/me/**")
            #expect(line["request_id"] == report["X-Request-Id"].map(JSON.string))
            for member in ["time", "duration_us", "upstream_us", "bytes_in", "bytes_out", "client"] {
                #expect(line[member] != nil, "\(member)")
            }
        }
    }

    @Test func `every request has a line with its code`() async throws {
        try await Scenario.run { scenario in
            _ = try scenario.send(.get("/me/x"))
            _ = try scenario.send(.get("/unknown"))
            _ = try scenario.send(.get("/down/x"))
            _ = try scenario.send(.get("/public/%00"))
            _ = try scenario.send(raw: "BROKEN\r\n\r\n")
            // Each worker writes its own lines, so the order is undefined.
            let codes = await scenario.accessLog().compactMap { $0["code"]?.text }.sorted()
            let expected = [
                "auth/missing-credential", "request/malformed", "request/malformed", "route/not-found",
                "upstream/unreachable",
            ]
            #expect(codes == expected.map { "\"\($0)\"" })
        }
    }
}
