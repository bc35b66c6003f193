import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// How long an answer about an opaque token counts.
struct OpaqueLifetimeTests {
    /// The status of a token on a route.
    private func status(_ token: OpaqueToken, _ scenario: Scenario) throws -> Int {
        try scenario.send(.bearer(token.text, "/me/x")).status
    }

    static let ends: [(what: String, exp: JSON?)] = [
        ("no exp", nil), ("null", .some(.null)), ("far", 253_402_300_799), ("farther than 64 bits hold", 1e300),
        ("far, with a fraction", 253_402_300_799.5),
    ]

    @Test func g06WithoutANearEndAnAnswerCountsForCacheFor() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_for: 1s") { scenario in
            for row in Self.ends {
                let token = try scenario.opaque { token in
                    row.exp.map { token.setting("exp", to: $0) } ?? token.removing("exp")
                }
                let began = ContinuousClock.now
                #expect(try status(token, scenario) == 200, "\(row)")
                _ = try await eventually("another question: \(row)") {
                    try status(token, scenario) == 200 && scenario.provider.calls(about: token) == 2 ? true : nil
                }
                #expect(began.duration(to: .now) >= .seconds(1), "\(row)")
            }
        }
    }

    @Test func g06g11ATokenEndsWithItsOwnTimeThoughItsAnswerIsRemembered() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_for: 1h") { scenario in
            let now = scenario.provider.now
            let ends: [JSON] = [.integer(now + 3), .number(Double(now) + 3.5)]
            let tokens = try ends.map { end in try scenario.opaque { $0.setting("exp", to: end) } }
            for token in tokens {
                let response = try scenario.send(.bearer(token.text, "/me/x"))
                // Where tests are slow it may be over already.
                #expect(response.status == 200 || unixNow() >= now + 3, "\(response.text)")
            }
            for token in tokens {
                let refusal = try await eventually("the end") {
                    let response = try scenario.send(.bearer(token.text, "/me/x"))
                    return response.status == 200 ? nil : response
                }
                expectDenial(refusal, 401, "auth/id-token-expired")
                // Where one worker did not know it, it was asked about once more.
                #expect(unixNow() >= now + 3 && scenario.provider.calls(about: token) <= 2)
            }
        }
    }

    /// Seconds from now.
    static let outside: [(member: String, offset: Int64, code: String)] = [
        ("exp", 0, "auth/id-token-expired"), ("exp", -1_000_000, "auth/id-token-expired"),
        ("nbf", 86_400, "auth/invalid-id-token"), ("iat", 86_400, "auth/invalid-id-token"),
        ("auth_time", 86_400, "auth/invalid-id-token"),
    ]

    @Test func g06ATokenOutsideOfItsTimeIsRefusedWhateverActiveSays() async throws {
        try await Scenario.introspecting { scenario in
            for row in Self.outside {
                let time = JSON.integer(scenario.provider.now + row.offset)
                let token = try scenario.opaque { $0.setting(row.member, to: time) }
                try scenario.expectRefusal(.bearer(token.text, "/me/x"), 401, row.code, "\(row)")
            }
        }
    }

    @Test func g09ATokenThatIsMadeGoodAgainPassesAfterCacheRefusedFor() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_refused_for: 1s") { scenario in
            let token = try scenario.opaque { $0.setting("active", to: false) }
            let began = ContinuousClock.now
            try scenario.expectRefusal(.bearer(token.text, "/me/x"), 401, "auth/invalid-id-token")
            try scenario.provider.add(token.setting("active", to: true))
            _ = try await eventually("the token to pass") { try status(token, scenario) == 200 ? true : nil }
            #expect(began.duration(to: .now) >= .seconds(1) && scenario.provider.calls(about: token) == 2)
        }
    }

    @Test func g09ATokenThatItsProviderRevokesDiesWithinCacheFor() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_for: 1s") { scenario in
            let token = try scenario.opaque()
            #expect(try status(token, scenario) == 200)
            scenario.provider.revoke(token)
            let refusal = try await eventually("the end", within: .seconds(5)) {
                let response = try scenario.send(.bearer(token.text, "/me/x"))
                return response.status == 200 ? nil : response
            }
            expectDenial(refusal, 401, "auth/invalid-id-token")
        }
    }

    @Test func g09OurOwnRevocationIsAskedOnEveryHit() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_for: 1h") { scenario in
            let token = try scenario.opaque { $0.setting("iat", to: .integer($0.response.time("iat") - 100)) }
            #expect(try status(token, scenario) == 200)
            try scenario.admin("POST", "/v1/users/oauth.legacy:ada/revoke")
            try scenario.expectRefusal(.bearer(token.text, "/me/x"), 401, "auth/id-token-revoked")
            try scenario.admin("POST", "/v1/users/oauth.legacy:ada/unrevoke")
            #expect(try status(token, scenario) == 200)
            try scenario.admin("POST", "/v1/users/oauth.legacy:ada/disable")
            try scenario.expectRefusal(.bearer(token.text, "/me/x"), 401, "auth/user-disabled")
            #expect(scenario.provider.calls(about: token) == 1)
        }
    }
}

extension JSONObject {
    /// A member that is a whole number; 0 where it is none.
    func time(_ name: String) -> Int64 {
        if case .integer(let seconds)? = self[name] { seconds } else { 0 }
    }
}
