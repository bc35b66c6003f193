import DevelopmentIdentity
import Foundation
import Testing

/// Event streams through the built gateway.
@Suite(.sharedScenario) struct EventStreamTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    @Test func eachEventIsPassedOnWithoutWaitingForTheNext() throws {
        let client = try RawClient(port: scenario.gateway.port)
        try client.send(WireRequest.bearer(try scenario.token(), "/me/events?count=20&every=20").bytes)
        _ = try client.readHead()
        var text = ""
        var late: [Int64] = []
        while !text.hasSuffix("0\r\n\r\n") {
            let part = String(decoding: try client.readSome(), as: UTF8.self)
            let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
            try #require(!part.isEmpty)
            for match in part.matches(of: /"at":([0-9]+)/) { late.append(now - (Int64(match.1) ?? 0)) }
            text += part
        }
        #expect(late.count == 20)
        // They come 20 ms apart; the machine may be busy, but nobody waits for the next one.
        #expect(late.sorted()[10] < Int64(20_000 * Allowance.factor))
    }

    @Test func h06AnEventStreamEndsUnfinishedOnceItsUserIsRevoked() throws {
        let client = try RawClient(port: scenario.gateway.port)
        let token = try scenario.token(.named("streamer")) { $0.signedIn(at: unixNow() - 100) }
        try client.send(WireRequest.bearer(token, "/me/events?count=0&every=50").bytes)
        _ = try client.readHead()
        #expect(try !client.readSome().isEmpty)
        try scenario.admin("POST", "/v1/users/streamer/revoke")
        let revoked = ContinuousClock.now
        let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(ContinuousClock.now - revoked < Allowance.time(.seconds(1)))
        #expect(!rest.hasSuffix("0\r\n\r\n"))
        expectDenial(try scenario.send(.bearer(token, "/me/events")), 401, "auth/id-token-revoked")
    }
}
