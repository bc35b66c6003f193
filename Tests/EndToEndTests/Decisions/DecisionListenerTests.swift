import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Proxies ask the built gateway for decisions, on the endpoint of each family.
@Suite(
    .sharedScenario { configuration in
        configuration["decisions"] = "{ address: 127.0.0.1:0, trust: [127.0.0.1/32] }"
        configuration.routes =
            [
                "path: /policy/**", "path: /policy/admin/**, providers: [saml.corp]",
                "path: /policy/recent/**, recent_sign_in: 5m", "path: /policy/open/**, auth: none",
                "path: /policy/socket, upgrade: [websocket]", "path: /policy/get, methods: [GET]",
                "path: /policy/limited/**, auth: none, rate_limit: [{ per: address, requests: 1, every: 1h, burst: 1 }]",
                "path: /hosted, host: app.example, auth: none",
            ] + configuration.routes
    })
struct DecisionListenerTests: SharedScenarioSuite {
    private func bearer(_ change: (FirebaseToken) -> FirebaseToken = { $0 }) throws -> [String] {
        ["Authorization: Bearer \(try scenario.token(.ada, change))"]
    }

    /// Expects a denial with a status that proxies agree on, and without identity fields.
    private func expectDenied(
        _ response: WireResponse, _ status: Int, _ code: String, _ detail: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let comment = Comment(rawValue: "\(response.status) \(response.text)")
        #expect(response.status == status, comment, sourceLocation: sourceLocation)
        #expect(JSON(parsing: response.body)?["code"] == .string(code), comment, sourceLocation: sourceLocation)
        #expect(detail.isEmpty || response.text.contains(detail), comment, sourceLocation: sourceLocation)
        #expect(response["Cache-Control"] == "no-store" && response["Vary"] == "Authorization, Cookie")
        #expect(response["Location"] == nil && response["Set-Cookie"] == nil)
        #expect(!response.fields.contains { $0.name.lowercased().hasPrefix("x-auth") }, comment)
    }

    @Test(arguments: DecisionRequest.families)
    func `J-22, J-26: a permitted request is 200 with its identity, and a denied one has neither`(
        _ family: String
    ) throws {
        let response = try scenario.decide(family, "/policy/a?b=c", bearer())
        #expect(response.status == 200, "\(response.text)")
        #expect(response["X-Auth-Uid"] == "ada" && response["X-Auth-Provider"] != nil && response["X-Auth"] == nil)
        #expect(response["Cache-Control"] == "no-store" && response["Vary"] == "Authorization, Cookie")
        #expect(response.body.isEmpty)
        let removed = response["x-envoy-auth-headers-to-remove"]
        #expect(removed?.contains("x-auth-assertion") == (family == "envoy" ? true : nil))
        expectDenied(try scenario.decide(family, "/policy/a"), 401, "auth/missing-credential")
        expectDenied(try scenario.decide(family, "/policy/admin/a", bearer()), 403, "auth/permission-denied")
        expectDenied(try scenario.decide(family, "/elsewhere"), 403, "route/not-found")
    }

    @Test(arguments: DecisionRequest.families)
    func `an anonymous request is permitted without identity fields`(_ family: String) throws {
        let response = try scenario.decide(family, "/policy/open/a", ["X-Auth-Uid: root"])
        #expect(response.status == 200)
        #expect(!response.fields.contains { $0.name.lowercased().hasPrefix("x-auth") })
    }

