import GatewayConfiguration
import Logging
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct OpaqueFailureTests {
    static let failures: [FakeTransport.Reply] =
        [401, 403, 429, 500, 302].map { FakeTransport.Reply.success(OutboundResponse(status: $0, body: [])) }
        + [LookupFailure.Kind.timedOut, .unreachable, .closed].map { FakeTransport.Reply.failure(LookupFailure($0)) }

    @Test(arguments: failures.indices)
    func `G-13: an outage is not a result, and is reported immediately for a second`(place: Int) throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        let checked = try rig.check("a")
        let waiting = try rig.check("b", from: 2)
        rig.transport.answer(0, Self.failures[place])
        #expect(checked.texts == ["unavailable 1"] && waiting.texts == ["unavailable 1"])
        rig.advance(0.9)
        #expect(try rig.check("a").texts == ["unavailable 1"])
        #expect(try rig.check("c").texts == ["unavailable 1"])
        #expect(rig.transport.count == 1)
        rig.advance(0.1)
        let again = try rig.check("a")
        #expect(rig.transport.count == 2)
        rig.transport.answer(1, activeAnswer())
        #expect(again.texts == ["accepted alice"])
    }

    @Test(arguments: [("7", 7), ("0", 1), ("9999", 60), ("Tue, 14 Nov 2023 22:13:50 GMT", 30), ("soon", 1)])
    func `G-13: Retry-After is respected`(field: String, seconds: Int) throws {
        let rig = try OpaqueRig(.opaque())
        let checked = try rig.check("a")
        rig.transport.answer(0, 429, "", retryAfter: field)
        #expect(checked.texts == ["unavailable \(seconds)"])
        #expect(rig.left(checked.all.first) == Double(seconds))
        rig.advance(Double(seconds) - 0.5)
        #expect(try rig.check("b").texts == ["unavailable 1"])
        rig.advance(0.5)
        try rig.check("b")
        #expect(rig.transport.count == 2)
    }

    @Test func `a cached result is used during an outage`() throws {
        let rig = try OpaqueRig(.opaque())
        try rig.check("good")
        rig.transport.answer(0, activeAnswer())
        try rig.check("bad")
        rig.transport.answer(1, 503, "")
        #expect(try rig.check("good").texts == ["accepted alice"])
        #expect(rig.counters.hits == 1)
    }

    @Test func `an outage affects one provider only`() throws {
        let rig = try OpaqueRig(.opaque("oauth.a"), .opaque("oauth.b"))
        try rig.check("T", provider: 0)
        rig.transport.answer(0, 503, "")
        let other = try rig.check("T", provider: 1)
        rig.transport.answer(1, activeAnswer())
        #expect(other.texts == ["accepted alice"])
        #expect(rig.tokens.status().map { $0.pausedFor > 0 } == [true, false])
    }

    static let invalid: [FakeTransport.Reply] =
        [(200, "<html>"), (200, "[]"), (200, ""), (400, ""), (414, ""), (404, "")].map { status, body in
            FakeTransport.Reply.success(OutboundResponse(status: status, body: Array(body.utf8)))
        } + [.failure(LookupFailure(failure: KeyFetchError(.tooLarge, "more than 65536 bytes")))]

    @Test(arguments: invalid.indices)
    func `a token with an invalid response delays no other token`(index: Int) throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 2 })
        let confusing = try rig.check("confusing")
        rig.transport.answer(0, Self.invalid[index])
        #expect(confusing.texts == ["unavailable 1"])
        #expect(try rig.check("confusing").texts == ["unavailable 1"])
        let (good, another) = (try rig.check("good"), try rig.check("another"))
        try #require(rig.transport.count == 3)
        rig.transport.answer(1, activeAnswer())
        rig.transport.answer(2, activeAnswer())
        #expect(good.texts == ["accepted alice"] && another.texts == ["accepted alice"])
        rig.advance(1)
        try rig.check("confusing")
        #expect(rig.transport.count == 4)
    }

    @Test func `refused credentials of the gateway are logged as an error`() throws {
        let rig = try OpaqueRig(
            .opaque("github.com", kind: .github, url: "https://api.github.com/applications/{client_id}/token"))
        try rig.check("gho_x")
        rig.transport.answer(0, 401, "")
        #expect(rig.log.all.map(\.level) == [.error])
        #expect(rig.tokens.status()[0].failing == .ownCredentials)
    }

    @Test func `the log names the endpoint without its secrets`() throws {
        let rig = try OpaqueRig(.opaque(url: "https://user:pass@as.example/introspect?key=secret"))
        try rig.check("a")
        rig.transport.answer(0, 503, "")
        #expect(rig.log.all.map(\.level) == [.warning])
        #expect(rig.log.text.contains("https://as.example/introspect"))
        #expect(rig.log.text.contains("status") && rig.log.text.contains("503"))
        #expect(!rig.log.text.contains("pass") && !rig.log.text.contains("key=secret"))
    }

    @Test func `the status counts calls, hits and results`() throws {
        let rig = try OpaqueRig(.opaque())
        try rig.check("a")
        try rig.check("b")
        rig.transport.answer(0, activeAnswer())
        rig.transport.answer(1, #"{"active":false}"#)
        try rig.check("a")
        let status = try #require(rig.tokens.status().first)
        var counters = LookupCounters()
        (counters.calls, counters.accepted, counters.refused, counters.hits) = (2, 1, 1, 1)
        #expect(status.counters == counters)
        #expect(status.running == 0 && status.waiting == 0 && status.failing == nil && status.pausedFor == 0)
    }
}
