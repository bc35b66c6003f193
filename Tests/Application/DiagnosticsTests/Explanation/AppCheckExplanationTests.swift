import DevelopmentIdentity
import Diagnostics
import GatewayConfiguration
import GatewayCore
import Testing

/// `explain` of requests whose App Check token the gateway consumes.
@Suite struct AppCheckExplanationTests {
    private static let app = "1:123456789012:web:0a1b2c3d"

    private func explain(_ consumes: Bool) async throws -> Explanation {
        var configuration = Given.configuration([
            Given.route("/**") {
                $0.auth = .none
                $0.appCheck = .enforce
                $0.consumesAppToken = consumes
            }
        ])
        configuration.identity.firebase?.appCheck = Configuration.AppCheck(
            projectNumber: "123456789012", apps: [Configuration.AppCheck.App(id: Self.app, name: "web")])
        // The source of keys serves those of session cookies at every other URL.
        let token = FirebaseToken(
            kind: .sessionCookie,
            claims: [
                "iss": "https://firebaseappcheck.googleapis.com/123456789012", "aud": ["projects/123456789012"],
                "sub": .string(Self.app), "iat": .integer(Given.now - 1), "exp": .integer(Given.now + 300),
            ])
        let field = (name: "X-Firebase-AppCheck", value: try DevelopmentKeys.shared().sign(token))
        let request = ExplainedRequest(method: "GET", url: "http://api.example/x", fields: [field])
        return try await Given.explainer(configuration).explain(request)
    }

    @Test func `the consumption is explained and not performed`() async throws {
        let explanation = try await explain(true)
        #expect(explanation.code == .ok)
        let steps = explanation.steps.filter { $0.name == "app" }
        #expect(steps.map(\.mark) == [.passed, .note] && steps.last?.detail.contains("consumes the token") == true)
        #expect(try await explain(false).steps.count { $0.name == "app" } == 1)
    }
}
