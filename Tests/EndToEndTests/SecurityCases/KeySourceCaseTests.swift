import DevelopmentIdentity
import Foundation
import IdentityFixtures
import JOSE
import Testing

@testable import SystemFixtures

/// A key source that is flooded, broken or unavailable affects only the requests whose tokens need it.
struct KeySourceCaseTests {
    private func refresh(_ scenario: Scenario) throws { try scenario.admin("POST", "/v1/keys/refresh") }

    @Test(.tags(.f01, .f03, .f04)) func `a flood of key IDs costs one fetch and no memory`() async throws {
        try await Scenario.run { scenario in
            let good = try scenario.token()
            let other = try scenario.cookie(.alan)
            #expect(try scenario.send(.bearer(good, "/me/warm")).status == 200)
            let calls = scenario.provider.calls(to: .idTokenJWKSet)
            let start = ContinuousClock.now
            let client = try scenario.connect()
            let before = try scenario.gateway.residentKilobytes()
            let long = String(repeating: "k", count: 200)
            // The gateway rejects unsigned tokens before the lookup of the key ID, so these tokens are otherwise valid.
            let parts = try scenario.token().split(separator: ".")
            for batch in 0..<30 {
                let tokens = (0..<100).map { number in
                    let header = "{\"alg\":\"RS256\",\"kid\":\"\(long)-\(batch)-\(number)\",\"typ\":\"JWT\"}"
                    return "\(Base64URL.encode(Array(header.utf8))).\(parts[1]).\(parts[2])"
                }
                try client.send(Array(tokens.map { WireRequest.bearer($0, "/me/flood").bytes }.joined()))
                for _ in tokens { #expect(try client.response().status == 401) }
                #expect(try scenario.send(.bearer(good, "/me/good")).status == 200)
                #expect(try scenario.send(.cookie(other, "/me/good")).status == 200)
            }
            // On a slow machine there can be more than one cool-down.
            let coolDowns = Int((ContinuousClock.now - start) / .seconds(30))
            #expect(scenario.provider.calls(to: .idTokenJWKSet) <= calls + 1 + coolDowns)
            #expect(try scenario.gateway.residentKilobytes() - before < Allowance.memory(kilobytes: 16_000))
        }
    }

    @Test(.tags(.f06, .f21)) func `tokens that wait for one fetch are decided when it ends`() async throws {
        let gate = Gate()
        try await Scenario.run { scenario in
            let calls = scenario.provider.calls(to: .idTokenJWKSet)
            try scenario.provider.rotate(.idToken)
            scenario.provider.misbehave(.held(gate), at: .idTokenJWKSet, times: 1)
            let fresh = try scenario.token()
            let unknown = try scenario.token { $0.settingHeader("kid", to: "nobody") }
            let waiting = try (0..<16).map { number in
                try scenario.client(sending: WireRequest.bearer(number % 2 == 0 ? fresh : unknown, "/me/\(number)"))
            }
            await scenario.provider.waitForCalls(calls + 1, to: .idTokenJWKSet)
            gate.open()
            for (number, client) in waiting.enumerated() {
                let response = try client.response()
                #expect(response.status == (number % 2 == 0 ? 200 : 401), "\(number)")
                if number % 2 == 0 { #expect(EchoReport(response)?.path == "/me/\(number)") }
            }
            #expect(scenario.provider.calls(to: .idTokenJWKSet) == calls + 1)
        }
    }

    @Test(.tags(.f21)) func `a fetch that fails affects only the tokens that wait for it`() async throws {
        try await Scenario.run { scenario in
            let calls = scenario.provider.calls(to: .idTokenJWKSet)
            scenario.provider.misbehave(.drop, at: .idTokenJWKSet)
            let unknown = try scenario.token { $0.settingHeader("kid", to: "nobody") }
            let waiting = try (0..<8).map { _ in try scenario.client(sending: WireRequest.bearer(unknown, "/me/waits"))
            }
            await scenario.provider.waitForCalls(calls + 1, to: .idTokenJWKSet)
            for client in waiting { expectDenial(try client.response(), 503, "auth/keys-unavailable") }
            #expect(try scenario.send(.bearer(scenario.token(), "/me/good")).status == 200)
        }
    }

    @Test(.tags(.f09)) func `a kept connection that the source closed is not a failure`() async throws {
        try await Scenario.run { scenario in
            let keys = scenario.provider.keys[.idToken].map(\.jwk).joined(separator: ",")
            let body = "{\"keys\":[\(keys)]}"
            // A complete response without `Connection: close`, after which the connection is closed.
            scenario.provider.misbehave(
                .raw("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"), at: .idTokenJWKSet)
            for _ in 0..<20 {
                let answer = try scenario.admin("POST", "/v1/keys/refresh")
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try scenario.send(.bearer(scenario.token(), "/me/f09")).status == 200)
            }
            #expect(try scenario.metric("gatehouse_key_set_fetches_total", containing: "failed") == 0)
        }
    }

    /// Responses that are not key sets, or only the beginning of one.
    static let responses: [Misbehaviour] = [
        .html, .noKeys, .truncatedJSON, .oversized(), .status(503, body: "{\"keys\":[]}"), .status(200, body: ""),
        .status(404, body: "{}"), .status(204), .status(500, body: "<html>"), .body("{\"error\":{\"code\":500}}"),
        .body("null"),
        .body("[]"), .body("{\"keys\":null}"), .body("{\"keys\":[{}]}"), .body("{\"keys\":[],\"keys\":[]}"), .drop,
        .reset,
        .wrongContentLength(by: 100), .wrongContentLength(by: -10), .redirect(to: "http://127.0.0.1:1/"),
        .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\u{1F}\u{8B}\u{8}\u{0}"),
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}"), .raw("garbage"), .raw(""),
    ]

