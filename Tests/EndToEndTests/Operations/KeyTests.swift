import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// The keys that tokens are verified with come, go, and may be out of reach.
struct KeyTests {
    private func status(_ scenario: Scenario, _ request: WireRequest) throws -> Int {
        try scenario.send(request).status
    }

    /// Shortens the times of `identity.keys`.
    private func keys(_ text: String, _ provider: DevelopmentProvider, _ configuration: inout GatewayConfiguration) {
        configuration["identity"] = GatewayConfiguration.identity(
            provider.url(.idTokenJWKSet), provider.url(.sessionX509), keys: text)
    }

    @Test func f08aKeysOutOfReachAtStartCostOnlyWhatNeedsThem() async throws {
        try await Scenario.run(waits: false, arrange: { provider, _, _ in await provider.stopListening() }) {
            scenario in
            #expect(try status(scenario, .get("/public/x")) == 200)
            #expect(try status(scenario, .get("/me/x")) == 401)
            expectDenial(
                try scenario.send(.bearer(scenario.token(), "/me/x")), 503, "auth/keys-unavailable")
        }
    }

    @Test func f08bReadinessTellsWhatIsMissingAndRecoversByItself() async throws {
        try await Scenario.run(waits: false, arrange: { provider, _, _ in await provider.stopListening() }) {
            scenario in
            let before = try scenario.gateway.readiness()
            #expect(before.status == 503)
            #expect(before.text.contains(scenario.provider.url(.idTokenJWKSet)), "\(before.text)")
            try await scenario.provider.resumeListening()
            try await scenario.gateway.ready()
            #expect(try status(scenario, .bearer(scenario.token(), "/me/x")) == 200)
        }
    }

    @Test func aRequestThatComesBeforeTheKeysWaitsForThem() async throws {
        let gate = Gate()
        try await Scenario.run(
            waits: false, arrange: { provider, _, _ in provider.misbehave(.held(gate), at: .idTokenJWKSet) }
        ) { scenario in
            let client = try RawClient(port: scenario.gateway.port)
            try client.send(WireRequest.bearer(scenario.token(), "/me/early").bytes)
            await scenario.provider.waitForCalls(1, to: .idTokenJWKSet)
            gate.open()
            #expect(try client.response().status == 200)
        }
    }

    @Test func f06TheFirstTokenOfANewKeyPassesWithOneFetch() async throws {
        try await Scenario.run { scenario in
            let calls = scenario.provider.calls(to: .idTokenJWKSet)
            try scenario.provider.rotate(.idToken)
            let requests = try (0..<8).map { _ in
                let client = try RawClient(port: scenario.gateway.port)
                try client.send(WireRequest.bearer(scenario.token(), "/me/rotated").bytes)
                return client
            }
            for client in requests { #expect(try client.response().status == 200) }
            #expect(scenario.provider.calls(to: .idTokenJWKSet) == calls + 1)
        }
    }

    @Test func f01RandomKeyIDsCauseOneFetchACoolDown() async throws {
        try await Scenario.run { scenario in
            let calls = scenario.provider.calls(to: .idTokenJWKSet)
            let client = try RawClient(port: scenario.gateway.port)
            let good = try scenario.token()
            for number in 0..<200 {
                let token = try scenario.token { $0.settingHeader("kid", to: .string("random-\(number)")) }
                expectDenial(try client.exchange(.bearer(token, "/me/f01")), 401, "auth/invalid-id-token")
                if number % 50 == 0 { #expect(try client.exchange(.bearer(good, "/me/f01")).status == 200) }
            }
            #expect(scenario.provider.calls(to: .idTokenJWKSet) <= calls + 1)
        }
    }

    @Test func f07KeysThatWereReadOutliveTheirSource() async throws {
        try await Scenario.run(
            maxAge: 1, arrange: { keys("{ min_ttl: 100ms, max_ttl: 200ms, stale_for: 1h }", $0, &$2) }
        ) { scenario in
            await scenario.provider.stopListening()
            _ = try await eventually("a failed refresh") {
                scenario.gateway.errors.contains("key set could not be read") ? true : nil
            }
            #expect(try status(scenario, .bearer(scenario.token(.alan), "/me/x")) == 200)
            expectDenial(
                try scenario.send(.bearer(scenario.token { $0.settingHeader("kid", to: "unknown") }, "/me/x")), 503,
                "auth/keys-unavailable")
        }
    }

    @Test func f07KeysThatAreTooOldAreNoKeys() async throws {
        try await Scenario.run(
            maxAge: 1, arrange: { keys("{ min_ttl: 100ms, max_ttl: 200ms, stale_for: 500ms }", $0, &$2) }
        ) { scenario in
            let token = try scenario.token()
            #expect(try status(scenario, .bearer(token, "/me/x")) == 200)
            await scenario.provider.stopListening()
            let denial = try await eventually("a refusal") {
                let response = try scenario.send(.bearer(token, "/me/x"))
                return response.status == 200 ? nil : response
            }
            expectDenial(denial, 503, "auth/keys-unavailable")
        }
    }

    @Test func f11AKeyThatIsGoneIsGoneForCachedTokensToo() async throws {
        try await Scenario.run { scenario in
            let token = try scenario.token()
            #expect(try status(scenario, .bearer(token, "/me/x")) == 200)
            let old = try #require(keyIdentifier(of: token))
            try scenario.provider.rotate(.idToken)
            scenario.provider.updateKeys { $0.remove(keyID: old, for: .idToken) }
            let refreshed = try scenario.admin("POST", "/v1/keys/refresh")
            #expect(refreshed.status == 200 && !refreshed.text.contains(old), "\(refreshed.text)")
            expectDenial(try scenario.send(.bearer(token, "/me/x")), 401, "auth/invalid-id-token")
            #expect(try status(scenario, .bearer(scenario.token(), "/me/x")) == 200)
        }
    }

    @Test(arguments: [
        Misbehaviour.html, .noKeys, .truncatedJSON, .oversized(), .status(503, body: "{\"keys\":[]}"), .drop, .reset,
        .wrongContentLength(by: 100), .redirect(to: "http://127.0.0.1:1/"),
    ])
    func f18f19ABadAnswerNeverReplacesAGoodSet(misbehaviour: Misbehaviour) async throws {
        try await Scenario.run { scenario in
            scenario.provider.misbehave(misbehaviour, at: .idTokenJWKSet)
            try scenario.admin("POST", "/v1/keys/refresh")
            #expect(try status(scenario, .bearer(scenario.token(), "/me/x")) == 200)
        }
    }
}
