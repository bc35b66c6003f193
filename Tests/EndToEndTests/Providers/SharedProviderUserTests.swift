import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Users of providers in Redis. Other programs can write their keys, in which `:` of the uid is percent-encoded.
struct SharedProviderUserTests {
    private static let subject = "000123.0a1b2c3d4e5f60718293a4b5c6d7e8f9.0456"
    private static let key = "gatehouse:user:{apple.com%3A\(subject)}"

    private func run(_ redis: RedisServer, _ body: (Scenario) async throws -> Void) async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.identify(provider, [.apple, .microsoft].map(provider.entry))
            configuration["store"] = redis.store
            // Tests share two cores, so slow responses must not count as failures.
            configuration["revocation"] = "{ strict_timeout: \(Allowance.factor)s }"
        }) { try await body($0) }
    }

    private func token(_ scenario: Scenario, signedIn time: Int64) throws -> String {
        let draft = scenario.provider.idToken(of: .apple).setting("sub", to: .string(Self.subject))
        return try scenario.provider.sign(draft.signedIn(at: time))
    }

    private func reaches(_ status: Int, _ token: String, _ scenario: Scenario) async throws {
        _ = try await eventually("\(status)") {
            try scenario.send(.bearer(token, "/me/x")).status == status ? true : nil
        }
    }

    @Test func `H-03: a revocation by another program applies`() async throws {
        let redis = try await RedisServer()
        let uid = "apple.com:\(Self.subject)"
        try await run(redis) { scenario in
            let token = try token(scenario, signedIn: unixNow() - 100)
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
            let time = "\(unixNow() - 50)"
            try redis.cli("HSET", Self.key, "valid_since", time)
            try redis.cli("XADD", "gatehouse:changes", "*", "uid", uid, "valid_since", time)
            try await reaches(401, token, scenario)
            try scenario.expectRefusal(.bearer(token, "/strict/x"), 401, "auth/id-token-revoked")
            let fresh = try self.token(scenario, signedIn: unixNow())
            for target in ["/me/x", "/strict/x"] { _ = try scenario.passes(.bearer(fresh, target)) }
        }
    }

    @Test func `H-03: the gateway writes a revocation under the same key`() async throws {
        let redis = try await RedisServer()
        try await run(redis) { scenario in
            let barbara = scenario.provider.idToken(of: .microsoft, for: .barbara).issued(at: unixNow() - 100)
            let token = try scenario.provider.sign(barbara)
            let uid = try #require(try scenario.passes(.bearer(token, "/me/x"))["X-Auth-Uid"])
            let users = [
                "apple.com:\(Self.subject)": Self.key, uid: "gatehouse:user:{\(uid.replacing(":", with: "%3A"))}",
            ]
            for (uid, key) in users {
                #expect(
                    try scenario.admin("POST", "/v1/users/\(uid)/revoke", body: "{\"at\": 1700000000}").status == 200)
                #expect(try redis.cli("HGET", key, "valid_since") == "1700000000", "\(key)")
                #expect(try scenario.admin("POST", "/v1/users/\(uid)/disable").status == 200)
                #expect(try redis.cli("HGET", key, "disabled") == "1", "\(key)")
            }
            try scenario.expectRefusal(.bearer(token, "/strict/x"), 401, "auth/user-disabled")
        }
    }

    @Test func `I-11: only a record of its own session makes an old sign-in recent`() async throws {
        let redis = try await RedisServer()
        let user = "gatehouse:session:{apple.com%3A\(Self.subject)}:"
        try await run(redis) { scenario in
            let (old, now) = (unixNow() - 4000, unixNow())
            let token = try token(scenario, signedIn: old)
            let challenge = "Bearer error=\"insufficient_user_authentication\", max_age=\"300\""
            // The same session name of another user.
            try redis.cli(
                "HSET", "gatehouse:session:{apple.com%3Aother}:apple.com%3A\(old)", "signed_in_at", "\(now)")
            // Sessions of Firebase, of another provider, and another session of this provider.
            for session in ["\(old)", "google.com%3A\(old)", "apple.com%3A\(old + 1)", "apple.com:\(old)"] {
                try redis.cli("HSET", user + session, "signed_in_at", "\(now)")
                try scenario.expectRefusal(
                    .bearer(token, "/recent/x"), 401, "auth/requires-recent-login", challenge: challenge, session)
            }
            try redis.cli("HSET", "\(user)apple.com%3A\(old)", "signed_in_at", "\(now - 10)")
            #expect(try scenario.passes(.bearer(token, "/recent/x"))["X-Auth-Time"] == "\(now - 10)")
            #expect(try scenario.passes(.bearer(token, "/me/x"))["X-Auth-Time"] == "\(old)")
        }
    }
}
