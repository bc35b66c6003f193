import JOSE
import Synchronization
import Testing

@testable import Authentication
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import OutboundHTTP

@Suite struct OpaqueCallsTests {
    @Test func allWhoAskForTheSameShareOneCall() throws {
        let rig = try OpaqueRig(.opaque())
        let asked = try (1...50).map { try rig.check("T", from: $0) }
        #expect(rig.asker.count == 1)
        rig.asker.answer(0, activeAnswer())
        #expect(asked.allSatisfy { $0.texts == ["accepted alice"] })
        #expect(rig.counters.shared == 49 && rig.counters.calls == 1 && rig.counters.accepted == 1)
    }

    @Test func oneCallWithinItsTimeIsMade() throws {
        let rig = try OpaqueRig(.opaque { $0.timeout = .milliseconds(700) })
        try rig.check("T")
        #expect(rig.asker.calls.first?.timeout == .milliseconds(700))
    }

    @Test("G-08: no more calls at a time than configured, and the next starts when one ends")
    func concurrency() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 2 })
        let asked = try (0..<5).map { try rig.check("T\($0)") }
        #expect(rig.asker.count == 2)
        rig.asker.answer(1, activeAnswer())
        #expect(rig.asker.count == 3)
        for place in [0, 2, 3, 4] { rig.asker.answer(place, activeAnswer()) }
        #expect(asked.allSatisfy { $0.texts == ["accepted alice"] })
        #expect(rig.counters.queued == 3)
    }

    @Test("G-08: no more calls a second than configured")
    func rate() throws {
        let rig = try OpaqueRig(
            .opaque {
                $0.rate = 10; $0.concurrency = 256
            })
        rig.asker.always { _ in .success(HTTPReply(status: 200, body: Array(#"{"active":false}"#.utf8))) }
        let asked = try (0..<30).map { try rig.check("T\($0)") }
        #expect(rig.asker.count == 10)
        rig.advance(0.1)
        #expect(rig.asker.count == 11)
        rig.advance(0.9)
        #expect(rig.asker.count == 20)
        rig.advance(1)
        #expect(asked.allSatisfy { $0.texts == ["refused inactive"] })
    }

    @Test func theNetworksTakeTurns() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        for token in 0..<10 { try rig.check("flood-\(token)", from: 1) }
        try rig.check("mine", from: 2)
        rig.asker.answer(0, #"{"active":false}"#)
        rig.asker.answer(1, #"{"active":false}"#)
        #expect(rig.asker.calls[2].question.bodyText.contains("mine"))
    }

    @Test("G-08: places are bounded, and another network gets one of who has the most")
    func places() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        let flood = try (0...OpaqueBounds.waiting).map { try rig.check("flood-\($0)", from: 1) }
        #expect(rig.tokens.status()[0].waiting == OpaqueBounds.waiting)
        #expect(try rig.check("more", from: 1).texts == ["unavailable 1"])
        #expect(try rig.check("mine", from: 2).texts == [])
        #expect(flood.last?.texts == ["unavailable 1"])
        #expect(rig.counters.overflowed == 2)
        #expect(rig.log.all.count == 1, "told once")
        rig.asker.answer(0, activeAnswer())
        rig.asker.answer(1, activeAnswer())
        #expect(rig.asker.calls[2].question.bodyText.contains("mine"))
    }

    @Test func whoWaitsForACallIsBoundedToo() throws {
        let rig = try OpaqueRig(.opaque())
        for _ in 0..<OpaqueBounds.askers { try rig.check("T") }
        #expect(try rig.check("T").texts == ["unavailable 1"])
        rig.asker.answer(0, activeAnswer())
        #expect(try rig.check("T").texts == ["accepted alice"])
    }

    @Test func whoWaitsTooLongForATurnIsToldSo() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        let first = try rig.check("a")
        let second = try rig.check("b")
        rig.advance(2)
        let third = try rig.check("c")
        rig.advance(3)
        #expect(first.texts == [] && second.texts == ["unavailable 1"] && third.texts == [])
        rig.asker.answer(0, activeAnswer())
        #expect(rig.asker.count == 2)
        #expect(rig.asker.calls[1].question.bodyText.contains("token=c&"))
    }

    @Test func atShutdownEverybodyIsToldOnce() async throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        let running = try [rig.check("a"), rig.check("a")]
        let waiting = try rig.check("b")
        await rig.tokens.shutdown()
        #expect(rig.asker.isShutDown)
        #expect(running.allSatisfy { $0.texts == ["unavailable 1"] } && waiting.texts == ["unavailable 1"])
        rig.asker.answer(0, activeAnswer())
        #expect(running.allSatisfy { $0.all.count == 1 })
        #expect(rig.asker.count == 1)
        #expect(try rig.check("c").texts == ["unavailable 1"])
    }

    @Test func whoIsToldMayAskAgainAtOnce() throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .zero })
        let hasher = try #require(SHA256Hasher())
        let key = try #require(hasher.hash(Array("T".utf8)))
        let told = Counter()
        let tokens = rig.tokens
        tokens.check(Array("T".utf8), key: key, provider: 0, for: .unknown) { _ in
            told.add()
            tokens.check(Array("T".utf8), key: key, provider: 0, for: .unknown) { _ in told.add() }
        }
        rig.asker.answer(0, activeAnswer())
        #expect(rig.asker.count == 2)
        rig.asker.answer(1, activeAnswer())
        #expect(told.count == 2)
    }

    @Test func manyThreadsGetEachTheirAnswerOnce() async throws {
        let rig = try OpaqueRig(
            .opaque {
                $0.rate = 10_000; $0.concurrency = 8
            })
        rig.asker.always { question in
            let isGood = question.bodyText.contains("good")
            let body = isGood ? activeAnswer() : #"{"active":false}"#
            return .success(HTTPReply(status: 200, body: Array(body.utf8)))
        }
        let told = Counter()
        let tokens = rig.tokens
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let hasher = SHA256Hasher()!
                    for number in 0..<500 {
                        let token = Array("\(number % 2 == 0 ? "good" : "bad")-\(number % 37)".utf8)
                        tokens.check(
                            token, key: hasher.hash(token)!, provider: 0, for: .version4(UInt32(task)),
                            answer: { _ in told.add() })
                    }
                }
            }
        }
        tokens.tick()
        #expect(told.count == 2000)
    }
}

private final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.wrappingAdd(1, ordering: .relaxed) }
}
