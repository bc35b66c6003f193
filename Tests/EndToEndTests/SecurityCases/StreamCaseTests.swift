import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Revocation, expiry and step-up also apply to tunnels and streams.
@Suite(.webSocketScenario) struct StreamCaseTests: SharedScenarioSuite {
    private func open(_ target: String, _ fields: [String]) throws -> WebSocketClient {
        let client = try WebSocketClient(scenario, WebSocketClient.handshake(target, fields))
        try #require(client.isOpen, "\(client.answer.status) \(client.answer.text)")
        return client
    }

    private func old(_ name: String) throws -> String {
        try scenario.token(.named(name)) { $0.signedIn(at: unixNow() - 100) }
    }

    @Test(.tags(.h06)) func `a tunnel is closed by the revocation`() throws {
        let client = try open("/live/h06/ws", ["Authorization: Bearer \(try old("h06-revoked"))"])
        try client.send(Array("before".utf8))
        #expect(try client.receive().payload == Array("before".utf8))
        let other = try open("/live/h06/ws", ["Authorization: Bearer \(try old("h06-other"))"])
        #expect(try scenario.admin("POST", "/v1/users/h06-revoked/revoke").status == 200)
        let revoked = ContinuousClock.now
        #expect(try client.receive() == .close(1008, "auth/id-token-revoked"))
        #expect(try client.raw.readToEnd() == [])
        #expect(ContinuousClock.now - revoked < Allowance.hang)
        try other.send([1])
        #expect(try other.receive().payload == [1])
    }

    @Test(.tags(.h06)) func `the tunnel of a disabled user is closed`() throws {
        let client = try open("/live/h06/ws", ["Cookie: __session=\(try scenario.cookie(.named("h06-disabled")))"])
        #expect(try scenario.admin("POST", "/v1/users/h06-disabled/disable").status == 200)
        #expect(try client.receive() == .close(1008, "auth/user-disabled"))
    }

    @Test(.tags(.h06)) func `a tunnel is closed when its token expires`() throws {
        let token = try scenario.token { $0.expiring(at: unixNow() + 3) }
        let client = try open("/unasked/h06/ws", ["Authorization: Bearer \(token)"])
        #expect(try client.receive() == .close(1008, "auth/id-token-expired"))
        #expect(try client.raw.readToEnd() == [])
    }

    @Test(.tags(.h06)) func `a tunnel is closed after its maximum duration`() throws {
        let client = try open("/brief/h06/ws", [])
        #expect(try client.receive() == .close(1001, "max_stream"))
    }

    @Test(.tags(.h06)) func `an endless response of another type ends when its user is revoked`() throws {
        let client = try scenario.connect()
        let target = "/live/h06/events?count=0&every=100&type=application/x-ndjson"
        try client.send(WireRequest.bearer(try old("h06-ndjson"), target).bytes)
        #expect(String(decoding: try client.readHead(), as: UTF8.self).contains("application/x-ndjson"))
        #expect(try scenario.admin("POST", "/v1/users/h06-ndjson/revoke").status == 200)
        let revoked = ContinuousClock.now
        let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
        let lasted = ContinuousClock.now - revoked
        #expect(!rest.isEmpty && !rest.hasSuffix("0\r\n\r\n"))
        #expect(lasted > .seconds(8) && lasted < Allowance.hang)
    }

    @Test(
        .tags(.a17),
        arguments: ["upgrade, X-Auth-Uid", "X-Auth, Upgrade", "upgrade, X-Auth-Uid, X-Auth, X-Forwarded-For"])
    func `the identity fields stay, whatever Connection names`(connection: String) throws {
        var request = WebSocketClient.handshake(
            "/live/a17/ws", ["Authorization: Bearer \(try scenario.token())", "X-Auth-Uid: root"])
        request.fields[0] = "Connection: \(connection)"
        let client = try WebSocketClient(scenario, request)
        #expect(client.isOpen)
        let received = try #require(scenario.echo.received.last { $0.path == "/live/a17/ws" })
        #expect(received.values(of: "X-Auth-Uid") == ["ada"])
        #expect(received.values(of: "X-Auth").count == 1)
        #expect(received.values(of: "X-Forwarded-For") == ["127.0.0.1"])
        #expect(received.values(of: "Connection") == ["Upgrade"])
        #expect(received.values(of: "Upgrade") == ["websocket"])
    }

    @Test(.tags(.i12)) func `a WebSocket handshake is denied with a plain HTTP response`() throws {
        let expired = try scenario.token { $0.expiring(at: 5) }
        let rows: [(WireRequest, Int, String, String?)] = [
            (WebSocketClient.handshake("/live/i12/ws"), 401, "auth/missing-credential", "Bearer"),
            (
                WebSocketClient.handshake("/live/i12/ws", ["Authorization: Bearer \(expired)"]), 401,
                "auth/id-token-expired", nil
            ),
            (
                WebSocketClient.handshake(
                    "/strictly/i12/ws",
                    ["Authorization: Bearer \(try scenario.token { $0.signedIn(at: unixNow() - 4000) })"]), 401,
                "auth/requires-recent-login", "Bearer error=\"insufficient_user_authentication\", max_age=\"300\""
            ),
            (WebSocketClient.handshake("/nowhere/ws"), 404, "route/not-found", nil),
        ]
        for (request, status, code, challenge) in rows {
            let client = try WebSocketClient(scenario, request)
            expectDenial(client.answer, status, code, challenge: challenge)
            #expect(client.answer["Location"] == nil && client.answer["Upgrade"] == nil)
        }
        #expect(!scenario.echo.received.contains { $0.path.contains("i12") })
    }

    @Test(arguments: CrossSiteTests.pages)
    func `a page of another site gets no tunnel`(
        page: (what: String, fields: [String])
    ) throws {
        let cookie = "Cookie: __session=\(try scenario.cookie(.ada))"
        let request = WebSocketClient.handshake("/live/csrf/ws", page.fields + [cookie], host: "own.example")
        expectDenial(try WebSocketClient(scenario, request).answer, 403, "request/cross-site")
    }

    @Test func `a page of the service itself gets a tunnel`() throws {
        let fields = ["Cookie: __session=\(try scenario.cookie(.ada))", "Origin: https://own.example"]
        let request = WebSocketClient.handshake("/live/own/ws", fields, host: "own.example")
        #expect(try WebSocketClient(scenario, request).isOpen)
    }

    @Test(.tags(.k13)) func `bytes after a failed handshake are not read as a request`() throws {
        let request = WebSocketClient.handshake("/fakes/k13/ws?status=404")
        let behind = Array("GET /fakes/behind HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let client = try WebSocketClient(scenario, request, early: behind)
        #expect(client.answer.status == 404)
        #expect(try client.raw.readToEnd() == [])
        #expect(!scenario.echo.received.contains { $0.path == "/fakes/behind" })
    }

    @Test(.tags(.k13)) func `a response with a wrong accept key opens no tunnel`() throws {
        let client = try WebSocketClient(scenario, WebSocketClient.handshake("/fakes/k13?raw=switching"))
        expectDenial(client.answer, 502, "upstream/invalid-response")
        #expect(try client.raw.readToEnd() == [])
    }
}
