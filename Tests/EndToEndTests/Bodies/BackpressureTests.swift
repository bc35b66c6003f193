import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

@testable import SystemFixtures

/// A peer that does not read delays only its own request, and does not increase the memory usage.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "reads /proc"))
struct BackpressureEndToEndTests {
    /// The permitted growth of the gateway's memory. It does not include the kernel's buffers.
    private static let allowance = Allowance.memory(kilobytes: 24_000)

    @Test func `a client that does not read delays only its own response`() async throws {
        try await Scenario.run { scenario in
            _ = try scenario.send(.get("/public/warm?bytes=1000000"))
            let before = try scenario.gateway.residentKilobytes()
            let client = try scenario.client(sending: WireRequest.get("/public/long?bytes=300000000"))
            try await Task.sleep(for: .milliseconds(700))
            #expect(try scenario.gateway.residentKilobytes() - before < Self.allowance)
            #expect(try scenario.send(.get("/public/other")).status == 200)
            withExtendedLifetime(client) {}
        }
    }

    @Test func `an upstream that does not read delays only its own request`() async throws {
        try await Scenario.run { scenario in
            _ = try scenario.send(.post("/public/warm", body: BodyPattern.bytes(1_000_000)))
            let before = try scenario.gateway.residentKilobytes()
            let client = try RawClient(port: scenario.gateway.port, timeout: 1)
            try client.send("POST /public/long?unread=never HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
            let part = BodyPattern.bytes(1_000_000)
            #expect(throws: RawClient.Failure.self) { for _ in 0..<100 { try client.send(part) } }
            #expect(try scenario.gateway.residentKilobytes() - before < Self.allowance)
            #expect(try scenario.send(.get("/public/other")).status == 200)
        }
    }
}
