import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The coverage of the running rules, from outside.
struct RuleCoverageRunTests {
    private static let rules = """
        rules_version = '2';
        service gatehouse.http {
          match /me/{rest=**} {
            allow read: if request.auth.uid == 'ada';
          }
        }

        """

    private static func arrange(_ configuration: inout GatewayConfiguration, hasConsole: Bool = true) {
        if hasConsole { configuration["admin"] = ConsoleVisit.admin }
        configuration["rules"] = "api.rules"
        configuration.files["api.rules"] = rules
        configuration.routes.insert("path: '/me/own/{name}', allow: name == 'a', upstream: api", at: 0)
    }

    /// `FILE true false error` of the first expression of each source.
    private func counts(_ scenario: Scenario) throws -> [String] {
        let response = try scenario.admin("GET", "/v1/rules")
        return try #require(JSON(parsing: response.body)?.list("sources")).map { source in
            let first = try #require(source.list("expressions").first)
            let values = ["true", "false", "error"].map { name in
                if case .integer(let count)? = first[name] { "\(count)" } else { "null" }
            }
            return ([source.text("route") ?? "file"] + values).joined(separator: " ")
        }
    }

    @Test func `results are counted over all event loops, and a reload keeps those of unchanged rules`() async throws {
        try await ReloadScenario.run(arrange: { Self.arrange(&$0) }) { reload in
            let scenario = reload.scenario
            let (ada, grace) = (try scenario.token(), try scenario.token(.grace))
            for _ in 0..<4 { #expect(try scenario.send(.bearer(ada, "/me/x")).status == 200) }
            #expect(try scenario.send(.bearer(grace, "/me/x")).status == 403)
            #expect(try scenario.send(.bearer(ada, "/me/own/a")).status == 200)
            #expect(try scenario.send(.bearer(ada, "/me/own/b")).status == 403)
            let before = try counts(scenario)
            #expect(before == ["file 6 1 0", "/me/own/{name} 1 1 0"])
            try await reload.reload { $0.routes.append("path: /added, upstream: api") }
            #expect(try scenario.send(.bearer(ada, "/me/x")).status == 200)
            let after = try counts(scenario)
            #expect(after == ["file 7 1 0", "/me/own/{name} 1 1 0"])
            try reload.gateway.rewrite(Self.rules.replacing("'ada'", with: "'bob'"), file: "api.rules")
            try await reload.reload { _ in }
            let changed = try counts(scenario)
            #expect(changed == ["file 0 0 0", "/me/own/{name} 1 1 0"])
        }
    }

    @Test func `without a console nothing is counted`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            Self.arrange(&configuration, hasConsole: false)
        }) { scenario in
            #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
            let found = try counts(scenario)
            #expect(found == ["file null null null", "/me/own/{name} null null null"])
        }
    }
}
