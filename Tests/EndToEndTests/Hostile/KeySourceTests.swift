import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A key source that does anything but answer costs its own fetch only: the previous keys are kept, in bounded memory and time, and
/// it heals as soon as the source does.
struct KeySourceTests {
    /// What the source does, and what the log calls it.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let misbehaviour: @Sendable (_ elsewhere: String) -> Misbehaviour
        let reason: String

        init(
            _ name: String, _ reason: String, _ misbehaviour: @autoclosure @escaping @Sendable () -> Misbehaviour
        ) {
            self.init(name, reason) { _ in misbehaviour() }
        }

        init(_ name: String, _ reason: String, _ misbehaviour: @escaping @Sendable (String) -> Misbehaviour) {
            testDescription = name
            self.reason = reason
            self.misbehaviour = misbehaviour
        }

        static func redirect(_ status: Int) -> Attack {
            Attack("redirects with \(status)", "redirected") { .redirect(to: "\($0)/elsewhere", status: status) }
        }

        static func chunks(_ name: String, _ reason: String, _ chunks: String) -> Attack {
            Attack(name, reason, .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"))
        }
    }

    static let attacks = [
        Attack("drips", "timed_out", .drip(interval: .milliseconds(20))),
        Attack("never answers", "timed_out", .hang),
        Attack("closes at once", "closed", .drop),
        Attack("resets", "closed", .reset),
        Attack("tells a length too short", "not_a_key_set", .wrongContentLength(by: -3)),
        Attack("tells a length too long", "closed", .wrongContentLength(by: 100)),
        Attack("answers HTML", "not_a_key_set", .html),
        Attack("answers 10 MiB", "too_large", .oversized()),
        Attack("answers without an end", "too_large", .endless),
        Attack("answers a gzip bomb", "not_a_key_set", .gzipBomb()),
        .redirect(301), .redirect(302), .redirect(307), .redirect(308),
        .chunks("answers garbage for chunks", "invalid_response", "no size\r\n{}\r\n0\r\n\r\n"),
        .chunks("answers a chunk beyond numbers", "invalid_response", "fffffffffffffffff\r\n{}"),
        .chunks("breaks off in a chunk", "closed", "64\r\n{\"keys\":["),
        Attack("is no HTTP", "invalid_response", .raw("\u{0}\u{1}220 smtp.example ESMTP\r\n\r\n")),
        Attack(
            "never ends its head", "", .raw("HTTP/1.1 200 OK\r\n\(String(repeating: "X-A: b\r\n", count: 200_000))")),
    ]

    @Test(arguments: attacks)
    func itsPreviousKeysAreKept(attack: Attack) async throws {
        try await Scenario.run { scenario in
            for _ in 0..<50 { _ = try scenario.passes(.bearer(scenario.token(), "/me/warm")) }
            let memory = try scenario.gateway.residentKilobytes()
            scenario.provider.misbehave(attack.misbehaviour(scenario.echo.url), at: .idTokenJWKSet)
            try await scenario.unharmed {
                let began = ContinuousClock.now
                let answer = try scenario.admin("POST", "/v1/keys/refresh")
                #expect(answer.status == 200)
                #expect(ContinuousClock.now - began < Allowance.time(.seconds(8)))
            }
            #expect(try scenario.gateway.residentKilobytes() - memory < Allowance.memory(kilobytes: 24_000))
            #expect(scenario.gateway.errors.contains("reason=\(attack.reason)"), "\(scenario.gateway.errors)")
            #expect(!scenario.echo.received.contains { $0.path == "/elsewhere" })
            try heals(scenario)
        }
    }

    private func heals(_ scenario: Scenario) throws {
        scenario.provider.misbehave(nil, at: .idTokenJWKSet)
        try scenario.provider.rotate(.idToken)
        try scenario.admin("POST", "/v1/keys/refresh")
        _ = try scenario.passes(.bearer(scenario.token(), "/me/healed"))
    }

    @Test func aTokenOfAnUnknownKeyWaitsForADrippingSourceAloneAndNotForever() async throws {
        try await Scenario.run { scenario in
            let unknown = try scenario.token { $0.settingHeader("kid", to: "unknown") }
            scenario.provider.misbehave(.drip(interval: .milliseconds(20)), at: .idTokenJWKSet)
            try await scenario.unharmed {
                let began = ContinuousClock.now
                expectDenial(try scenario.send(.bearer(unknown, "/me/x")), 503, "auth/keys-unavailable")
                #expect(ContinuousClock.now - began < Allowance.time(.seconds(8)))
            }
        }
    }
}