    @Test(.tags(.f18, .f19)) func `only a valid key set replaces the keys`() async throws {
        try await Scenario.run { scenario in
            let token = try scenario.token()
            for answer in Self.responses {
                scenario.provider.misbehave(answer, at: .idTokenJWKSet)
                try refresh(scenario)
                #expect(try scenario.send(.bearer(token, "/me/cached")).status == 200, "\(answer)")
                let another = try scenario.token(.grace) { $0.setting("nonce", to: "\(UUID())") }
                #expect(try scenario.send(.bearer(another, "/me/fresh")).status == 200, "\(answer)")
            }
            let failed = try scenario.metric("gatehouse_key_set_fetches_total", containing: "failed")
            #expect(failed >= Double(Self.responses.count), "\(failed)")
        }
    }

    @Test(.tags(.f18)) func `a source that drips or hangs times out`() async throws {
        try await Scenario.run(
            waits: false,
            arrange: { provider, _, _ in
                provider.misbehave(.drip(interval: .milliseconds(200)), at: .idTokenJWKSet)
                provider.misbehave(.hang, at: .sessionX509)
            }
        ) { scenario in
            let clients = try [
                WireRequest.bearer(scenario.token(), "/me/x"), .cookie(scenario.cookie(), "/me/x"),
            ].map { request in try scenario.client(sending: request) }
            #expect(try scenario.send(.get("/public/x")).status == 200)
            for client in clients { expectDenial(try client.response(), 503, "auth/keys-unavailable") }
        }
    }

    @Test(.tags(.f22)) func `the usable certificates of a map are read`() async throws {
        try await Scenario.run { scenario in
            let keys = try [
                SigningKey.generate(.rs256, keyID: "good"), .generate(.rs256, keyID: "expired"),
                .generate(.rs256, keyID: "early"), .generate(.es256, keyID: "curve"),
            ]
            let ends: [(Int64, Int64)] = [
                (0, 4_102_444_800), (0, 1000), (4_000_000_000, 4_102_444_800), (0, 4_102_444_800),
            ]
            let members = try zip(keys, ends).map { key, time in
                let pem = try key.certificatePEM(commonName: "x", notBefore: time.0, notAfter: time.1)
                return "\"\(key.keyID)\":\(JSON.string(String(decoding: pem, as: UTF8.self)).text)"
            }
            let odd = ["\"text\":\"no certificate\"", "\"empty\":\"\"", "\"number\":1", "\"null\":null"]
            scenario.provider.misbehave(.body("\u{FEFF}{\((odd + members).joined(separator: ","))}"), at: .sessionX509)
            try refresh(scenario)
            let cookie = scenario.provider.sessionCookie(for: .ada)
            let statuses = try keys.map { try scenario.send(.cookie(cookie.signed(by: $0), "/me/x")).status }
            #expect(statuses[0] == 200)
            #expect(statuses[1] == 401 && statuses[3] == 401, "\(statuses)")
            for name in ["text", "empty", "number", "null"] {
                let named = try cookie.settingHeader("kid", to: .string(name)).signed(by: keys[0])
                #expect(try scenario.send(.cookie(named, "/me/x")).status == 401)
            }
            try await scenario.gateway.untilLogged("expired")
        }
    }

