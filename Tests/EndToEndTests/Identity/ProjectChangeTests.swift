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

    private static func token(_ user: String, _ scenario: Scenario, of project: String? = nil) throws -> String {
        try scenario.token(.named(user)) { token in
            // A user of Firebase links identities only with a verified address.
            let token = token.signedIn(at: unixNow() - 100).setting("email", to: .string("\(user)@example.com"))
                .setting("email_verified", to: true)
            guard let project else { return token }
            return token.setting("aud", to: .string(project))
                .setting("iss", to: .string("https://securetoken.google.com/\(project)"))
        }
    }

    @Test func `adding and removing a further project renames no user of the first one`() async throws {
        try await Self.withReload { reload in
            let scenario = reload.scenario
            let token = try Self.token("alice", scenario)
            var apps = [AccountApp(scenario), AccountApp(scenario)]
            for index in apps.indices {
                #expect(try apps[index].call("session", ["id_token": .string(token)]).status == 200)
            }
            let proof = try apps[0].proof(.apple, of: .alan).with("consent", true)
            let linked = try apps[0].call("link", proof)
            #expect(linked.status == 200, "\(linked.text)")
            let bearer = try apps[0].idToken(.apple, of: .alan, nil)
            let disabled = try Self.token("bob", scenario)
            #expect(try scenario.admin("POST", "/v1/users/bob/disable").status == 200)
            // A signed-out session of the gateway, and a signed-out session cookie of Firebase.
            var ended = [try #require(apps[1].session)]
            #expect(try apps[1].call("sign-out").status == 204)
            apps[1].session = try scenario.cookie(.named("dora"))
            ended.append(try #require(apps[1].session))
            #expect(try apps[1].get("/me/x").status == 200)
            #expect(try apps[1].call("sign-out").status == 204)

            let changes: [(inout GatewayConfiguration) -> Void] = [Self.addProject, { _ in }]
            for change in changes {
                try await reload.reload(change)
                for request in [WireRequest.bearer(token, "/me/x"), .bearer(bearer, "/me/x")] {
                    let report = try scenario.passes(request)
                    #expect(report["X-Auth-Uid"] == "alice" && report["X-Auth-Project"] == nil)
                }
                #expect(try apps[0].get("/me/x").status == 200)
                for cookie in ended {
                    expectDenial(try scenario.send(.cookie(cookie, "/me/x")), 401, "auth/session-cookie-revoked")
                }
                expectDenial(try scenario.send(.bearer(disabled, "/me/x")), 401, "auth/user-disabled")
            }
        }
    }

    @Test func `a session of a further project's user ends with the project, and is not another user's`() async throws {
        try await Self.withReload { reload in
            let scenario = reload.scenario
            try await reload.reload(Self.addProject)
            let token = try Self.token("alice", scenario, of: "other-app")
            var app = AccountApp(scenario)
            #expect(try app.call("session", ["id_token": .string(token)]).status == 200)
            #expect(try #require(EchoReport(try app.get("/me/x")))["X-Auth-Project"] == "other-app")
            try await reload.reload { _ in }
            expectDenial(try app.get("/me/x"), 401, "auth/invalid-session-cookie")
        }
    }

    @Test func `an operator's call without a project reaches the first project's user only`() async throws {
        try await Self.withReload { reload in
            let scenario = reload.scenario
            try await reload.reload(Self.addProject)
            let tokens = try ["demo-gatehouse", "other-app"].map { try Self.token("carol", scenario, of: $0) }
            for (path, statuses) in [("users", [401, 200]), ("projects/other-app/users", [401, 401])] {
                #expect(try scenario.admin("POST", "/v1/\(path)/carol/disable").status == 200)
                #expect(try tokens.map { try scenario.send(.bearer($0, "/strict/x")).status } == statuses)
            }
        }
    }
}
