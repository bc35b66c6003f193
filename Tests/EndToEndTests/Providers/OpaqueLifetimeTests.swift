import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The lifetime of a cached result of an opaque token.
struct OpaqueLifetimeTests {
    /// Returns the status of a request with a token on a route.
    private func status(_ token: OpaqueToken, _ scenario: Scenario) throws -> Int {
        try scenario.send(.bearer(token.text, "/me/x")).status
    }

    static let ends: [(what: String, exp: JSON?)] = [
        ("no exp", nil), ("beyond 64 bits", 1e300),
    ]

    @Test func `G-06: without a near expiry a response is cached for cache_for`() async throws {
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

    @Test func `G-06 G-11: a cached token still expires`() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_for: 1h") { scenario in
            let now = scenario.provider.now
            let ends: [JSON] = [.integer(now + 3), .number(Double(now) + 3.5)]
            let tokens = try ends.map { end in try scenario.opaque { $0.setting("exp", to: end) } }
            for token in tokens {
                let response = try scenario.send(.bearer(token.text, "/me/x"))
                // On a slow machine the lifetime can already be over.
                #expect(response.status == 200 || unixNow() >= now + 3, "\(response.text)")
            }
            for token in tokens {
                let refusal = try await eventually("the end") {
                    let response = try scenario.send(.bearer(token.text, "/me/x"))
                    return response.status == 200 ? nil : response
                }
                expectDenial(refusal, 401, "auth/id-token-expired")
                // A worker that has not cached the token looks it up again.
                #expect(unixNow() >= now + 3 && scenario.provider.calls(about: token) <= 2)
            }
        }
    }

    @Test func `G-09: a reactivated token passes after cache_refused_for`() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_refused_for: 1s") { scenario in
            let token = try scenario.opaque { $0.setting("active", to: false) }
            let began = ContinuousClock.now
            try scenario.expectRefusal(.bearer(token.text, "/me/x"), 401, "auth/invalid-id-token")
            try scenario.provider.add(token.setting("active", to: true))
            _ = try await eventually("the token to pass") { try status(token, scenario) == 200 ? true : nil }
            #expect(began.duration(to: .now) >= .seconds(1) && scenario.provider.calls(about: token) == 2)
        }
    }

    @Test func `G-09: a token that its provider revokes is denied within cache_for`() async throws {
        try await Scenario.introspecting("timeout: 5s, cache_for: 1s") { scenario in
            let token = try scenario.opaque()
            #expect(try status(token, scenario) == 200)
            scenario.provider.revoke(token)
            let refusal = try await eventually("the end") {
                let response = try scenario.send(.bearer(token.text, "/me/x"))
                return response.status == 200 ? nil : response
            }
            expectDenial(refusal, 401, "auth/invalid-id-token")
        }
    }

    @Test func `G-09: revocation is checked on every cache hit`() async throws {
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
    /// The integer value of a member. 0 if it is not an integer.
    func time(_ name: String) -> Int64 {
        if case .integer(let seconds)? = self[name] { seconds } else { 0 }
    }
}