    @Test(arguments: DecisionRequest.families)
    func `a step-up challenge is complete`(_ family: String) throws {
        let old = try bearer { $0.signedIn(at: unixNow() - 400) }
        let response = try scenario.decide(family, "/policy/recent/a", old)
        expectDenied(response, 401, "auth/requires-recent-login")
        #expect(
            response["WWW-Authenticate"] == "Bearer error=\"insufficient_user_authentication\", max_age=\"300\"")
    }

    @Test(arguments: [
        ("/policy/get", "PUT", 403, "request/method-not-allowed"),
        ("/policy/a", "TRACE", 403, "request/method-not-allowed"),
        ("/policy/a", "get", 401, "auth/missing-credential"), ("/policy/a", "OPTIONS", 401, "auth/missing-credential"),
    ])
    func `J-30: the described method is decided like any other`(
        _ target: String, _ method: String, _ status: Int, _ code: String
    ) throws {
        for family in DecisionRequest.families {
            expectDenied(try scenario.decide(family, target, method: method), status, code)
            let override = ["X-HTTP-Method-Override: GET"]
            expectDenied(
                try scenario.decide(family, target, method: method, override), 403, "request/malformed", "replace")
        }
    }

    @Test func `a client over its rate limit is denied`() throws {
        #expect(try scenario.decide("/policy/limited/a").status == 200)
        let response = try scenario.decide("/policy/limited/a")
        expectDenied(response, 403, "request/rate-limited")
        #expect(response["Retry-After"] != nil)
    }

    @Test func `J-12: a missing field is named`() throws {
        var request = DecisionRequest.of("forward", "/policy/open/a")
        request.fields.removeAll { $0.hasPrefix("X-Forwarded-Uri") }
        expectDenied(try scenario.ask(request), 403, "request/malformed", "X-Forwarded-Uri is missing")
    }

    @Test(arguments: DecisionRequest.families)
    func `J-15: a path that is not canonical is refused`(_ family: String) throws {
        for path in [
            "/policy/open/../admin", "//policy/open", "/%70olicy/open", "/policy/open/a%2fb", "/policy/open;/a",
        ] {
            expectDenied(try scenario.decide(family, path), 403, "request/malformed", "the path is rejected")
        }
    }

    @Test func `J-14, J-28: the same request has the same decision, whatever the query of the endpoint`() throws {
        let client = try RawClient(port: try scenario.gateway.decisionsPort)
        for query in ["", "?max_age=0&uri=/public&token=x", "?", ""] {
            var request = DecisionRequest.of("forward", "/policy/a", try bearer())
            request.target += query
            #expect(try client.exchange(request).status == 200)
        }
    }

    @Test func `J-18, J-19: other fields of the client have no effect, and spellings of identity fields are refused`()
        throws
    {
        let forged = ["X-Forwarded-Prefix: /public", "Forwarded: host=public", "X-Real-IP: 127.0.0.1"]
        expectDenied(try scenario.decide("/policy/a", forged), 401, "auth/missing-credential")
        for line in ["X_Auth_Uid: root", "x.auth.uid: root", "x-auth.uid: root"] {
            for family in DecisionRequest.families {
                expectDenied(try scenario.decide(family, "/policy/open/a", [line]), 403, "request/malformed")
            }
        }
    }

    @Test(arguments: ["garbage", "a.b", "a.b.c", "eyJhbGciOiJub25lIn0.e30."])
    func `J-25: an unreadable credential is never nobody`(_ token: String) throws {
        for fields in [["Cookie: __session=\(token)"], ["Authorization: Bearer \(token)"]] {
            #expect(try scenario.decide("/policy/a", fields).status == 401)
        }
        // A cookie of that name that is no token may be from another application.
        #expect(try scenario.decide("/optional/a", ["Authorization: Bearer \(token)"]).status == 401)
    }

    @Test func `J-29: every spelling of a host has the same routes`() throws {
        for host in ["app.example", "APP.example", "app.example.", "app.example:443"] {
            #expect(try scenario.decide("/hosted", host: host).status == 200, "\(host)")
        }
        expectDenied(try scenario.decide("/hosted", host: "other.example"), 403, "route/not-found")
    }

    @Test func `J-31: an upgrade of the proxy's own request has a plain response`() throws {
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        #expect(try scenario.decide("/policy/socket", bearer() + handshake).status == 200)
        #expect(try scenario.decide("/policy/socket", bearer() + handshake.dropFirst(2)).status == 200)
        expectDenied(try scenario.decide("/policy/socket", handshake), 401, "auth/missing-credential")
        expectDenied(try scenario.decide("/policy/a", bearer() + handshake), 403, "auth/permission-denied")
        expectDenied(
            try scenario.decide("/policy/socket", bearer() + ["Connection: Upgrade", "Upgrade: h2c"]), 403,
            "request/malformed", "Upgrade")
        expectDenied(
            try scenario.decide("/policy/socket", bearer() + handshake.dropLast()), 403, "request/malformed")
    }

    @Test func `J-32: Connection cannot remove an identity field`() throws {
        let response = try scenario.decide("/policy/a", bearer() + ["Connection: close, X-Auth-Uid"])
        expectDenied(response, 403, "request/malformed", "Connection")
    }

    @Test func `J-33: a malformed request is denied with a status that proxies know`() throws {
        let port = try scenario.gateway.decisionsPort
        let heads = [
            "GET /authz/forward HTTP/1.1\r\nHost: a\r\nX-Forwarded-Uri: /\u{1}\r\n\r\n",
            "GET /authz/forward HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n",
            "GET /authz/forward HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 70_000))\r\n\r\n",
        ]
        for head in heads {
            let client = try RawClient(port: port)
            try client.send(Array(head.utf8))
            #expect(try client.response().status == 403, "\(head.prefix(60))")
        }
    }

    @Test func `J-34: a body that never arrives does not delay the decision`() throws {
        for line in ["Content-Length: 7", "Transfer-Encoding: chunked", "Content-Length: 7\r\nExpect: 100-continue"] {
            let client = try RawClient(port: try scenario.gateway.decisionsPort)
            try client.send(DecisionRequest.of("forward", "/policy/a", bearer() + [line]).bytes)
            let response = try client.response()
            #expect(response.status == 200 && response["Connection"] == "close")
        }
    }

    @Test func `J-08: the requests of a connection share no state`() throws {
        let client = try RawClient(port: try scenario.gateway.decisionsPort)
        let open = DecisionRequest.of("envoy", "/policy/open/a")
        let rows: [(request: WireRequest, status: Int, user: String?)] = try [
            (DecisionRequest.of("forward", "/policy/a", bearer()), 200, "ada"), (open, 200, nil),
            (DecisionRequest.of("original", "/policy/a"), 401, nil),
            (DecisionRequest.of("forward", "/policy/a", ["Cookie: __session=\(scenario.cookie(.alan))"]), 200, "alan"),
            (DecisionRequest.of("forward", "/policy/a", host: "a b"), 403, nil),
            (DecisionRequest.of("original", "/policy/admin/a", bearer()), 403, nil),
            (DecisionRequest.of("envoy", "/policy/get", method: "PUT", bearer()), 403, nil),
            (DecisionRequest.of("envoy", "/policy/a"), 401, nil), (open, 200, nil),
        ]
        for _ in 0..<2 {
            for row in rows {
                let response = try client.exchange(row.request)
                #expect(response.status == row.status && response["X-Auth-Uid"] == row.user, "\(response.text)")
            }
        }
    }

    @Test func `a gRPC call is not answered with 200 when it is denied`() throws {
        for family in DecisionRequest.families {
            let response = try scenario.decide(family, "/policy/a", ["Content-Type: application/grpc"])
            expectDenied(response, 401, "auth/missing-credential")
        }
    }

    @Test func `J-27: the public listener serves neither the endpoints nor policies`() throws {
        for fields in [[], try bearer()] {
            for target in [
                "/authz/forward", "/authz/envoy/policy/a", "/introspect", "/decide", "/policy/a", "/policy/open/a",
            ] {
                var request = DecisionRequest.of("forward", "/policy/open/a", fields)
                request.target = target
                try scenario.expectRefusal(request, 404, "route/not-found")
            }
        }
    }

    @Test func `a preflight is left to the proxy`() throws {
        let fields = ["Origin: https://a.example", "Access-Control-Request-Method: GET"]
        expectDenied(try scenario.decide("/policy/a", method: "OPTIONS", fields), 401, "auth/missing-credential")
    }

    @Test func `a revocation takes effect`() throws {
        let fields = ["Authorization: Bearer \(try scenario.token(.alan))"]
        #expect(try scenario.decide("/policy/a", fields).status == 200)
        #expect(try scenario.admin("POST", "/v1/users/alan/disable").status == 200)
        expectDenied(try scenario.decide("/policy/a", fields), 401, "auth/user-disabled")
        #expect(try scenario.admin("POST", "/v1/users/alan/enable").status == 200)
    }
}
