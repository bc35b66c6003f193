import DevelopmentIdentity
import Testing

/// More clients than `limits.connections`.
struct ConnectionLimitTests {
    @Test func oneMoreIsClosedAndAPlaceThatIsGivenBackIsFree() async throws {
        try await Scenario.run(arrange: { $2["limits"] = "{ connections: 4 }" }) { scenario in
            var held: [RawClient] = []
            for _ in 0..<4 {
                let client = try RawClient(port: scenario.gateway.port)
                #expect(try client.exchange(.get("/public/x")).status == 200)
                held.append(client)
            }
            let extra = try RawClient(port: scenario.gateway.port)
            #expect(throws: (any Error).self) { try extra.exchange(.get("/public/x")) }
            #expect(try held[0].exchange(.get("/public/x")).status == 200)
            held.removeLast()
            _ = try await eventually("a free place") {
                (try? scenario.send(.get("/public/x")))?.status == 200 ? true : nil
            }
        }
    }
}
