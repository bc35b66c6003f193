import DevelopmentIdentity
import Testing

/// Fields that the configuration sets and removes. The test plays the upstream.
struct AnswerFieldTests {
    private func run(
        _ route: String, _ body: @Sendable (Scenario, RawListener) async throws -> Void
    ) async throws {
        let listener = try RawListener(backlog: 16)
        try await Scenario.run(
            arrange: { _, echo, configuration in
                configuration["upstreams"] =
                    "{ api: { servers: ['\(echo.url)'] }, raw: { servers: ['\(listener.url)'] } }"
                configuration["response_headers"] =
                    "{ set: { X-Frame-Options: DENY, Cache-Control: private, X-Side: a }, remove: [Server] }"
                configuration.routes = [
                    "path: /me/**, upstream: api", "path: /public/**, auth: none, upstream: api",
                    "path: /raw/**, auth: none, upstream: raw, \(route)",
                ]
            }, { try await body($0, listener) })
    }

    private func exchange(_ scenario: Scenario, _ listener: RawListener, _ answer: String) throws -> WireResponse {
        let client = try scenario.client(sending: WireRequest.get("/raw/x", "Origin: https://app.example"))
        let upstream = try listener.take()
        _ = try upstream.readHead()
        try upstream.send(answer)
        return try client.response()
    }

    @Test func `fields of the upstream are replaced and removed`() async throws {
        let route = "response_headers: { set: { X-Side: b }, remove: [X-Powered-By] }"
        try await run(route) { scenario, listener in
            let response = try exchange(
                scenario, listener,
                "HTTP/1.1 200 OK\r\nServer: x\r\nx-powered-by: y\r\nx_side: z\r\nCache-Control: public\r\nX-Kept: 1\r\n"
                    + "Access-Control-Allow-Origin: *\r\nContent-Length: 2\r\n\r\nok")
            #expect(response.status == 200 && response.text == "ok" && response["X-Kept"] == "1")
            #expect(response["Server"] == nil && response["X-Powered-By"] == nil && response["x_side"] == nil)
            #expect(response.values("X-Side") == ["b"] && response.values("Cache-Control") == ["private"])
            #expect(response.values("X-Frame-Options") == ["DENY"])
            // Without `cors`, the CORS fields of the upstream are forwarded.
            #expect(response["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func `with CORS, CORS fields of the upstream are not forwarded`() async throws {
        try await run("cors: { origins: https://app.example }") { scenario, listener in
            let response = try exchange(
                scenario, listener,
                "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\naccess-control-allow-credentials: true\r\n"
                    + "Vary: Accept\r\nContent-Length: 0\r\n\r\n")
            #expect(response.values("Access-Control-Allow-Origin") == ["https://app.example"])
            #expect(response["Access-Control-Allow-Credentials"] == nil)
            #expect(response.values("Vary") == ["Accept", "Origin"])
        }
    }

    @Test func `responses of the gateway have the fields too, except Cache-Control`() async throws {
        try await run("cors: { origins: https://app.example }") { scenario, _ in
            for request in [WireRequest.get("/me/x"), .get("/unknown"), .get("/public/%00")] {
                let response = try scenario.send(request)
                #expect(response.status >= 400)
                #expect(response.values("X-Frame-Options") == ["DENY"] && response.values("X-Side") == ["a"])
                #expect(response.values("Cache-Control") == ["no-store"])
            }
            #expect(try scenario.send(raw: "BROKEN\r\n\r\n")["X-Side"] == "a")
        }
    }
}
