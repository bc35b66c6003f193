import DevelopmentIdentity
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// The server that receives a request, as clients of the built gateway see it.
struct BalanceTests {
    private func run(
        _ settings: @escaping ([String]) -> String, _ body: (Scenario, [EchoUpstream]) async throws -> Void
    ) async throws {
        let echoes = [try await EchoUpstream.startInstructed(), try await EchoUpstream.startInstructed()]
        try await Scenario.run(
            arrange: { _, _, configuration in
                configuration["upstreams"] = "{ api: { \(settings(echoes.map(\.url))) } }"
                configuration.routes = ["path: /public/**, auth: none, upstream: api", "path: /me/**, upstream: api"]
            },
            { try await body($0, echoes) })
        for echo in echoes { await echo.stop() }
    }

    @Test func `weights are respected`() async throws {
        try await run({ "servers: ['\($0[0])', { url: '\($0[1])', weight: 3 }]" }) { scenario, echoes in
            // One connection uses one worker.
            let client = try scenario.connect()
            for number in 0..<80 { #expect(try client.exchange(.get("/public/\(number)")).status == 200) }
            #expect(echoes.map(\.requestCount) == [20, 60])
        }
    }

    @Test func `a user keeps the same server`() async throws {
        try await run({ "servers: ['\($0[0])', '\($0[1])'], balance: hash, hash_on: uid" }) { scenario, echoes in
            var owners: [Int] = []
            for user in 0..<16 {
                let token = try scenario.token(.named("user-\(user)"))
                let before = echoes.map(\.requestCount)
                // Each request has a new connection, so that any worker can serve it.
                for number in 0..<4 { _ = try scenario.passes(.bearer(token, "/me/\(number)")) }
                let counts = zip(echoes, before).map { $0.requestCount - $1 }
                #expect(counts.sorted() == [0, 4], "\(user)")
                owners.append(counts[0] == 4 ? 0 : 1)
            }
            #expect(Set(owners) == [0, 1])
        }
    }

    @Test func `an untrusted certificate is 502 and logged`() async throws {
        guard TLSServer.openssl != nil else { return }
        let server = try await TLSServer(.selfSigned, serving: ["up": "up"])
        try await run({ _ in "servers: ['https://127.0.0.1:\(server.port)']" }) { scenario, _ in
            expectDenial(try scenario.send(.get("/public/x")), 502, "upstream/unreachable")
            _ = try await eventually("the log's line") {
                scenario.gateway.output.contains("tls: the certificate is not trusted") ? true : nil
            }
        }
    }
}
