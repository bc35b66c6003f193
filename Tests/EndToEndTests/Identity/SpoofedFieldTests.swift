import DevelopmentIdentity
import Testing

/// Fields that the configuration removes besides.
struct RemovedFieldTests {
    @Test func `A-03: a removed field goes in every spelling, from requests, trailers and upgrades`() async throws {
        let headers = "{ extra: { X-Role: token.role }, remove_inbound: [CF-*, Remote-User] }"
        try await Scenario.run(arrange: { $2["headers"] = headers }) { scenario in
            let names = ["CF-Connecting-IP", "cf_ray", "Cf.Visitor", "Remote-User", "REMOTE_USER", "remote.user"]
            let fields = names.map { "\($0): spoofed" }
            for target in ["/public/x", "/optional/x"] {
                var request = WireRequest.get(target, "X-Kept: 1", "Connection: upgrade", "Upgrade: websocket")
                request.fields += fields
                let report = try scenario.passes(request)
                #expect(report["X-Kept"] == "1" && report.lines.filter { $0.contains("spoofed") } == [])
            }
            let client = try RawClient(port: scenario.gateway.port)
            try client.send(
                "POST /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: \(names.joined(separator: ","))\r\n\r\n"
                    + "0\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
            let report = try #require(EchoReport(try client.response()))
            #expect(report.trailers.isEmpty && report["Trailer"] == nil)
        }
    }
}

/// No field that only the gateway may write reaches the upstream from a client.
@Suite(.sharedScenario) struct SpoofedFieldTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    /// Expects no trace of the value `spoofed` at the upstream.
    private func expectNothingSpoofed(_ report: EchoReport, sourceLocation: SourceLocation = #_sourceLocation) {
        let spoofed = report.lines.filter { $0.contains("spoofed") }
        #expect(spoofed.isEmpty, "\(spoofed)", sourceLocation: sourceLocation)
    }

    @Test func a01AFieldWithoutAValueInTheTokenIsNotTheClients() throws {
        let report = try scenario.passes(
            .bearer(
                scenario.token(.margaret), "/me/a01", "X-Auth-Email: spoofed", "X-Role: spoofed",
                "X-Auth-Tenant: spoofed"))
        expectNothingSpoofed(report)
        #expect(report["X-Auth-Email"] == nil)
        #expect(report["X-Role"] == nil)
        #expect(report["X-Auth-Uid"] == "margaret")
    }

    @Test(arguments: ["/public/a02", "/optional/a02"])
    func a02AnAnonymousRequestHasNoIdentity(target: String) throws {
        let report = try scenario.passes(.get(target, "X-Auth-Uid: spoofed", "X-Auth: spoofed", "x-role: spoofed"))
        expectNothingSpoofed(report)
        #expect(!report.lines.contains { $0.hasPrefix("x-auth") })
    }

    @Test(arguments: [
        "X_Auth_Uid", "X-Auth_Uid", "x_auth-uid", "X-AUTH-UID", "X_AUTH", "x.auth.uid", "X-Auth-Anything", "X!Auth!Uid",
        "X_Role", "X-Auth-", "X~Auth~Email",
    ])
    func a03NoSpellingOfAnIdentityFieldPasses(name: String) throws {
        let report = try scenario.passes(.bearer(scenario.token(), "/me/a03", "\(name): spoofed"))
        expectNothingSpoofed(report)
        #expect(report.values("X-Auth-Uid") == ["ada"])
    }

    @Test func fieldsThatOnlyLookSimilarPass() throws {
        let report = try scenario.passes(
            .get("/public/similar", "X-Authorization: kept", "X-Author: kept", "Auth: kept"))
        #expect(report["X-Authorization"] == "kept")
        #expect(report["X-Author"] == "kept")
        #expect(report["Auth"] == "kept")
    }

    @Test(arguments: [
        "X_Forwarded_Proto", "X-Forwarded-Prefix", "X_Forwarded_For", "X-Forwarded-For", "X-Forwarded-Host",
        "Forwarded",
        "X-Forwarded-Port", "X-Real-IP", "True-Client-IP", "X_Real_Ip",
    ])
    func a05a12a20WhereARequestComesFromIsNotTheClientsToTell(name: String) throws {
        let report = try scenario.passes(.get("/public/a05", "\(name): spoofed"))
        expectNothingSpoofed(report)
        #expect(report.values("X-Forwarded-For") == ["127.0.0.1"])
        #expect(report.values("X-Forwarded-Proto") == ["http"])
    }

    @Test func a06EveryCopyOfAFieldIsRemoved() throws {
        let report = try scenario.passes(
            .bearer(
                scenario.token(), "/me/a06", "X-Auth-Uid: spoofed", "X-Auth-Uid: ada", "X-Role: user",
                "X-Role: spoofed",
                "x-auth-uid: spoofed"))
        expectNothingSpoofed(report)
        #expect(report.values("X-Auth-Uid") == ["ada"])
        #expect(report.values("X-Role") == ["admin"])
    }

