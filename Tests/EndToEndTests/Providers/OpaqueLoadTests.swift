import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// Many requests with different opaque tokens, or with the same one, at the same time.
struct OpaqueLoadTests {
    /// Sends a request for each token at the same time, without waiting for responses.
    private func start(_ tokens: [String], _ scenario: Scenario) throws -> [RawClient] {
        try tokens.map { token in try scenario.client(sending: WireRequest.bearer(token, "/me/load")) }
    }

    private func waiting(_ scenario: Scenario) throws -> Double {
        try scenario.metric("gatehouse_introspection_waiting")
    }

    @Test func `G-13: many requests with one token cause one lookup on all workers`() async throws {
        try await Scenario.introspecting("timeout: 5s") { scenario in
            let gate = Gate()
            let token = try scenario.opaque()
            scenario.provider.misbehave(.held(gate), at: .introspection)
            let clients = try start(Array(repeating: token.text, count: 32), scenario)
            await scenario.provider.waitForCalls(1, to: .introspection)
            _ = try await eventually("all requests") {
                try scenario.metric("gatehouse_requests_in_flight") == 32 ? true : nil
            }
            gate.open()
            for client in clients {
                #expect(EchoReport(try client.response())?.values("X-Auth-Uid") == ["oauth.legacy:ada"])
            }
            #expect(scenario.provider.calls(to: .introspection) == 1)
        }
    }

    @Test func `G-08: the configured concurrency bounds the calls`() async throws {
        try await Scenario.introspecting("timeout: 5s, concurrency: 4, rate: 10000") { scenario in
            let gate = Gate()
            scenario.provider.misbehave(.held(gate), at: .introspection)
            let clients = try start((0..<40).map { "unknown-\($0)-0123456789abcdef" }, scenario)
            _ = try await eventually("the waiting lookups") { try waiting(scenario) == 36 ? true : nil }
            await scenario.provider.waitForCalls(4, to: .introspection)
            #expect(try scenario.metric("gatehouse_introspection_running") == 4)
            #expect(scenario.provider.calls(to: .introspection) == 4 && gate.waiting == 4)
            // A request without a lookup does not wait.
            #expect(try scenario.send(.bearer(scenario.token(), "/me/x")).status == 200)
            gate.open()
            for client in clients { expectDenial(try client.response(), 401, "auth/invalid-id-token") }
            #expect(scenario.provider.calls(to: .introspection) == 40)
        }
    }

    @Test func `G-08: a flood of unknown tokens is bounded by the rate and affects no other user`() async throws {
        try await Scenario.introspecting("timeout: 5s, rate: 20, concurrency: 4, cache_for: 10m, cache_refused_for: 5m")
        {
            scenario in
            let known = try scenario.opaque(.grace)
            try await scenario.untilKnown(known)
            let tokens = (0..<300).map { "flood-\($0)-0123456789abcdef" }
            let began = ContinuousClock.now
            let statuses = try await scenario.unharmed {
                let clients = try start(tokens, scenario)
                for _ in 0..<20 { #expect(try scenario.send(.bearer(known.text, "/me/known")).status == 200) }
                return try clients.map { try $0.response().status }
            }
            let seconds = Double((began.duration(to: .now) / .milliseconds(1)).rounded(.up)) / 1000
            let calls = scenario.provider.calls(to: .introspection)
            // The calls of one second can start at once. The known token was looked up earlier.
            #expect(Double(calls) <= 20 * (seconds + 1) + 1, "\(calls) calls in \(seconds) s")
            #expect(Set(statuses).isSubset(of: [401, 503]))
            let refused = zip(tokens, statuses).filter { $0.1 == 401 }.map(\.0)
            // A request can time out although its lookup completes and is cached.
            #expect(refused.count <= calls - 1 && refused.count >= 20)
            // A denied token is not looked up again within `cache_refused_for`.
            for token in refused.prefix(50) {
                try scenario.expectRefusal(.bearer(token, "/me/again"), 401, "auth/invalid-id-token")
            }
            #expect(scenario.provider.calls(to: .introspection) == calls)
            // A later request is permitted.
            let next = try scenario.opaque(.alan)
            let report = try await eventually("the next") {
                EchoReport(try scenario.send(.bearer(next.text, "/me/next")))
            }
            #expect(report["X-Auth-Uid"] == "oauth.legacy:alan")
        }
    }
}
