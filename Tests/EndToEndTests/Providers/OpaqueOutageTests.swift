import DevelopmentIdentity
import IdentityFixtures
import Testing

/// An endpoint that does not tell: 503 for those who need it, few calls, and an end when it is over.
@Suite(.serialized, .everyProvider) struct OpaqueOutageTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    struct Outage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let misbehaviour: Misbehaviour
        /// Whether only the one token is concerned, so that others are asked about meanwhile.
        var concernsOne = false

        init(_ what: String, _ misbehaviour: Misbehaviour, concernsOne: Bool = false) {
            testDescription = what
            self.misbehaviour = misbehaviour
            self.concernsOne = concernsOne
        }
    }

    static let outages: [Outage] = [
        Outage("401", .status(401, body: "{\"error\":\"invalid_client\"}")), Outage("403", .status(403)),
        Outage("429", .status(429)), Outage("429 for 2 s", .status(429, fields: ["Retry-After": "2"])),
        Outage("500", .status(500)), Outage("502", .status(502)),
        Outage("503 for 2 s", .status(503, fields: ["Retry-After": "2"])),
        Outage("no answer", .hang), Outage("too slow an answer", .drip(interval: .milliseconds(50))),
        Outage("dropped", .drop), Outage("reset", .reset), Outage("no HTTP", .raw("garbage\r\n\r\n")),
        Outage("an answer that breaks off", .wrongContentLength(by: 10)), Outage("10 MiB", .oversized()),
        Outage("an answer without end", .endless), Outage("1 MB of gzip", .gzipBomb()),
        Outage("HTML", .html, concernsOne: true),
        Outage("half of the JSON", .truncatedJSON, concernsOne: true),
        Outage("a list", .body("[]"), concernsOne: true),
        Outage("gzip", .gzipBomb(bytes: 10_000), concernsOne: true),
        Outage("404", .status(404), concernsOne: true),
    ]

    @Test(arguments: outages)
    func g13AnOutageIs503CostsFewCallsAndEnds(_ outage: Outage) async throws {
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
        // One a second, and perhaps a second try of each.
        let seconds = Int(began.duration(to: .now) / .seconds(1)) + 1
        #expect(provider.calls(to: .introspection) - calls <= 2 * seconds + 1)
        // Who was known, and who needs no endpoint, passes.
        #expect(try scenario.send(.bearer(known.text, "/legacy/known")).status == 200)
        #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
        provider.misbehave(nil, at: .introspection)
        if outage.concernsOne {
            try await scenario.untilKnown(scenario.opaque(), "/legacy/other")
        }
        try await scenario.untilKnown(token, "/legacy/x")
    }

    @Test func g13RetryAfterIsHonouredAndHandedOn() async throws {
        let provider = scenario.provider
        let token = try scenario.opaque()
        let calls = provider.calls(to: .introspection)
        provider.misbehave(.status(429, fields: ["Retry-After": "3"]), at: .introspection, times: 1)
        let began = ContinuousClock.now
        let response = try scenario.send(.bearer(token.text, "/legacy/x"))
        expectDenial(response, 503, "auth/introspection-unavailable")
        // Without it, it would be 1. A part of the time may be over.
        #expect(["2", "3"].contains(response["Retry-After"]))
        try await scenario.untilKnown(token, "/legacy/x")
        #expect(began.duration(to: .now) >= .seconds(2.9) && provider.calls(to: .introspection) == calls + 2)
    }

    /// A redirect would take token and secret to another party.
    @Test(arguments: [301, 302, 307, 308])
    func g13NoRedirectIsFollowed(_ status: Int) async throws {
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
    func `G-13: an answer that does not say that the token is active is 401`(body: String) throws {
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
    func g13TheSameHoldsOfGitHubAndFacebook(_ misbehaviour: Misbehaviour) async throws {
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

    @Test func g13ManyTokensInAnOutageCostOneCallAtATime() async throws {
        let provider = scenario.provider
        provider.misbehave(.status(500), at: .introspection)
        // The first failure is known when the others come.
        try scenario.expectRefusal(
            .bearer(scenario.opaque().text, "/legacy/x"), 503, "auth/introspection-unavailable")
        let calls = provider.calls(to: .introspection)
        let began = ContinuousClock.now
        let clients = try (0..<100).map { _ in
            let client = try RawClient(port: scenario.gateway.port)
            try client.send(WireRequest.bearer(scenario.opaque().text, "/legacy/x").bytes)
            return client
        }
        for client in clients { expectDenial(try client.response(), 503, "auth/introspection-unavailable") }
        let seconds = Int(began.duration(to: .now) / .seconds(1)) + 1
        #expect(provider.calls(to: .introspection) - calls <= seconds)
        provider.misbehave(nil, at: .introspection)
        let token = try scenario.opaque()
        try await scenario.untilKnown(token, "/legacy/x")
    }
}
