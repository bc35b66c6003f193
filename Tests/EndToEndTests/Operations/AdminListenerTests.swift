import DevelopmentIdentity
import Testing

/// The admin listener: for operators, and only for them.
@Suite(.sharedScenario) struct AdminListenerTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    private func call(_ target: String, _ fields: String..., method: String = "GET", host: String = "localhost") throws
        -> WireResponse
    {
        try RawClient.exchange(
            scenario.gateway.adminPort, WireRequest(method: method, target: target, fields: fields, host: host))
    }

    @Test(arguments: ["/livez", "/readyz", "/metrics"])
    func healthAndMetricsNeedNoToken(target: String) throws {
        #expect(try call(target).status == 200)
    }

    @Test func metricsTellDecisionsByRouteAndNobodysUid() throws {
        _ = try scenario.passes(.bearer(scenario.token(.named("metered-user")), "/me/metered"))
        _ = try scenario.send(.get("/me/metered"))
        let text = try call("/metrics").text
        #expect(text.contains("/me/**") && text.contains("auth/missing-credential"))
        #expect(!text.contains("metered-user"))
    }

    @Test(arguments: [
        "", "wrong", GatewayConfiguration.adminToken + "x", String(GatewayConfiguration.adminToken.dropLast()),
    ])
    func withoutTheTokenNothingElseIsAnswered(token: String) throws {
        for target in ["/v1/users/ada", "/v1/keys", "/v1/routes", "/unknown"] {
            #expect(try call(target, "Authorization: Bearer \(token)").status == 401)
        }
        #expect(try call("/v1/users/ada/revoke", method: "POST").status == 401)
    }

    @Test(arguments: ["/v1/../livez", "/livez/", "/livezX", "/v1/users/%00", "//livez", "/v1/config", "/%6Civez"])
    func l07PathsMatchExactly(target: String) throws {
        let response = try scenario.admin("GET", target)
        #expect(response.status == 404 || response.status == 400, "\(response.status)")
    }

    @Test(arguments: ["evil.example", "gateway.example", "127.0.0.2"])
    func anotherNameForTheListenerIsRefused(host: String) throws {
        #expect(try call("/livez", host: host).status == 421)
    }

    @Test(arguments: ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"])
    func aPageCannotCallIt(field: String) throws {
        #expect(try call("/livez", field).status == 403)
    }

    @Test func theRoutesAreTold() throws {
        let routes = JSON(parsing: try scenario.admin("GET", "/v1/routes").body)?["routes"]
        guard case .array(let list)? = routes else {
            Issue.record("no routes")
            return
        }
        #expect(list.contains { $0["path"] == "/recent/**" && $0["recent_sign_in"] == 300 })
    }

    @Test(arguments: ["{\"at\": 1700000000000}", "{\"at\": \"yesterday\"}", "{\"when\": 1}", "[]", "{\"at\": -1}"])
    func aTimeThatIsNoneRevokesNobody(body: String) throws {
        #expect(try scenario.admin("POST", "/v1/users/untouched/revoke", body: body).status == 400)
        let record = JSON(parsing: try scenario.admin("GET", "/v1/users/untouched").body)
        #expect(record?["valid_since"] == JSON.null)
    }
}

/// An admin listener whose configuration has no token.
@Suite(.sharedScenario { $0["admin"] = "{ address: 127.0.0.1:0 }" }) struct AdminWithoutTokenTests {
    @Test func l09NothingButHealthExists() throws {
        let scenario = try Scenario.current
        for target in ["/v1/keys", "/v1/users/ada", "/v1/routes"] {
            #expect(try scenario.admin("GET", target).status == 404)
        }
        #expect(try scenario.gateway.readiness().status == 200)
    }
}
