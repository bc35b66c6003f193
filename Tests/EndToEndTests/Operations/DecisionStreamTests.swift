import DevelopmentIdentity
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Streams of decisions from the built binary.
struct DecisionStreamTests {
    /// A stream that a viewer reads.
    private final class Viewer {
        private let client: RawClient
        private var text = ""

        init(_ scenario: Scenario, _ query: String = "", receiveBuffer: Int32? = nil) throws {
            client = try RawClient(port: scenario.gateway.adminPort, receiveBuffer: receiveBuffer)
            var request = WireRequest(target: "/v1/decisions?\(query)", host: "localhost")
            request.fields.append("Authorization: Bearer \(GatewayConfiguration.adminToken)")
            try client.send(request.bytes)
            let head = String(decoding: try client.readHead(), as: UTF8.self)
            guard head.hasPrefix("HTTP/1.1 200 ") else { throw Impatience(head) }
        }

        /// Reads events until one of them contains a text, and returns everything that was read.
        func read(until end: String) throws -> String {
            while !text.contains(end) {
                let part = try client.readSome()
                guard !part.isEmpty else { throw Impatience("the stream ended after \(text.suffix(300))") }
                text += String(decoding: part, as: UTF8.self)
            }
            return text
        }

        func readToEnd() throws -> String {
            text += String(decoding: try client.readToEnd(), as: UTF8.self)
            return text
        }
    }

