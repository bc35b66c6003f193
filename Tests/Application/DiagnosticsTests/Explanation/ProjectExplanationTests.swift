import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import Testing

@testable import Diagnostics

/// `explain` and `token inspect` with several Firebase projects.
@Suite struct ProjectExplanationTests {
    private static func configuration(
        _ route: Configuration.Route, hosts: [Configuration.FirebaseHost] = []
    ) -> Configuration {
        var configuration = Given.configuration([route])
        configuration.identity.firebase?.furtherProjects = [Configuration.FirebaseProject(id: "other-app")]
        configuration.identity.firebase?.hosts = hosts
        return configuration
    }

    private static func route(project: String) -> Configuration.Route {
        Given.route("/a") {
            var restriction = Configuration.FirebaseRestriction()
            restriction.projects = [project]
            $0.firebase = restriction
        }
    }

    private func explain(_ configuration: Configuration) async throws -> Explanation {
        try await Given.explainer(configuration).explain(
            ExplainedRequest(method: "GET", url: "/a", token: Given.idToken()))
    }

    @Test func `the step shows whether the credential is of the route's project`() async throws {
        let passed = try await explain(Self.configuration(Self.route(project: FirebaseToken.demoProject)))
        #expect(passed.code == .ok && passed.step("project")?.mark == .passed)
        let denied = try await explain(Self.configuration(Self.route(project: "other-app")))
        #expect(denied.code == .invalidIDToken && denied.step("project")?.mark == .failed)
        let open = try await explain(Self.configuration(Given.route("/a")))
        #expect(open.code == .ok && open.step("project") == nil)
    }

    @Test func `a token is inspected with the verifier of its project`() async throws {
        let inspector = try Given.inspector(Self.configuration(Given.route("/a")))
        func token(of project: String) throws -> String {
            try Given.idToken {
                $0.setting("aud", to: .string(project))
                    .setting("iss", to: .string("https://securetoken.google.com/\(project)"))
            }
        }
        #expect(try await inspector.inspect(token(of: "other-app")).code == .ok)
        let third = try await inspector.inspect(token(of: "third-app"))
        #expect(third.code == .invalidIDToken)
        #expect(third.steps["iss"]?.detail.contains("the project third-app, which is not configured") == true)
    }
}
