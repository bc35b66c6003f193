import DevelopmentIdentity
import Testing

@testable import RedisFixtures

/// A recorded sign-in, with rules that require a recent one.
struct RecordedSignInRuleTests {
    private static let old = unixNow() - 4000
    private static let challenge = #"Bearer error="insufficient_user_authentication", max_age="300""#

    private func addRules(_ configuration: inout GatewayConfiguration) {
        configuration.routes +=
            [
                "path: /fresh/**, allow: \"recentSignIn(duration.value(5, 'm'))\", upstream: api",
                "path: /off/**, revocation: 'off', allow: \"recentSignIn(duration.value(5, 'm'))\", upstream: api",
                "path: /mine/**, revocation: 'off', allow: \"auth.uid == 'ada' || recentSignIn(duration.value(5, 'm'))\", upstream: api",
            ]
    }

    @Test func `a new sign-in suffices with the embedded store`() async throws {
        try await Scenario.withAccounts(arrange: addRules) { scenario in
            var app = AccountApp(scenario)
            try app.signIn { $0.issued(at: Self.old).signedIn(at: Self.old) }
            expectDenial(try app.get("/fresh/x"), 401, "auth/requires-recent-login", challenge: Self.challenge)
            #expect(try app.call("reauthenticate", app.proof()).status == 200)
            let report = try #require(EchoReport(app.get("/fresh/x")))
            let time = try #require(report["X-Auth-Time"].flatMap { Int64($0) })
            #expect(time > Self.old + 3000)
        }
    }

    @Test func `I-11: only a record makes an old sign-in recent`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store, arrange: addRules) { fleet in
            let token = try fleet.first.token(.ada) { $0.signedIn(at: Self.old) }
            let request = WireRequest.bearer(token, "/fresh/x")
            expectDenial(
                try fleet.first.send(request), 401, "auth/requires-recent-login", challenge: Self.challenge)
            let time = unixNow() - 10
            try redis.cli("HSET", "gatehouse:session:{ada}:\(Self.old)", "signed_in_at", "\(time)")
            #expect(try fleet.first.passes(request)["X-Auth-Time"] == "\(time)")
            try redis.cli("HSET", "gatehouse:session:{ada}:\(Self.old)", "revoked", "1")
            expectDenial(try fleet.first.send(request), 401, "auth/id-token-revoked")
        }
    }

    @Test func `a condition that is true without the record needs no lookup`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store, arrange: addRules) { fleet in
            let old = try fleet.first.token(.ada) { $0.signedIn(at: Self.old) }
            #expect(try fleet.first.send(.bearer(old, "/mine/x")).status == 200)
            let fresh = try fleet.first.token(.grace) { $0.signedIn(at: unixNow() - 10) }
            #expect(try fleet.first.send(.bearer(fresh, "/fresh/x")).status == 200)
            #expect(try fleet.first.metric("gatehouse_store_reads_total") == 0)
            let other = try fleet.first.token(.grace) { $0.signedIn(at: Self.old) }
            #expect(try fleet.first.send(.bearer(other, "/mine/x")).status == 401)
            #expect(try fleet.first.metric("gatehouse_store_reads_total") == 1)
        }
    }

    @Test func `an invalid record is 503`() async throws {
        let redis = try await RedisServer()
        try redis.cli("HSET", "gatehouse:session:{ada}:\(Self.old)", "signed_in_at", "soon")
        try await Fleet.run(store: redis.store, arrange: addRules) { fleet in
            let token = try fleet.first.token(.ada) { $0.signedIn(at: Self.old) }
            for target in ["/fresh/x", "/off/x"] {
                expectDenial(try fleet.first.send(.bearer(token, target)), 503, "auth/store-unavailable")
            }
            #expect(try fleet.first.send(.bearer(token, "/mine/x")).status == 200)
        }
    }
}
