import DevelopmentIdentity
import Testing

/// The admin listener, which only operators can use.
@Suite(.sharedScenario) struct AdminListenerTests: SharedScenarioSuite {
    private func call(_ target: String, _ fields: String..., method: String = "GET", host: String = "localhost") throws
        -> WireResponse
    {
        try RawClient.exchange(
            scenario.gateway.adminPort, WireRequest(method: method, target: target, fields: fields, host: host))
    }

    @Test(arguments: ["/livez", "/readyz", "/metrics"])
    func `health and metrics need no token`(target: String) throws {
        #expect(try call(target).status == 200)
    }

    @Test func `metrics have decisions by route and no uid`() throws {
        _ = try scenario.passes(.bearer(scenario.token(.named("metered-user")), "/me/metered"))
        _ = try scenario.send(.get("/me/metered"))
        let text = try call("/metrics").text
        #expect(text.contains("/me/**") && text.contains("auth/missing-credential"))
        #expect(!text.contains("metered-user"))
    }

    @Test(arguments: ["evil.example", "gateway.example", "127.0.0.2"])
    func `another host name is rejected`(host: String) throws {
        #expect(try call("/livez", host: host).status == 421)
    }

    @Test(arguments: ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"])
    func `a page of another site cannot call the listener`(field: String) throws {
        #expect(try call("/livez", field).status == 403)
    }

    @Test func `the routes are listed`() throws {
        let routes = JSON(parsing: try scenario.admin("GET", "/v1/routes").body)?["routes"]
        guard case .array(let list)? = routes else {
            Issue.record("no routes")
            return
        }
        #expect(list.contains { $0["path"] == "/recent/**" && $0["recent_sign_in"] == 300 })
    }

    @Test(arguments: ["{\"at\": 1700000000000}", "{\"at\": \"yesterday\"}", "{\"when\": 1}", "[]", "{\"at\": -1}"])
    func `an invalid time revokes no user`(body: String) throws {
        #expect(try scenario.admin("POST", "/v1/users/untouched/revoke", body: body).status == 400)
        let record = JSON(parsing: try scenario.admin("GET", "/v1/users/untouched").body)
        #expect(record?["valid_since"] == JSON.null)
    }
}

/// An admin listener whose configuration has no token.
@Suite(.sharedScenario { $0["admin"] = "{ address: 127.0.0.1:0 }" }) struct AdminWithoutTokenTests: SharedScenarioSuite
{
    @Test func `L-09: without a token only health and metrics exist`() throws {
        for target in ["/v1/keys", "/v1/users/ada", "/v1/routes"] {
            #expect(try scenario.admin("GET", target).status == 404)
        }
        #expect(try scenario.gateway.readiness().status == 200)
    }
}
