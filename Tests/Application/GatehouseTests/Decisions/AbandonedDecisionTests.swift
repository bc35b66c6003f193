import GatewayCore
import RequestPipeline
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// Proxies and services that disconnect before their decision.
@Suite struct AbandonedDecisionTests {
    private static let token = TokenDraft.idToken().signed()

    @Test func `J-07: a proxy that disconnects ends its decision and affects no other`() throws {
        let asked =
            "GET /authz/forward HTTP/1.1\r\nHost: a\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /private/a\r\n"
            + "X-Forwarded-Host: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 192.0.2.7\r\n"
            + "Authorization: Bearer \(Self.token)\r\n\r\n"
        let body = "[{\"url\":\"https://a/private/a\",\"token\":\"\(Self.token)\"}]"
        let list =
            "POST /decide HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let rig = try RequestPathRig(decides: true)
        let one = try rig.send(asked)
        try rig.until { $0.pending.count == 1 }
        let listed = try rig.send(list)
        let other = try rig.send(asked)
        try rig.until { $0.pending.count == 3 }
        one.reset()
        listed.reset()
        try rig.until { $0.pending.count == 1 }
        try rig.installKeys()
        #expect(try other.readMessage().values("X-Auth-Uid") == ["user-1"])
        let counts = try rig.onWorker { $0.counters.snapshot() }
        #expect(counts.requests(.clientClosed) == 2 && counts.requests(.ok) == 1)
    }
}
