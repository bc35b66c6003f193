import DevelopmentIdentity
import Foundation
import Testing

/// Tokens of clients that cannot set header fields: in the subprotocols and in the query.
@Suite(.webSocketScenario) struct TokenPlaceTests: SharedScenarioSuite {
    private func latest(_ path: String) throws -> ReceivedRequest {
        try #require(scenario.echo.received.last { $0.path == path })
    }

    @Test func `a token among the subprotocols signs in`() throws {
        let token = try scenario.token()
        let client = try WebSocketClient(
            scenario, WebSocketClient.handshake("/live/alone/ws", ["Sec-WebSocket-Protocol: bearer, \(token)"]))
        #expect(client.isOpen)
        #expect(client.answer.values("Sec-WebSocket-Protocol") == ["bearer"])
        let request = try latest("/live/alone/ws")
        #expect(request.value(of: "X-Auth-Uid") == "ada")
        #expect(request.value(of: "Sec-WebSocket-Protocol") == nil)
        #expect(!"\(request)".contains(token))
    }

    @Test func `other subprotocols are forwarded`() throws {
        let fields = ["Sec-WebSocket-Protocol: bearer, \(try scenario.token()), chat, v2"]
        let client = try WebSocketClient(
            scenario, WebSocketClient.handshake("/live/others/ws?protocol=v2", fields))
        #expect(client.answer.values("Sec-WebSocket-Protocol") == ["v2"])
        #expect(try latest("/live/others/ws").value(of: "Sec-WebSocket-Protocol") == "chat, v2")
        let wrong = try WebSocketClient(
            scenario, WebSocketClient.handshake("/live/others/ws?protocol=v3", fields))
        expectDenial(wrong.answer, 502, "upstream/invalid-response")
    }

    @Test func `a token in the query signs in and is removed`() throws {
        let token = try scenario.token()
        let report = try scenario.passes(.get("/live/q?a=1&access%5Ftoken=\(token)&b=2"))
        #expect(report.path == "/live/q?a=1&b=2")
        #expect(report["X-Auth-Uid"] == "ada")
        let client = try WebSocketClient(scenario, WebSocketClient.handshake("/live/q/ws?access_token=\(token)"))
        #expect(client.isOpen)
        #expect(try latest("/live/q/ws").target == "/live/q/ws")
    }

    @Test func `D-17: different tokens in different sources are ambiguous`() throws {
        let (one, other) = (try scenario.token(), try scenario.token(.grace))
        let ambiguous = [
            WireRequest.bearer(one, "/live/x?access_token=\(other)"),
            .get("/live/x?access_token=\(one)&access_token=\(one)"),
            .get("/live/x?access_token=\(one)", "Sec-WebSocket-Protocol: bearer, \(other)"),
            .get("/live/x", "Sec-WebSocket-Protocol: chat, bearer, \(one)"),
            .get("/live/x", "Sec-WebSocket-Protocol: Bearer, \(one)"),
        ]
        for request in ambiguous { expectDenial(try scenario.send(request), 400, "request/ambiguous-credentials") }
        _ = try scenario.passes(.bearer(one, "/live/x?access_token=\(one)"))
    }

    @Test func `D-19: a route without additional token sources ignores a token there`() throws {
        let token = try scenario.token()
        expectDenial(
            try scenario.send(.get("/me/x?access_token=\(token)")), 401, "auth/missing-credential", challenge: "Bearer")
        let report = try scenario.passes(.get("/public/x?access_token=\(token)"))
        #expect(report.path == "/public/x?access_token=\(token)")
    }

    @Test func `L-01: a token in either source is never logged`() async throws {
        try await Scenario.run(arrange: {
            $2["log"] = "{ level: trace }"
            $2.routes.append(
                "path: /live/**, upgrade: [websocket], token_protocol: true, token_query: access_token, upstream: api, allow: 'request.query.access_token == request.headers.x'"
            )
        }) { scenario in
            var answers = ""
            for token in [try scenario.token(), try scenario.token { $0.expiring(at: 5) }] {
                for request in [
                    WireRequest.get("/live/x?access_token=\(token)"),
                    .get("/live/x?access_token=\(token)&access_token=1"), .get("/live/%00?access_token=\(token)"),
                    WebSocketClient.handshake("/live/ws", ["Sec-WebSocket-Protocol: bearer, \(token)"]),
                    WebSocketClient.handshake("/live/ws", ["Sec-WebSocket-Protocol: chat, bearer, \(token)"]),
                ] {
                    let response = try scenario.send(request)
                    answers += "\(response.fields) \(response.text)"
                }
            }
            let token = try scenario.token()
            _ = await scenario.accessLog()
            let written = scenario.gateway.output + scenario.gateway.errors + answers
            for part in token.split(separator: ".").dropFirst() { #expect(!written.contains(part.prefix(24))) }
        }
    }
}
