import DevelopmentIdentity
import Foundation
import Synchronization
import Testing

@testable import SystemFixtures

/// Connections with many requests at once do not delay other connections.
struct FairTurnTests {
    /// Writes the same text repeatedly and discards the responses, on separate threads, until the end of the test.
    private final class Pressure: Sendable {
        private let isDone = Mutex(false)

        init(_ count: Int, port: Int, _ text: String) throws {
            for _ in 0..<count {
                let client = try RawClient(port: port)
                nonisolated(unsafe) let (writer, reader) = (client, client)
                let bytes = Array(text.utf8)
                Thread.detachNewThread { while !self.isDone.withLock({ $0 }), (try? writer.send(bytes)) != nil {} }
                Thread.detachNewThread { while !self.isDone.withLock({ $0 }), reader.discard() {} }
            }
        }

        func stop() { isDone.withLock { $0 = true } }
    }

    @Test func `K-16: a series of denied requests does not delay other connections`() async throws {
        try await Scenario.run(arrange: { $2["workers"] = "1" }) { scenario in
            let requests = "gatehouse_requests_total"
            let ordinary = try scenario.connect()
            #expect(try ordinary.exchange(.get("/public/x")).status == 200)
            let refused = String(repeating: "GET /me/x HTTP/1.1\r\nHost: a\r\n\r\n", count: 4000)
            let pressure = try Pressure(2, port: scenario.gateway.port, refused)
            defer { pressure.stop() }
            _ = try await eventually("denials") { try scenario.gateway.metric(requests) > 100 ? true : nil }
            let before = try scenario.gateway.metric(requests)
            #expect(try ordinary.exchange(.get("/public/x")).status == 200)
            // A single read returns thousands of requests.
            #expect(try scenario.gateway.metric(requests) - before < 3000)
        }
    }
}
