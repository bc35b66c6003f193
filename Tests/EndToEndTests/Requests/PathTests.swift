import DevelopmentIdentity
import Testing

/// One path: what is matched is what is forwarded.
@Suite(.sharedScenario) struct PathTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test(arguments: [
        "/public/../me/secrets", "/public/x/../../me/secrets", "/public/./../me/secrets", "/public/%2e%2e/me/secrets",
        "/public/.%2E/me/secrets", "/public/%2E./me/secrets", "//me/secrets",
        "/public/../%6de/secrets", "/./me/secrets", "/me/./secrets", "/me/secrets/x/..", "/me//secrets",
        "/m%65/secrets",
    ])
    func b01b04b05NoDetourLeadsAroundARoutesRule(target: String) throws {
        let before = scenario.echo.requestCount
        let response = try scenario.send(.get(target))
        expectDenial(response, 401, "auth/missing-credential", challenge: "Bearer")
        #expect(scenario.echo.requestCount == before)
    }

    @Test(arguments: [
        ("/me/a/./b", "/me/a/b"), ("/public//..//me/x", "/public/me/x"), ("/me/a//b", "/me/a/b"), ("/me/a/.", "/me/a/"),
        ("/me/a/b/..", "/me/a/"),
        ("/public/../me/x", "/me/x"), ("//me/x", "/me/x"), ("/me/%7Euser", "/me/~user"), ("/me/a%c3%a4", "/me/a%C3%A4"),
        ("/me/x?q=../..//%2f", "/me/x?q=../..//%2f"), ("/me/x/", "/me/x/"), ("/me/a%3Fb%23c", "/me/a%3Fb%23c"),
    ])
    func b04TheOneFormOfAPathIsForwarded(target: String, forwarded: String) throws {
        let report = try scenario.passes(.bearer(scenario.token(), target))
        #expect(report.path == forwarded)
    }

    @Test(arguments: [
        "/public%2f..%2fme/x", "/public/..%2Fme", "/public/%2F", "/public/..%5cme", "/public/%5C..%5Cme",
        "/public\\..\\me",
        "/public/%00", "/public/%zz", "/public/%2", "/public/%252e%252e/me", "/public/%252f", "/public/..;/me",
        "/../me",
        "/public/x#/me", "/public/%25%32%65", "/public/.;x=1/me",
    ])
    func b02b07b12AnAmbiguousPathIsRefused(target: String) throws {
        let before = scenario.echo.requestCount
        expectDenial(try scenario.send(.get(target)), 400, "request/malformed")
        #expect(scenario.echo.requestCount == before)
    }

    @Test(arguments: ["/stripped/../me/x", "/stripped/%2e%2e/me/x"])
    func b11NothingIsStrippedBeforeDotSegmentsAreResolved(target: String) throws {
        expectDenial(try scenario.send(.get(target)), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func thePrefixIsStripped() throws {
        #expect(try scenario.passes(.get("/stripped/a/b?c")).path == "/a/b?c")
    }

    @Test func b08AQueryDoesNotMatch() throws {
        let response = try scenario.send(.get("/me/x?/public/y"))
        expectDenial(response, 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test(arguments: ["/PUBLIC/x", "/Me/x"])
    func b06LettersHaveACase(target: String) throws {
        expectDenial(try scenario.send(.get(target)), 404, "route/not-found")
    }

    @Test(arguments: [
        "/", "/unknown", "/publicx", "/me2", "/.gatehouse/auth", "/v1/users/x/revoke", "/metrics", "/readyz",
    ])
    func b16l08WhatNoRouteMatchesIsNotFound(target: String) throws {
        let before = scenario.echo.requestCount
        let response = try scenario.send(.get(target))
        expectDenial(response, 404, "route/not-found")
        #expect(scenario.echo.requestCount == before)
    }

    @Test func aMethodThatNoRouteListsIsToldWhichAre() throws {
        let token = try scenario.token()
        var request = WireRequest.bearer(token, "/methods")
        request.method = "DELETE"
        let response = try scenario.send(request)
        expectDenial(response, 405, "request/method-not-allowed")
        #expect(response["Allow"] == "GET, HEAD, PUT")
    }

    @Test func getCoversHead() throws {
        let request = WireRequest(
            method: "HEAD", target: "/methods", fields: ["Authorization: Bearer \(try scenario.token())"])
        #expect(try scenario.send(request).status == 200)
    }

    @Test(arguments: ["TRACE /public/x", "CONNECT gateway.example:443", "CONNECT /public/x"])
    func c06c07TunnelsAndLoopTestsAreNotServed(line: String) throws {
        let before = scenario.echo.requestCount
        let response = try scenario.send(raw: "\(line) HTTP/1.1\r\nHost: gateway.example:443\r\n\r\n")
        #expect(response.status == 405 || (response.status == 400 && line == "CONNECT /public/x"))
        #expect(scenario.echo.requestCount == before)
    }

    @Test(arguments: ["", "Content-Length: 5\r\n", "Connection: keep-alive\r\n"])
    func c06WhatFollowsARefusedTunnelIsNoRequest(line: String) throws {
        let before = scenario.echo.requestCount
        let client = try RawClient(port: scenario.gateway.port)
        try client.send("CONNECT gateway.example:443 HTTP/1.1\r\nHost: gateway.example:443\r\n\(line)\r\n")
        try client.send((line.contains("5") ? "hello" : "") + "GET /public/early HTTP/1.1\r\nHost: a\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 405)
        #expect(response["Connection"] == "close")
        client.finishSending()
        #expect(try client.readToEnd() == [])
        #expect(scenario.echo.requestCount == before)
    }

    @Test func b14AnAbsoluteTargetMustAgreeWithHost() throws {
        let other = "GET http://other.example/public/x HTTP/1.1\r\nHost: gateway.example\r\n\r\n"
        #expect(try scenario.send(raw: other).status == 400)
        let same = "GET http://gateway.example/public/x HTTP/1.1\r\nHost: gateway.example\r\n\r\n"
        let report = try #require(EchoReport(try scenario.send(raw: same)))
        #expect(report.path == "/public/x")
    }

    @Test func k13AnUpgradeIsNoTunnel() throws {
        let response = try scenario.send(
            .get("/public/ws", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"))
        #expect(response.status == 200)
        #expect(EchoReport(response)?["Upgrade"] == nil)
    }

    @Test func i12AGRPCCallIsRefusedInItsOwnTerms() throws {
        let response = try scenario.send(
            WireRequest(
                method: "POST", target: "/me/Service/Call",
                fields: ["Content-Type: application/grpc", "Content-Length: 0"]))
        #expect(response.status == 200)
        #expect(response["Content-Type"] == "application/grpc")
        #expect(response["grpc-status"] == "16")
        #expect(response["Location"] == nil)
    }
}
