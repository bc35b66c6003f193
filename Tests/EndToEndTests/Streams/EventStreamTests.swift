import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Event streams through the built gateway.
@Suite(.sharedScenario) struct EventStreamTests: SharedScenarioSuite {
    @Test func `an event is forwarded without waiting for the next`() throws {
        let client = try scenario.connect()
        // The next event would arrive in an hour.
        try client.send(WireRequest.bearer(try scenario.token(), "/me/events?count=2&every=3600000").bytes)
        _ = try client.readHead()
        var text = ""
        while !text.contains("id: 1\ndata: ") {
            let part = try client.readSome()
            try #require(!part.isEmpty, "\(text)")
            text += String(decoding: part, as: UTF8.self)
        }
        #expect(!text.contains("id: 2"))
    }

    @Test func `events arrive in order`() throws {
        let client = try scenario.connect()
        let answer = try client.exchange(.bearer(try scenario.token(), "/me/events?count=20&every=5"))
        #expect(answer.text.matches(of: /id: ([0-9]+)\n/).compactMap { Int($0.1) } == Array(1...20))
    }

    @Test func `H-06: an event stream is aborted when its user is revoked`() throws {
        let client = try scenario.connect()
        let token = try scenario.token(.named("streamer")) { $0.signedIn(at: unixNow() - 100) }
        try client.send(WireRequest.bearer(token, "/me/events?count=0&every=50").bytes)
        _ = try client.readHead()
        #expect(try !client.readSome().isEmpty)
        try scenario.admin("POST", "/v1/users/streamer/revoke")
        let revoked = ContinuousClock.now
        let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
        #expect(ContinuousClock.now - revoked < Allowance.hang)
        #expect(!rest.hasSuffix("0\r\n\r\n"))
        expectDenial(try scenario.send(.bearer(token, "/me/events")), 401, "auth/id-token-revoked")
    }
}