    @Test(.tags(.f07, .f08)) func `an outage is reported and ends by itself`() async throws {
        // The source keeps its port, which another process could otherwise use.
        try await Scenario.run(
            waits: false,
            arrange: { provider, _, _ in
                for endpoint in [DevelopmentProvider.Endpoint.idTokenJWKSet, .sessionX509] {
                    provider.misbehave(.drop, at: endpoint)
                }
            }
        ) { scenario in
            let token = try scenario.token()
            let clients = try (0..<3).map { _ in try scenario.client(sending: WireRequest.bearer(token, "/me/x")) }
            for client in clients {
                let response = try client.response()
                expectDenial(response, 503, "auth/keys-unavailable")
                #expect(response["Retry-After"].flatMap { Int($0) }.map { $0 > 0 } == true)
            }
            #expect(try scenario.send(.get("/public/x")).status == 200)
            #expect(try scenario.send(.get("/me/x")).status == 401)
            let readiness = try scenario.gateway.readiness()
            #expect(readiness.status == 503 && readiness.text.contains(scenario.provider.url(.idTokenJWKSet)))
            #expect(try scenario.metric("gatehouse_ready") == 0)
            #expect(try scenario.metric("gatehouse_key_set_fetches_total", containing: "failed") >= 1)
            #expect(try scenario.metric("gatehouse_key_set_age_seconds") == .infinity)
            for endpoint in [DevelopmentProvider.Endpoint.idTokenJWKSet, .sessionX509] {
                scenario.provider.misbehave(nil, at: endpoint)
            }
            try await scenario.gateway.ready()
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
            #expect(try scenario.metric("gatehouse_ready") == 1)
        }
    }

    /// Sets the durations of `identity.keys`.
    private func keys(_ text: String, _ provider: DevelopmentProvider, _ configuration: inout GatewayConfiguration) {
        configuration["identity"] = GatewayConfiguration.identity(
            provider.url(.idTokenJWKSet), provider.url(.sessionX509), keys: text)
    }

    @Test(.tags(.f07)) func `keys are used while their source is unavailable`() async throws {
        try await Scenario.run(
            maxAge: 1, arrange: { keys("{ min_ttl: 100ms, max_ttl: 200ms, stale_for: 1h }", $0, &$2) }
        ) { scenario in
            await scenario.provider.stopListening()
            _ = try await eventually("a failed refresh") {
                scenario.gateway.errors.contains("key set could not be fetched") ? true : nil
            }
            #expect(try scenario.send(.bearer(scenario.token(.alan), "/me/x")).status == 200)
            let unknown = try scenario.token { $0.settingHeader("kid", to: "unknown") }
            expectDenial(try scenario.send(.bearer(unknown, "/me/x")), 503, "auth/keys-unavailable")
        }
    }

    @Test(.tags(.f07)) func `keys that are too old are not used`() async throws {
        try await Scenario.run(
            maxAge: 1, arrange: { keys("{ min_ttl: 100ms, max_ttl: 200ms, stale_for: 500ms }", $0, &$2) }
        ) { scenario in
            let token = try scenario.token()
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
            await scenario.provider.stopListening()
            let denial = try await eventually("a denial") {
                let response = try scenario.send(.bearer(token, "/me/x"))
                return response.status == 200 ? nil : response
            }
            expectDenial(denial, 503, "auth/keys-unavailable")
        }
    }

    /// Checks that need no key apply although the keys are unavailable.
    @Test(.tags(.k16)) func `cheap checks precede the lookup of a key`() async throws {
        try await Scenario.run(waits: false, arrange: { provider, _, _ in await provider.stopListening() }) {
            scenario in
            let rows: [(String, String)] = try [
                (scenario.token { $0.settingHeader("alg", to: "RS512") }, "auth/invalid-id-token"),
                (scenario.token { $0.settingHeader("alg", to: "PS512") }, "auth/invalid-id-token"),
                (scenario.token { $0.setting("iss", to: "x") }, "auth/invalid-id-token"),
                (scenario.token { $0.setting("aud", to: "x") }, "auth/invalid-id-token"),
                (scenario.token { $0.setting("sub", to: "") }, "auth/invalid-id-token"),
                (scenario.token { $0.removingHeader("kid") }, "auth/invalid-id-token"),
                (scenario.token { $0.settingHeader("typ", to: "x") }, "auth/invalid-id-token"),
                (scenario.token() + String(repeating: "A", count: 16_384), "auth/argument-error"),
                (scenario.provider.idToken(for: .ada).unsigned(), "auth/invalid-id-token"),
                (scenario.provider.sign(.customToken(for: .robot, now: unixNow())), "auth/argument-error"),
            ]
            for row in rows { try scenario.expectRefusal(.bearer(row.0, "/me/k16"), 401, row.1) }
            try scenario.expectRefusal(.bearer(scenario.token(), "/me/k16"), 503, "auth/keys-unavailable")
        }
    }
}
