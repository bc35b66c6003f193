import DevelopmentIdentity
import Testing

/// Logs of decisions by rules. They contain the `allow` and the reason, and no claims.
struct RuleLogTests {
    private static let rules = """
        rules_version = '2';
        service gatehouse.http {
          match /users/{uid}/{rest=**} {
            allow read: if request.auth.token.secret_role == 'carmine';
            allow read: if request.auth.uid == uid;
          }
          match /broken/{rest=**} {
            allow read: if request.auth.token.nowhere == 1;
          }
        }
        """

    private func arrange(_ configuration: inout GatewayConfiguration) {
        configuration["rules"] = "api.rules"
        configuration.files["api.rules"] = Self.rules
        configuration.routes = [
            "path: /broken/**, upstream: api", "path: '/users/{uid}/{rest=**}', upstream: api",
            "path: /other/**, upstream: api",
        ]
    }

    @Test func `the log names the deciding rule and the reason, but no claim`() async throws {
        try await Scenario.run(arrange: { arrange(&$2) }) { scenario in
            let token = try scenario.token { $0.setting("secret_role", to: "vermilion") }
            let targets = ["/users/ada/x", "/users/bob/x", "/broken/x", "/other/x"]
            var answers = ""
            for target in targets {
                let response = try scenario.send(.bearer(token, target))
                if response.status != 200 { answers += "\(response.fields) \(response.text)" }
            }
            let metrics = try scenario.admin("GET", "/metrics").text
            let lines = await scenario.accessLog()
            func line(_ path: String) throws -> JSON { try #require(lines.first { $0["path"] == .string(path) }) }
            #expect(try line("/users/ada/x")["rule"] == "api.rules:5")
            #expect(try line("/users/ada/x")["reason"] == nil)
            #expect(try line("/users/bob/x")["reason"] == "rules: the condition is false")
            #expect(try line("/users/bob/x")["rule"] == "api.rules:5")
            #expect(try line("/broken/x")["reason"] == "rules: the condition failed")
            #expect(try line("/broken/x")["rule"] == "api.rules:8")
            #expect(try line("/other/x")["reason"] == "rules: no allow for this path and method")
            #expect(try line("/other/x")["rule"] == nil)
            let written = scenario.gateway.output + scenario.gateway.errors
            #expect(!written.contains("vermilion") && !written.contains("carmine") && !written.contains("secret_role"))
            #expect(!answers.contains("rules") && !answers.contains("vermilion"))
            for sample in [#"{outcome="allowed"} 1"#, #"{outcome="denied"} 2"#, #"{outcome="failed"} 1"#] {
                #expect(metrics.contains("gatehouse_rule_decisions_total" + sample))
            }
        }
    }

    @Test func `the log names no rule for a route without rules`() async throws {
        try await Scenario.run { scenario in
            _ = try scenario.send(.bearer(scenario.token(), "/me/x"))
            #expect(await scenario.accessLog().first?["rule"] == nil)
        }
    }
}
