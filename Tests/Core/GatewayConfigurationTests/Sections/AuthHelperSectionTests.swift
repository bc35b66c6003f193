import GatewayCore
import Testing

@testable import CoreFixtures
@testable import GatewayConfiguration

@Suite struct AuthHelperSectionTests {
    private func load(_ routes: String, _ firebase: String = "auth_helper: true") throws -> Configuration {
        let yaml = """
            identity: { firebase: { project: my-app, \(firebase) } }
            upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
            routes: [\(routes)]
            """
        return try Configuration.load(bytes: Array(yaml.utf8), file: "test.yaml", environment: [:])
    }

    @Test func `the helper adds an upstream and its routes`() throws {
        let configuration = try load("{ path: '/**', upstream: api }")
        #expect(configuration.upstreams.map(\.name) == ["api", Configuration.authHelperUpstream])
        #expect(configuration.upstreams[1].servers.map(\.description) == ["https://my-app.firebaseapp.com:443"])
        let routes = configuration.routes.dropFirst()
        #expect(routes.map(\.path) == ["/__/auth/{rest=**}", "/__/firebase/init.json"])
        #expect(routes.map(\.methods) == [["GET", "POST"], ["GET"]])
        #expect(routes.allSatisfy { $0.hosts.isEmpty && $0.auth == .none && $0.location.line == 1 })
        #expect(configuration.warnings.isEmpty && configuration.authHelperHosts.isEmpty)
    }

    @Test func `each host of the file has the helper, because a host has no fallback`() throws {
        let named = try load(
            "{ path: /a, host: [a.example, '*.b.example'], upstream: api }, { path: /b, host: a.example, upstream: api }"
        )
        #expect(
            named.routes.dropFirst(2).map(\.hosts) == [["a.example", "*.b.example"], ["a.example", "*.b.example"]])
        #expect(named.authHelperHosts == ["a.example", "*.b.example"])
        let both = try load("{ path: /a, host: a.example, upstream: api }, { path: /b, upstream: api }")
        #expect(both.routes.dropFirst(2).map(\.hosts) == [[], [], ["a.example"], ["a.example"]])
    }

    @Test func `without the key nothing is added`() throws {
        let configuration = try load("{ path: '/**', upstream: api }", "auth_helper: false")
        #expect(configuration.routes.count == 1 && configuration.upstreams.count == 1)
    }

    @Test(arguments: ["example.com:my-app", "a.b", "my_app", "app-", String(repeating: "a", count: 64)])
    func `a project without a host of its own is rejected`(project: String) throws {
        let yaml = """
            identity: { firebase: { project: '\(project)', auth_helper: true } }
            upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
            routes: [{ path: '/**', upstream: api }]
            """
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(bytes: Array(yaml.utf8), file: "test.yaml", environment: [:])
        }
        let text = try #require(error).description
        #expect(text.contains("auth_helper with the project '\(project)', which is not a label of a host name"))
        let without = yaml.replacing(", auth_helper: true", with: "")
        #expect(throws: Never.self) {
            try Configuration.load(bytes: Array(without.utf8), file: "test.yaml", environment: [:])
        }
    }

    @Test func `a file that has the upstream itself is rejected`() {
        let yaml = """
            identity: { firebase: { project: my-app, auth_helper: true } }
            upstreams: { firebase-auth-helper: { servers: ["http://127.0.0.1:3000"] } }
            routes: [{ path: '/**', upstream: firebase-auth-helper }]
            """
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.load(bytes: Array(yaml.utf8), file: "test.yaml", environment: [:])
        }
        #expect(error?.description.contains("test.yaml:1:42: auth_helper adds the upstream") == true)
    }
}
