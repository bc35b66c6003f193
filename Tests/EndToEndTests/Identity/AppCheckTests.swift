import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// App Check tokens at the built gateway. The development provider signs them with the key of its ID tokens.
struct AppCheckTests {
    private static let number = "123456789012"
    private static let webID = "1:123456789012:web:0a1b2c3d"
    private static let iosID = "1:123456789012:ios:4e5f6a7b"

    private static func run(_ body: (Scenario) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        try await Scenario.run(
            arrange: { provider, _, configuration in
                let file = try provider.makeServiceAccount().write(toDirectory: folder.path)
                let appCheck = """
                    app_check: { project_number: \(number), apps: { '\(webID)': web, '\(iosID)': ios },
                      keys_url: '\(provider.url(.idTokenJWKSet))', api_key: key-1, service_account: '\(file)',
                      consume_url: '\(provider.url(.appCheckConsumption))' }, project:
                    """
                configuration["identity"] = configuration["identity"]?.replacing("{ project:", with: "{ \(appCheck)")
                configuration["admin"] = "{ address: 127.0.0.1:0, token: \(GatewayConfiguration.adminToken) }"
                configuration.routes = [
                    "path: /monitor/**, auth: none, app_check: monitor, upstream: api",
                    "path: /enforce/**, auth: none, app_check: enforce, apps: [web], upstream: api",
                    "path: /user/**, app_check: enforce, upstream: api",
                    "path: /rule/**, auth: none, app_check: monitor, upstream: api",
                    "path: /watched/**, app_check: monitor, upstream: api",
                    "path: /once/**, app_check: enforce, app_check_consume: true, upstream: api",
                ]
            }, body)
    }

    private func token(_ scenario: Scenario, _ change: (inout JSONObject) -> Void = { _ in }) throws -> String {
        let now = scenario.provider.now
        var claims: JSONObject = [
            "iss": .string("https://firebaseappcheck.googleapis.com/\(Self.number)"),
            "aud": [.string("projects/\(Self.number)"), .string("projects/\(scenario.provider.project)")],
            "sub": .string(Self.webID), "iat": .integer(now), "exp": .integer(now + 3600),
        ]
        change(&claims)
        return try scenario.provider.sign(FirebaseToken(kind: .idToken, claims: claims))
    }

    private func request(_ target: String, _ token: String? = nil, _ fields: String...) -> WireRequest {
        var request = WireRequest(target: target)
        request.fields += token.map { ["X-Firebase-AppCheck: \($0)"] } ?? []
        request.fields += fields
        return request
    }

    @Test func `an app is monitored, enforced and named to the upstream, the log and the metrics`() async throws {
        try await Self.run { scenario in
            let valid = try token(scenario)
            let ios = try token(scenario) { $0["sub"] = .string(Self.iosID) }
            let expired = try token(scenario) { $0["exp"] = .integer(scenario.provider.now - 1) }
            for path in ["/monitor/x", "/enforce/x"] {
                let report = try scenario.passes(request(path, valid, "X-Auth-App: no"))
                #expect(report.values("X-Auth-App") == [Self.webID])
                #expect(report.values("X-Firebase-AppCheck").isEmpty)
            }
            for fields in [nil, expired, ios, "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ=="] {
                #expect(try scenario.passes(request("/monitor/x", fields)).path == "/monitor/x")
            }
            expectDenial(
                try scenario.send(request("/enforce/x")), 401, "app-check/missing-token", challenge: "AppCheck")
            let invalid = "AppCheck error=\"invalid_token\""
            expectDenial(
                try scenario.send(request("/enforce/x", expired)), 401, "app-check/token-expired", challenge: invalid)
            expectDenial(
                try scenario.send(request("/enforce/x", "a.b.c")), 401, "app-check/invalid-token", challenge: invalid)
            expectDenial(try scenario.send(request("/enforce/x", ios)), 403, "app-check/app-not-allowed")

            let name = "gatehouse_app_check_requests_total"
            #expect(try scenario.gateway.metric(name, #"route="/monitor/**",app="web",result="verified""#) == 1)
            #expect(try scenario.gateway.metric(name, #"route="/monitor/**",app="ios",result="verified""#) == 1)
            #expect(try scenario.gateway.metric(name, #"route="/monitor/**",app="",result="invalid""#) == 2)
            #expect(try scenario.gateway.metric(name, #"route="/monitor/**",app="",result="unknown""#) == 1)
            #expect(try scenario.gateway.metric(name, #"route="/enforce/**""#) == 5)

            let lines = await scenario.accessLog()
            #expect(lines.filter { $0["app"] == "web" && $0["app_check"] == "verified" }.count == 2)
            #expect(lines.contains { $0["phase"] == "app_check" && $0["reason"] == "App Check: expired" })
            let placeholder = "App Check: the placeholder of an SDK whose attestation failed"
            #expect(lines.contains { $0["status"] == 200 && $0["app_check_reason"] == .string(placeholder) })
        }
    }

