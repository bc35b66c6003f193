import GatewayConfiguration
import GatewayCore
import Testing

@Suite struct ShortcutTests {
    @Test func asksForAValidTokenOnEveryPath() throws {
        let configuration = try Configuration.shortcut(
            project: "my-app", upstream: "http://127.0.0.1:3000", environment: [:])
        #expect(configuration.routes.map(\.path) == ["/{path=**}"])
        #expect(configuration.routes.map(\.auth) == [.required])
        #expect(configuration.identity.firebase?.project == "my-app")
        let upstream = configuration.routes.first.flatMap { configuration.upstream(named: $0.upstream) }
        #expect(upstream?.servers.map(\.description) == ["http://127.0.0.1:3000"])
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
        #expect(configuration.admin.address?.description == "127.0.0.1:9901")
        #expect(configuration.store == .sqlite(path: "gatehouse.db"))
    }

    @Test func listensWhereItIsTold() throws {
        let configuration = try Configuration.shortcut(
            project: "my-app", upstream: "http://127.0.0.1:3000", listen: "0.0.0.0:0", environment: [:])
        #expect(configuration.listen.map(\.address.description) == ["0.0.0.0:0"])
    }

    @Test func takesKeyURLsFromTheEnvironment() throws {
        let configuration = try Configuration.shortcut(
            project: "my-app", upstream: "http://127.0.0.1:3000", environment: KeyURLOverrideTests.variables)
        #expect(configuration.identity.firebase?.keysURL == "http://127.0.0.1:9/keys")
    }

    @Test func namesTheOptionThatIsWrong() {
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.shortcut(
                project: "a b", upstream: "ftp://x", listen: "localhost",
                environment: ["GATEHOUSE_FIREBASE_KEYS_URL": "x"])
        }
        #expect(
            error?.errors.map(\.description) == [
                "--firebase-project: not a project's id; write the id that the Firebase console shows",
                "--listen: an address without a port; write HOST:PORT",
                "--upstream: a URL of another scheme than http and https; write http://HOST:PORT",
                "GATEHOUSE_FIREBASE_KEYS_URL: not an absolute URL; write http://HOST:PORT",
            ])
    }

    @Test func refusesTheAdminListenersAddress() {
        let error = #expect(throws: ConfigurationErrors.self) {
            try Configuration.shortcut(project: "a", upstream: "http://x", listen: "0.0.0.0:9901", environment: [:])
        }
        #expect(error?.errors.map(\.what) == ["the admin listener has the same address"])
    }
}
