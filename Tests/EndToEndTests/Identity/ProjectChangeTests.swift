import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// A gateway with one Firebase project to which a second one is added.
struct ProjectChangeTests {
    private static func withReload(_ body: (ReloadScenario) async throws -> Void) async throws {
        var first: GatewayConfiguration?
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identifyAll(provider)
            configuration["accounts"] = "{}"
            configuration["reload"] = "{ watch: null }"
            first = configuration
        }) { try await body(ReloadScenario(scenario: $0, first: try #require(first))) }
    }

    private static func addProject(_ configuration: inout GatewayConfiguration) {
        configuration["identity"] = configuration["identity"]?.replacing(
            "{ project: demo-gatehouse,", with: "{ projects: [{ project: demo-gatehouse }, { project: other-app }],")
    }

    @Test func `an account that was linked before keeps its name, and is not the user of a project`() async throws {
        try await Self.withReload { reload in
            let scenario = reload.scenario
            let token = try scenario.token(.named("alice")) { $0.signedIn(at: unixNow() - 100) }
            var app = AccountApp(scenario)
            #expect(try app.call("session", ["id_token": .string(token)]).status == 200)
            let linked = try app.call("link", app.proof(.apple, of: .alan).with("consent", true))
            #expect(linked.status == 200, "\(linked.text)")
            let bearer = try app.idToken(.apple, of: .alan, nil)
            #expect(try scenario.passes(.bearer(bearer, "/me/x"))["X-Auth-Uid"] == "alice")

            try await reload.reload(Self.addProject)
            let linkedUser = try scenario.passes(.bearer(bearer, "/me/x"))
            #expect(linkedUser["X-Auth-Uid"] == "alice" && linkedUser["X-Auth-Project"] == nil)
            let firebaseUser = try scenario.passes(.bearer(token, "/me/x"))
            #expect(firebaseUser["X-Auth-Uid"] == "alice" && firebaseUser["X-Auth-Project"] == "demo-gatehouse")

            // An operator names the account without a project, and no other user.
            #expect(try scenario.admin("POST", "/v1/users/bob/disable").status == 400)
            let answer = try scenario.admin("POST", "/v1/users/alice/disable")
            #expect(answer.status == 200 && answer.text.hasPrefix(#"{"uid":"alice","valid_since""#), "\(answer.text)")
            expectDenial(try scenario.send(.bearer(bearer, "/strict/x")), 401, "auth/user-disabled")
            #expect(try scenario.send(.bearer(token, "/strict/x")).status == 200)
        }
    }

    @Test func `a session of a Firebase user ends, and a signed-out one stays ended`() async throws {
        try await Self.withReload { reload in
            let scenario = reload.scenario
            let token = try scenario.token(.named("alice")) { $0.signedIn(at: unixNow() - 100) }
            var apps = [AccountApp(scenario), AccountApp(scenario)]
            for index in apps.indices {
                #expect(try apps[index].call("session", ["id_token": .string(token)]).status == 200)
            }
            let ended = try #require(apps[1].session)
            #expect(try apps[1].call("sign-out").status == 204)
            #expect(try apps[0].get("/me/x").status == 200)

            try await reload.reload(Self.addProject)
            expectDenial(try apps[0].get("/me/x"), 401, "auth/invalid-session-cookie")
            expectDenial(try scenario.send(.cookie(ended, "/me/x")), 401, "auth/invalid-session-cookie")
            #expect(try apps[0].call("session", ["id_token": .string(token)]).status == 200)
            let report = try #require(EchoReport(try apps[0].get("/me/x")))
            #expect(report["X-Auth-Project"] == "demo-gatehouse")

            let named = try #require(apps[0].session)
            try await reload.reload { _ in }
            expectDenial(try scenario.send(.cookie(named, "/me/x")), 401, "auth/invalid-session-cookie")
            expectDenial(try scenario.send(.cookie(ended, "/me/x")), 401, "auth/session-cookie-revoked")
        }
    }
}