    @Test func `a user is authenticated beside the app, and a revoked user is refused`() async throws {
        try await Self.run { scenario in
            let app = try token(scenario)
            let user = try scenario.token { $0.signedIn(at: unixNow() - 100) }
            let field = "X-Firebase-AppCheck: \(app)"
            #expect(try scenario.passes(.bearer(user, "/user/x", field))["X-Auth-Uid"] == "ada")
            expectDenial(
                try scenario.send(.bearer(user, "/user/x")), 401, "app-check/missing-token", challenge: "AppCheck")
            expectDenial(
                try scenario.send(request("/user/x", app)), 401, "auth/missing-credential", challenge: "Bearer")
            // An App Check token is no ID token, and an ID token no App Check token.
            expectDenial(try scenario.send(.bearer(app, "/user/x", field)), 401, "auth/invalid-id-token")
            expectDenial(
                try scenario.send(.bearer(user, "/user/x", "X-Firebase-AppCheck: \(user)")), 401,
                "app-check/invalid-token", challenge: "AppCheck error=\"invalid_token\"")
            #expect(try scenario.admin("POST", "/v1/users/ada/revoke").status == 200)
            expectDenial(try scenario.send(.bearer(user, "/user/x", field)), 401, "auth/id-token-revoked")
            // The reason of a mode that only monitors is not that of the denial.
            let invalid = try scenario.send(.bearer(user, "/watched/x", "X-Firebase-AppCheck: a.b.c"))
            expectDenial(invalid, 401, "auth/id-token-revoked")
            let line = try #require(await scenario.accessLog().first { $0["path"] == "/watched/x" })
            #expect(line["app_check_reason"] == "App Check: not a compact JWS" && line["reason"] == nil)
        }
    }

    @Test func `a limited-use token permits one request`() async throws {
        try await Self.run { scenario in
            let user = try scenario.token { $0.signedIn(at: unixNow() - 100) }
            let field = "X-Firebase-AppCheck: \(try token(scenario) { $0["jti"] = "one" })"
            // A denied request consumes no token.
            expectDenial(
                try scenario.send(WireRequest(target: "/once/x", fields: [field])), 401, "auth/missing-credential",
                challenge: "Bearer")
            #expect(try scenario.passes(.bearer(user, "/once/x", field))["X-Auth-App"] == Self.webID)
            expectDenial(
                try scenario.send(.bearer(user, "/once/x", field)), 401, "app-check/token-already-consumed",
                challenge: "AppCheck error=\"invalid_token\"")
            #expect(scenario.provider.calls(to: .appCheckConsumption) == 1, "none for the replay")
            // Other routes accept the token again.
            #expect(try scenario.passes(.bearer(user, "/user/x", field))["X-Auth-App"] == Self.webID)

            scenario.provider.misbehave(.status(500), at: .appCheckConsumption)
            let other = "X-Firebase-AppCheck: \(try token(scenario) { $0["jti"] = "two" })"
            expectDenial(
                try scenario.send(.bearer(user, "/once/x", other)), 503, "app-check/consumption-unavailable")
            let name = "gatehouse_app_check_consumptions_total"
            #expect(try scenario.gateway.metric(name, #"result="consumed""#) == 1)
            #expect(try scenario.gateway.metric(name, #"result="refused""#) == 0)
            #expect(try scenario.gateway.metric(name, #"result="failed""#) == 1)
            let reason = "App Check: the token was consumed before"
            let line = try #require(await scenario.accessLog().first { $0["reason"] == .string(reason) })
            #expect(line["phase"] == "app_check" && line["app_check"] == "verified" && line["app"] == "web")
        }
    }
}
