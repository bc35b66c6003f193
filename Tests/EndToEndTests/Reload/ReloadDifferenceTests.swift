import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The differences that a reload reports, for a sample of real requests.
struct ReloadDifferenceTests {
    private func lastReload(_ scenario: Scenario) throws -> JSON? {
        JSON(parsing: try scenario.admin("GET", "/v1/reload/diff").body)?["last"]
    }

    /// `METHOD COUNT BEFORE > AFTER`, sorted.
    private func changes(_ scenario: Scenario) throws -> [String] {
        let last = try #require(try lastReload(scenario))
        return last.list("changes").map { change in
            let outcome = { (side: String) in
                "\(change[side]?.text("route") ?? "none") \(change[side]?.text("code") ?? "")"
            }
            var count = "?"
            if case .integer(let number)? = change["count"] { count = "\(number)" }
            return "\(change.text("method") ?? "") \(count) \(outcome("before")) > \(outcome("after"))"
        }.sorted()
    }

    @Test func `requests that the new configuration decides differently are counted`() async throws {
        try await ReloadScenario.run(arrange: { configuration in
            configuration["admin"] = ConsoleVisit.admin
            configuration.routes.insert(
                "path: '/header/**', allow: 'request.headers[\"x-a\"] == \"b\"', upstream: api", at: 0)
        }) { reload in
            let scenario = reload.scenario
            #expect(try lastReload(scenario) == .null)
            let (ada, grace) = (try scenario.token(), try scenario.token(.grace))
            for path in ["/me/secret-path", "/me/b"] {
                #expect(try scenario.send(.bearer(ada, path)).status == 200)
            }
            #expect(try scenario.send(.bearer(grace, "/me/c")).status == 200)
            #expect(try scenario.send(.get("/me/anonymous")).status == 401)
            #expect(try scenario.send(.get("/optional/x")).status == 200)
            #expect(try scenario.send(.get("/public/x")).status == 200)
            #expect(try scenario.send(.get("/added")).status == 404)
            #expect(try scenario.send(.bearer(ada, "/header/x", "X-A: b")).status == 200)

            try await reload.reload { configuration in
                configuration.routes.removeAll { $0.hasPrefix("path: /me/") || $0.hasPrefix("path: /optional/") }
                configuration.routes += [
                    "path: '/me/**', allow: auth.uid == 'ada', upstream: api", "path: '/optional/**', upstream: api",
                    "path: /added, auth: none, upstream: api",
                ]
            }
            let found = try changes(scenario)
            #expect(
                found == [
                    "GET 1 /me/** ok > /me/** auth/permission-denied",
                    "GET 1 /optional/** ok > /optional/** auth/missing-credential",
                    "GET 1 none route/not-found > /added ok",
                ])
            let last = try #require(try lastReload(scenario))
            #expect(last["compared"] == 7 && last["undecided"] == 1 && last["sampled"] == 8)
            let text = try scenario.admin("GET", "/v1/reload/diff").text
            for secret in ["secret-path", "ada", "grace"] { #expect(!text.contains(secret)) }
        }
    }

    @Test func `without a console no request is recorded`() async throws {
        try await ReloadScenario.run { reload in
            #expect(try reload.scenario.send(.bearer(reload.scenario.token(), "/me/x")).status == 200)
            try await reload.reload { $0.routes.removeAll { $0.hasPrefix("path: /me/") } }
            #expect(try lastReload(reload.scenario) == .null)
        }
    }
}