    private func unauthorized(_ scenario: Scenario, times: Int = 1, _ target: String = "/me/x?secret=1") throws {
        for _ in 0..<times { #expect(try scenario.send(.get(target)).status == 401) }
    }

    @Test func `a viewer sees matching decisions under load, and none with personal data`() async throws {
        try await Scenario.run { scenario in
            let viewer = try Viewer(scenario, "code=denied&rate=200")
            _ = try viewer.read(until: "event: open")
            let load = try Load(connections: 4, requests: 100, of: scenario).start()
            try unauthorized(scenario)
            let counts = await load.value
            #expect(counts.passed == 400)
            let text = try viewer.read(until: "auth/missing-credential")
            #expect(text.matches(of: /event: decision/).count == 1)
            #expect(text.contains(#""name":"credential","mark":"failed""#))
            for secret in ["secret=1", "/me/x", "127.0.0.1", "user-1"] { #expect(!text.contains(secret), "\(secret)") }
            #expect(try scenario.metric("gatehouse_decision_viewers") == 1)
        }
    }

    @Test func `a decision that waited for the sign-in record has each step once`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(store: redis.store) { fleet in
            let viewer = try Viewer(fleet.first)
            _ = try viewer.read(until: "event: open")
            let token = try fleet.first.token { $0.signedIn(at: unixNow() - 3000) }
            #expect(try fleet.first.send(.bearer(token, "/recent/x")).status == 401)
            let text = try viewer.read(until: "more than 300 s ago")
            #expect(text.matches(of: /"name":"revocation"/).count == 1, "\(text)")
        }
    }

    @Test func `an unmasked stream shows uid, path and address, and is audited`() async throws {
        try await Scenario.run { scenario in
            let viewer = try Viewer(scenario, "unmask=true&uid=ada")
            _ = try viewer.read(until: "event: open")
            _ = try scenario.passes(.bearer(scenario.token(), "/me/notes?secret=1"))
            let text = try viewer.read(until: #""uid":"ada""#)
            #expect(text.contains(#""path":"/me/notes""#) && text.contains(#""client":"127.0.0.1""#))
            #expect(text.contains(#""name":"verified","mark":"passed""#) && !text.contains("secret"))
            try await scenario.gateway.untilLogged("unmask_decisions")
            #expect(scenario.gateway.errors.contains("uid=ada"))
        }
    }

    @Test func `a viewer that reads nothing delays no request, and missing events are reported`()
        async throws
    {
        try await Scenario.run { scenario in
            let slow = try Viewer(scenario, "rate=200&unmask=true", receiveBuffer: 1024)
            let paced = try Viewer(scenario, "rate=1")
            let load = try Load(connections: 4, requests: 100, of: scenario).start()
            #expect(await load.value.passed == 400)
            #expect(try paced.read(until: "event: skipped").contains("event: decision"))
            let sampled = try scenario.metric("gatehouse_decision_events_total", containing: "result=\"sampled\"")
            #expect(sampled > 0)
            withExtendedLifetime(slow) {}
        }
    }

    @Test func `one more than the maximum number of viewers is 503 until one leaves`() async throws {
        try await Scenario.run { scenario in
            var viewers = try (0..<16).map { _ in try Viewer(scenario) }
            let refused = try scenario.admin("GET", "/v1/decisions")
            #expect(refused.status == 503 && refused.text.contains("gateway/unavailable"))
            viewers.removeLast()
            _ = try await eventually("room for a viewer") { try? Viewer(scenario) }
        }
    }

    @Test func `streams outlive a reload and end at the shutdown`() async throws {
        try await Scenario.run { scenario in
            let viewer = try Viewer(scenario)
            #expect(try scenario.admin("POST", "/v1/reload").status == 200)
            _ = try viewer.read(until: "event: configuration\ndata: {\"generation\":2}")
            scenario.gateway.signal(15)
            #expect(try viewer.readToEnd().contains("event: end\ndata: {\"reason\":\"shutdown\"}"))
            #expect(await scenario.gateway.exitCode() == 0)
        }
    }

    @Test func `a stream ends after its seconds`() async throws {
        try await Scenario.run { scenario in
            let viewer = try Viewer(scenario, "seconds=1")
            #expect(try viewer.readToEnd().contains(#"{"reason":"expired"}"#))
        }
    }
}

/// The other documents for an operators' page, from the built binary.
@Suite(.sharedScenario) struct ConsoleDocumentTests: SharedScenarioSuite {
    private func document(_ target: String) throws -> JSON? { JSON(parsing: try scenario.admin("GET", target).body) }

    @Test func `the configuration has its hash and no secret`() throws {
        let response = try scenario.admin("GET", "/v1/configuration")
        #expect(JSON(parsing: response.body)?["hash"]?.stringValue?.count == 64)
        #expect(!response.text.contains(GatewayConfiguration.adminToken))
    }

    @Test func `the history begins empty`() throws {
        #expect(try document("/v1/history")?["interval"] == 10)
        #expect(try scenario.admin("GET", "/v1/history?since=x").status == 400)
    }

    @Test func `the gateway is alone without a shared store`() throws {
        let fleet = try document("/v1/fleet")
        #expect(fleet?["shared"] == .bool(false) && fleet?.list("gateways").count == 1)
    }

    @Test func `the denials of a user are remembered`() throws {
        let token = try scenario.token(.named("old-sign-in")) { $0.signedIn(at: unixNow() - 3_000) }
        #expect(try scenario.send(.bearer(token, "/recent/x")).status == 401)
        let activity = try document("/v1/users/old-sign-in/activity")
        #expect(activity?.list("denials").first?["code"] == "auth/requires-recent-login")
        #expect(activity?.list("denials").first?["route"] == "/recent/**")
    }
}

/// Gateways that share a Redis.
struct FleetListTests {
    @Test func `each gateway lists both`() async throws {
        let redis = try await RedisServer()
        try await Fleet.run(2, store: redis.store) { fleet in
            for scenario in fleet.gateways {
                let list = try await eventually("two gateways") { () -> JSON? in
                    let list = JSON(parsing: try scenario.admin("GET", "/v1/fleet").body)
                    return list?.list("gateways").count == 2 ? list : nil
                }
                #expect(list["shared"] == .bool(true) && list["trouble"] == .null)
                #expect(list.list("gateways").map { $0["self"] } == [.bool(true), .bool(false)])
                #expect(Set(list.list("gateways").compactMap { $0["configuration"]?.stringValue }).count == 1)
            }
        }
    }
}
