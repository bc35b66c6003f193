import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A misbehaving key source affects only its own fetch. The previous keys stay, and memory and time are bounded.
///
/// A representative of each kind; `HTTPKeyFetcherTests` has every response.
struct KeySourceTests {
    /// The behaviour of the source, given the URL of another server, and the reason in the log.
    static let attacks: [(name: String, reason: String, misbehaviour: @Sendable (String) -> Misbehaviour)] = [
        ("single bytes", "timed_out", { _ in .drip(interval: .milliseconds(20)) }),
        ("no response", "timed_out", { _ in .hang }), ("no end", "too_large", { _ in .endless }),
        ("a gzip bomb", "not_a_key_set", { _ in .gzipBomb() }),
        ("a redirect", "redirected", { .redirect(to: "\($0)/elsewhere", status: 307) }),
        (
            "a chunk beyond numbers", "invalid_response",
            { _ in .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}") }
        ),
        ("no HTTP", "invalid_response", { _ in .raw("\u{0}\u{1}220 smtp.example ESMTP\r\n\r\n") }),
        (
            "a head without an end", "",
            { _ in .raw("HTTP/1.1 200 OK\r\n\(String(repeating: "X-A: b\r\n", count: 200_000))") }
        ),
    ]

    @Test(arguments: attacks)
    func `the previous keys stay and a new key is read afterwards`(
        attack: (name: String, reason: String, misbehaviour: @Sendable (String) -> Misbehaviour)
    ) async throws {
        try await Scenario.run { scenario in
            for _ in 0..<50 { _ = try scenario.passes(.bearer(scenario.token(), "/me/warm")) }
            let memory = try scenario.gateway.residentKilobytes()
            scenario.provider.misbehave(attack.misbehaviour(scenario.echo.url), at: .idTokenJWKSet)
            try await scenario.unharmed {
                let began = ContinuousClock.now
                let response = try scenario.admin("POST", "/v1/keys/refresh")
                #expect(response.status == 200)
                #expect(ContinuousClock.now - began < Allowance.hang)
            }
            #expect(try scenario.gateway.residentKilobytes() - memory < Allowance.memory(kilobytes: 24_000))
            try await scenario.gateway.untilLogged("reason=\(attack.reason)")
            #expect(!scenario.echo.received.contains { $0.path == "/elsewhere" })
            scenario.provider.misbehave(nil, at: .idTokenJWKSet)
            try scenario.provider.rotate(.idToken)
            try scenario.admin("POST", "/v1/keys/refresh")
            _ = try scenario.passes(.bearer(scenario.token(), "/me/healed"))
        }
    }

    @Test func `a token of an unknown key waits for a slow source, but not forever`() async throws {
        try await Scenario.run { scenario in
            let unknown = try scenario.token { $0.settingHeader("kid", to: "unknown") }
            scenario.provider.misbehave(.drip(interval: .milliseconds(20)), at: .idTokenJWKSet)
            try await scenario.unharmed {
                let began = ContinuousClock.now
                expectDenial(try scenario.send(.bearer(unknown, "/me/x")), 503, "auth/keys-unavailable")
                #expect(ContinuousClock.now - began < Allowance.hang)
            }
        }
    }
}
