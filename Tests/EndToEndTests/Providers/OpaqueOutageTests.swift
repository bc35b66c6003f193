import DevelopmentIdentity
import IdentityFixtures
import Testing

/// An unavailable endpoint: 503 for requests that need it, few calls, and a prompt recovery.
@Suite(.serialized, .everyProvider) struct OpaqueOutageTests: SharedScenarioSuite {
    struct Outage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let misbehaviour: Misbehaviour
        /// Whether the failure concerns only one token, so that lookups of other tokens continue.
        var concernsOne = false

        init(_ what: String, _ misbehaviour: Misbehaviour, concernsOne: Bool = false) {
            testDescription = what
            self.misbehaviour = misbehaviour
            self.concernsOne = concernsOne
        }
    }

    /// The rows represent each kind. `OpaqueFailureTests` has every status and body.
    static let outages: [Outage] = [
        Outage("401", .status(401, body: "{\"error\":\"invalid_client\"}")), Outage("500", .status(500)),
        Outage("429 for 2 s", .status(429, fields: ["Retry-After": "2"])), Outage("no response", .hang),
        Outage("too slow", .drip(interval: .milliseconds(50))), Outage("dropped", .drop),
        Outage("no HTTP", .raw("garbage\r\n\r\n")), Outage("no end", .endless), Outage("1 MB of gzip", .gzipBomb()),
        Outage("HTML", .html, concernsOne: true), Outage("gzip", .gzipBomb(bytes: 10_000), concernsOne: true),
        Outage("404", .status(404), concernsOne: true),
    ]

    @Test(arguments: outages)
    func `G-13: an outage is 503, costs few calls and ends`(_ outage: Outage) async throws {
        let provider = scenario.provider
        let known = try scenario.opaque(.grace)
        try await scenario.untilKnown(known, "/legacy/known")
        let token = try scenario.opaque()
        let calls = provider.calls(to: .introspection)
        provider.misbehave(outage.misbehaviour, at: .introspection)
        let began = ContinuousClock.now
        for _ in 0..<20 {
            let (response, count) = try scenario.forwarded { try scenario.send(.bearer(token.text, "/legacy/x")) }
            expectDenial(response, 503, "auth/introspection-unavailable")
            #expect(count == 0 && (1...60).contains(response["Retry-After"].flatMap { Int($0) } ?? 0))
        }
        // One call per second, possibly with one retry each.
        let seconds = Int(began.duration(to: .now) / .seconds(1)) + 1
        #expect(provider.calls(to: .introspection) - calls <= 2 * seconds + 1)
        // Cached tokens and tokens without a lookup pass.
        #expect(try scenario.send(.bearer(known.text, "/legacy/known")).status == 200)
        #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
        provider.misbehave(nil, at: .introspection)
        if outage.concernsOne {
            try await scenario.untilKnown(scenario.opaque(), "/legacy/other")
        }
        try await scenario.untilKnown(token, "/legacy/x")
    }

    @Test func `G-13: Retry-After is respected and forwarded`() async throws {
        let provider = scenario.provider
        let token = try scenario.opaque()
        let calls = provider.calls(to: .introspection)
        provider.misbehave(.status(429, fields: ["Retry-After": "3"]), at: .introspection, times: 1)
        let began = ContinuousClock.now
        let response = try scenario.send(.bearer(token.text, "/legacy/x"))
        expectDenial(response, 503, "auth/introspection-unavailable")
        // Without it, the value would be 1. Part of the 2 s can be over.
        #expect(["2", "3"].contains(response["Retry-After"]))
        try await scenario.untilKnown(token, "/legacy/x")
        #expect(began.duration(to: .now) >= .seconds(2.9) && provider.calls(to: .introspection) == calls + 2)
    }

    /// A redirect would send the token and the secret to another host.
    @Test(arguments: [301, 302, 307, 308])
    func `G-13: no redirect is followed`(_ status: Int) async throws {
        let token = try scenario.opaque()
        let calls = scenario.provider.calls(to: .introspection)
        scenario.provider.misbehave(.redirect(to: scenario.echo.url + "/stolen", status: status), at: .introspection)
        try scenario.expectRefusal(.bearer(token.text, "/legacy/x"), 503, "auth/introspection-unavailable")
        scenario.provider.misbehave(nil, at: .introspection)
        #expect(scenario.provider.calls(to: .introspection) == calls + 1)
        try await scenario.untilKnown(token, "/legacy/x")
    }

    @Test(arguments: [
        "{}", "{\"active\":\"true\",\"sub\":\"ada\",\"aud\":\"gatehouse\"}", "{\"sub\":\"ada\",\"aud\":\"gatehouse\"}",
    ])
    func `G-13: a response that does not report the token as active is 401`(body: String) throws {
        let token = try scenario.opaque()
        scenario.provider.misbehave(.body(body), at: .introspection, times: 1)
        let (response, count) = try scenario.forwarded { try scenario.send(.bearer(token.text, "/legacy/x")) }
        expectDenial(response, 401, "auth/invalid-id-token")
        #expect(count == 0)
    }

    static let endpoints: [(DevelopmentProvider.Endpoint, String, OpaqueToken.Kind)] = [
        (.gitHubTokenCheck, "/github/x", .gitHub), (.facebookDebugToken, "/facebook/x", .facebook),
    ]

    @Test(arguments: [
        Misbehaviour.status(500), .status(401), .status(403), .status(429, fields: ["Retry-After": "1"]), .drop, .html,
        .body("{}"), .body("{\"data\":{\"is_valid\":\"true\"}}"),
    ])
    func `G-13: an outage of GitHub or Facebook is 503`(_ misbehaviour: Misbehaviour) async throws {
        let provider = scenario.provider
        for (endpoint, target, kind) in Self.endpoints {
            let token: OpaqueToken =
                kind == .gitHub ? .gitHub(for: .linus, now: provider.now) : .facebook(for: .dennis, now: provider.now)
            try provider.add(token)
            provider.misbehave(misbehaviour, at: endpoint)
            try scenario.expectRefusal(
                .bearer(token.text, target), 503, "auth/introspection-unavailable", "\(endpoint)")
            provider.misbehave(nil, at: endpoint)
            try await scenario.untilKnown(token, target)
        }
    }

    @Test func `G-13: many tokens in an outage cost one call at a time`() async throws {
        let provider = scenario.provider
        provider.misbehave(.status(500), at: .introspection)
        // The first failure is known when the other requests arrive.
        try scenario.expectRefusal(
            .bearer(scenario.opaque().text, "/legacy/x"), 503, "auth/introspection-unavailable")
        let calls = provider.calls(to: .introspection)
        let began = ContinuousClock.now
        let clients = try (0..<100).map { _ in
            try scenario.client(sending: WireRequest.bearer(scenario.opaque().text, "/legacy/x"))
        }
        for client in clients { expectDenial(try client.response(), 503, "auth/introspection-unavailable") }
        let seconds = Int(began.duration(to: .now) / .seconds(1)) + 1
        #expect(provider.calls(to: .introspection) - calls <= seconds)
        provider.misbehave(nil, at: .introspection)
        let token = try scenario.opaque()
        try await scenario.untilKnown(token, "/legacy/x")
    }
}