    @Test func a08OptionsIsNoWayAroundTheHygiene() throws {
        var request = WireRequest.get("/public/a08", "X-Auth-Uid: spoofed", "Origin: https://a.example")
        request.method = "OPTIONS"
        expectNothingSpoofed(try scenario.passes(request))
    }

    @Test func a09AnInvalidTokenOnAnOptionalRouteReachesNobody() throws {
        let expired = try scenario.token { $0.expiring(at: unixNow() - 10) }
        let response = try scenario.send(.bearer(expired, "/optional/a09", "X-Auth-Uid: spoofed"))
        expectDenial(response, 401, "auth/id-token-expired")
        #expect(!scenario.echo.received.contains { $0.path == "/optional/a09" })
    }

    @Test(arguments: [
        "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Uri", "X-Envoy-Original-Path", "X-Forwarded-Method",
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-Host",
    ])
    func a10AFieldThatNamesAPublicPathChangesNothing(name: String) throws {
        let refused = try scenario.send(.get("/me/a10", "\(name): /public/spoofed"))
        expectDenial(refused, 401, "auth/missing-credential", challenge: "Bearer")
        expectNothingSpoofed(try scenario.passes(.get("/public/a10", "\(name): spoofed")))
    }

    @Test(arguments: [
        "Connection: X-Auth-Uid, x-forwarded-for", "Connection: x-auth-uid, X-AUTH, x-request-id",
        "connection: close, X-Auth-Time, cookie", "Proxy-Connection: X-Auth-Uid",
    ])
    func a16ConnectionCannotNameOurFieldsAway(line: String) throws {
        let report = try scenario.passes(.bearer(scenario.token(), "/me/a16", line, "X-Auth-Uid: spoofed"))
        expectNothingSpoofed(report)
        #expect(report.values("X-Auth-Uid") == ["ada"])
        #expect(report.values("X-Forwarded-For") == ["127.0.0.1"])
        #expect(report.values("X-Request-Id").count == 1)
        #expect(report.values("Host") == ["gateway.example"])
        #expect(report["X-Auth"] != nil && report["X-Auth-Time"] != nil)
    }

    @Test(arguments: ["host", "content-length"])
    func a16ConnectionCannotNameFraming(name: String) throws {
        let response = try scenario.send(.get("/public/a16", "Connection: \(name)"))
        expectDenial(response, 400, "request/malformed")
    }

    @Test func fieldsOfTheConnectionEndAtTheGateway() throws {
        let report = try scenario.passes(
            .get(
                "/public/hop", "Connection: X-Hop", "X-Hop: spoofed", "Keep-Alive: spoofed", "TE: trailers",
                "Upgrade: spoofed"))
        expectNothingSpoofed(report)
        #expect(report["TE"] == nil && report["Upgrade"] == nil && report["Keep-Alive"] == nil)
    }

    @Test func aTrailerCannotCarryAnIdentity() throws {
        let client = try RawClient(port: scenario.gateway.port)
        try client.send(
            "POST /public/trailer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Auth-Uid, X-Sum\r\n\r\n"
                + "2\r\nhi\r\n0\r\nX-Auth-Uid: spoofed\r\nX-Sum: 1\r\nX-Unannounced: spoofed\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.trailers.map(\.name) == ["X-Sum"])
        #expect(report.body == "hi")
    }

    @Test func `A-01: a managed trailer is not announced either`() throws {
        let client = try RawClient(port: scenario.gateway.port)
        try client.send(
            "POST /public/announced HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Auth-Uid, X-Sum, Proxy\r\n\r\n"
                + "0\r\nX-Auth-Uid: spoofed\r\nProxy: spoofed\r\nX-Sum: 1\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        expectNothingSpoofed(report)
        #expect(report.values("Trailer") == ["X-Sum"] && report.trailers.map(\.name) == ["X-Sum"])
    }

    @Test func `A-01: an empty address is none, and not verified`() throws {
        let token = try scenario.token { $0.setting("email", to: "").setting("email_verified", to: true) }
        let report = try scenario.passes(.bearer(token, "/me/a01"))
        #expect(report["X-Auth-Email"] == nil && report["X-Auth-Email-Verified"] == nil)
    }

    @Test(arguments: ["Proxy", "PROXY", "proxy"])
    func `A-05: httpoxy's field never passes`(name: String) throws {
        expectNothingSpoofed(try scenario.passes(.get("/public/httpoxy", "\(name): spoofed")))
    }

    @Test func a23TwoAuthorizationFieldsAreRefused() throws {
        let token = try scenario.token()
        let response = try scenario.send(.bearer(token, "/me/a23", "Authorization: Bearer \(token)"))
        expectDenial(response, 400, "request/ambiguous-credentials")
    }
}
