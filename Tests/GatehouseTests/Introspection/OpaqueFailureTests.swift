import JOSE
import Logging
import Testing

@testable import Authentication
@testable import GatewayConfiguration
@testable import OutboundHTTP

@Suite struct OpaqueFailureTests {
    static let failures: [(String, FakeAsker.Reply)] = [
        ("401", .success(HTTPReply(status: 401, body: []))), ("403", .success(HTTPReply(status: 403, body: []))),
        ("429", .success(HTTPReply(status: 429, body: []))), ("500", .success(HTTPReply(status: 500, body: []))),
        ("302", .success(HTTPReply(status: 302, body: []))), ("time", .failure(AskingFailure(.timedOut))),
        ("refused", .failure(AskingFailure(.unreachable))), ("closed", .failure(AskingFailure(.closed))),
    ]

    @Test("G-13: an outage has no verdict, and everybody is told so at once for a second", arguments: failures.indices)
    func outage(place: Int) throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        let asked = try rig.check("a")
        let waiting = try rig.check("b", from: 2)
        rig.asker.answer(0, Self.failures[place].1)
        #expect(asked.texts == ["unavailable 1"] && waiting.texts == ["unavailable 1"])
        rig.advance(0.9)
        #expect(try rig.check("a").texts == ["unavailable 1"])
        #expect(try rig.check("c").texts == ["unavailable 1"])
        #expect(rig.asker.count == 1)
        rig.advance(0.1)
        let again = try rig.check("a")
        #expect(rig.asker.count == 2)
        rig.asker.answer(1, activeAnswer())
        #expect(again.texts == ["accepted alice"])
    }

    @Test(
        "G-13: Retry-After is honoured",
        arguments: [("7", 7), ("0", 1), ("9999", 60), ("Tue, 14 Nov 2023 22:13:50 GMT", 30), ("soon", 1)])
    func retryAfter(field: String, seconds: Int) throws {
        let rig = try OpaqueRig(.opaque())
        let asked = try rig.check("a")
        rig.asker.answer(0, 429, "", retryAfter: field)
        #expect(asked.texts == ["unavailable \(seconds)"])
        #expect(rig.left(asked.all.first) == Double(seconds))
        rig.advance(Double(seconds) - 0.5)
        #expect(try rig.check("b").texts == ["unavailable 1"])
        rig.advance(0.5)
        try rig.check("b")
        #expect(rig.asker.count == 2)
    }

    @Test("G-13: when the pause ends, one call shows whether the provider is well before others follow")
    func noStampede() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 16 })
        try rig.check("a")
        rig.asker.answer(0, 503, "")
        rig.advance(1)
        let asked = try (0..<20).map { try rig.check("T\($0)") }
        #expect(rig.asker.count == 2)
        rig.asker.answer(1, 503, "")
        #expect(asked.allSatisfy { $0.texts == ["unavailable 1"] })
        rig.advance(1)
        let more = try (0..<20).map { try rig.check("T\($0)") }
        #expect(rig.asker.count == 3)
        rig.asker.answer(2, activeAnswer())
        #expect(rig.asker.count == 3 + 16)
        #expect(more[0].texts == ["accepted alice"])
    }

    @Test func whatIsKnownCountsDuringAnOutage() throws {
        let rig = try OpaqueRig(.opaque())
        try rig.check("good")
        rig.asker.answer(0, activeAnswer())
        try rig.check("bad")
        rig.asker.answer(1, 503, "")
        #expect(try rig.check("good").texts == ["accepted alice"])
        #expect(rig.counters.hits == 1)
    }

    @Test func oneProvidersOutageIsNobodyElses() throws {
        let rig = try OpaqueRig(.opaque("oauth.a"), .opaque("oauth.b"))
        try rig.check("T", provider: 0)
        rig.asker.answer(0, 503, "")
        let other = try rig.check("T", provider: 1)
        rig.asker.answer(1, activeAnswer())
        #expect(other.texts == ["accepted alice"])
        #expect(rig.tokens.status().map { $0.pausedFor > 0 } == [true, false])
    }

    @Test(
        "a token that confuses its provider keeps no other from being checked",
        arguments: [(200, "<html>"), (200, "[]"), (200, ""), (400, ""), (414, ""), (404, "")])
    func confusion(status: Int, body: String) throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 2 })
        let confusing = try rig.check("confusing")
        rig.asker.answer(0, status, body)
        #expect(confusing.texts == ["unavailable 1"])
        #expect(try rig.check("confusing").texts == ["unavailable 1"])
        let (good, another) = (try rig.check("good"), try rig.check("another"))
        #expect(rig.asker.count == 3)
        rig.asker.answer(1, activeAnswer())
        rig.asker.answer(2, activeAnswer())
        #expect(good.texts == ["accepted alice"] && another.texts == ["accepted alice"])
        rig.advance(1)
        try rig.check("confusing")
        #expect(rig.asker.count == 4)
    }

    @Test func aTokenWithALongAnswerKeepsNoOtherFromBeingChecked() throws {
        let rig = try OpaqueRig(.opaque())
        let long = try rig.check("long")
        rig.asker.answer(0, .failure(AskingFailure(failure: KeyFetchError(.tooLarge, "more than 65536 bytes"))))
        #expect(long.texts == ["unavailable 1"])
        let good = try rig.check("good")
        try #require(rig.asker.count == 2)
        rig.asker.answer(1, activeAnswer())
        #expect(good.texts == ["accepted alice"])
    }

    @Test func aKindOfFailureIsToldOnceAndSoIsItsEnd() throws {
        let rig = try OpaqueRig(.opaque())
        for _ in 0..<3 {
            try rig.check("a")
            rig.asker.answer(rig.asker.count - 1, 503, "")
            rig.advance(1)
        }
        try rig.check("a")
        rig.asker.answer(3, .failure(AskingFailure(.timedOut)))
        rig.advance(1)
        try rig.check("a")
        rig.asker.answer(4, activeAnswer())
        try rig.check("b")
        rig.asker.answer(5, activeAnswer())
        #expect(rig.log.all.map(\.level) == [.warning, .warning, .notice])
        #expect(rig.log.all[0].text.contains("status") && rig.log.all[0].text.contains("503"))
        #expect(rig.log.all[1].text.contains("timed_out"))
        #expect(rig.log.all[2].text.contains("failures: 4") || rig.log.all[2].text.contains(#""failures": 4"#))
    }

    @Test func aFlappingProviderFillsNoLog() throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .zero })
        for _ in 0..<20 {
            try rig.check("a")
            rig.asker.answer(rig.asker.count - 1, 503, "")
            rig.advance(1)
            try rig.check("a")
            rig.asker.answer(rig.asker.count - 1, activeAnswer())
        }
        #expect(rig.log.all.count == 2)
    }

    @Test func refusedCredentialsOfOurOwnAreAnError() throws {
        let rig = try OpaqueRig(
            .opaque("github.com", kind: .github, url: "https://api.github.com/applications/{client_id}/token"))
        try rig.check("gho_x")
        rig.asker.answer(0, 401, "")
        #expect(rig.log.all.map(\.level) == [.error])
        #expect(rig.tokens.status()[0].failing == .ownCredentials)
    }

    @Test func theStatusTellsWhatHappened() throws {
        let rig = try OpaqueRig(.opaque(url: "https://user:pass@as.example/introspect?key=secret"))
        try rig.check("a")
        try rig.check("b")
        rig.asker.answer(0, activeAnswer())
        rig.asker.answer(1, #"{"active":false}"#)
        try rig.check("a")
        let status = try #require(rig.tokens.status().first)
        #expect(status.source == "https://as.example/introspect")
        #expect(
            status.counters
                == OpaqueCounters(
                    calls: 2, accepted: 1, refused: 1, failed: 0, hits: 1, shared: 0, queued: 0, overflowed: 0,
                    paused: 0))
        #expect(status.running == 0 && status.waiting == 0 && status.failing == nil && status.pausedFor == 0)
    }
}
