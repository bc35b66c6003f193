import GatewayConfiguration
import GatewayCore
import JOSE
import Synchronization
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

@Suite struct OpaqueCallsTests {
    @Test func `G-08: the configured concurrency, rate and timeout bound the calls`() throws {
        let slow = try OpaqueRig(.opaque { ($0.concurrency, $0.timeout) = (2, .milliseconds(700)) })
        for token in 0..<5 { try slow.check("T\(token)") }
        #expect(slow.transport.calls.first?.timeout == .milliseconds(700))
        #expect(slow.transport.count == 2 && slow.tokens.status()[0].waiting == 3)
        let rated = try OpaqueRig(.opaque { ($0.rate, $0.concurrency) = (10, 256) })
        for token in 0..<30 { try rated.check("T\(token)") }
        #expect(rated.transport.count == 10)
    }

    @Test func `G-08: the number of waiting lookups is bounded`() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        for token in 0..<1100 { try rig.check("many-\(token)") }
        let status = rig.tokens.status()[0]
        #expect(rig.transport.count == 1 && status.waiting == 1024 && status.counters.overflowed == 75)
    }

    @Test func `the networks of clients take turns`() throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        for token in 0..<10 { try rig.check("flood-\(token)", from: 1) }
        try rig.check("mine", from: 2)
        rig.transport.answer(0, #"{"active":false}"#)
        rig.transport.answer(1, #"{"active":false}"#)
        #expect(rig.transport.calls[2].request.bodyText.contains("mine"))
    }

    @Test func `at shutdown each caller gets one result`() async throws {
        let rig = try OpaqueRig(.opaque { $0.concurrency = 1 })
        let running = try [rig.check("a"), rig.check("a")]
        let waiting = try rig.check("b")
        await rig.tokens.shutdown()
        #expect(rig.transport.isShutDown)
        #expect(running.allSatisfy { $0.texts == ["unavailable 1"] } && waiting.texts == ["unavailable 1"])
        rig.transport.answer(0, activeAnswer())
        #expect(running.allSatisfy { $0.all.count == 1 })
        #expect(rig.transport.count == 1)
        #expect(try rig.check("c").texts == ["unavailable 1"])
    }

    @Test func `a caller may check again from its callback`() throws {
        let rig = try OpaqueRig(.opaque { $0.cacheFor = .zero })
        let hasher = try #require(SHA256Hasher())
        let key = try #require(hasher.hash(Array("T".utf8)))
        let calls = Counter()
        let tokens = rig.tokens
        tokens.check(Array("T".utf8), key: key, provider: 0, for: .unknown) { _ in
            calls.add()
            tokens.check(Array("T".utf8), key: key, provider: 0, for: .unknown) { _ in calls.add()
            }
        }
        rig.transport.answer(0, activeAnswer())
        #expect(rig.transport.count == 2)
        rig.transport.answer(1, activeAnswer())
        #expect(calls.count == 2)
    }

    @Test func `each of many concurrent calls gets one result`() async throws {
        let rig = try OpaqueRig(.opaque { ($0.rate, $0.concurrency) = (10_000, 8) })
        rig.transport.always {
            let body = $0.bodyText.contains("good") ? activeAnswer() : #"{"active":false}"#
            return .success(OutboundResponse(status: 200, body: Array(body.utf8)))
        }
        let calls = Counter()
        let tokens = rig.tokens
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    let hasher = SHA256Hasher()!
                    for number in 0..<500 {
                        let token = Array("\(number % 2 == 0 ? "good" : "bad")-\(number % 37)".utf8)
                        tokens.check(
                            token, key: hasher.hash(token)!, provider: 0, for: .version4(UInt32(task)),
                            completion: { _ in calls.add() })
                    }
                }
            }
        }
        tokens.tick()
        #expect(calls.count == 2000)
    }
}

private final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}
