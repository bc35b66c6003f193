import Authentication
import JOSE
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite(.timeLimit(.minutes(5))) struct AsyncKeysTests {
    private let harness = CoordinatorHarness()

    private var keys: AsyncKeys {
        let time = harness.time
        return AsyncKeys(
            coordinator: harness.coordinator, monotonic: { time.now }, sleepUntil: { try await time.sleep(until: $0) })
    }

    private func text(_ result: KeyLookupResult) -> String {
        switch result {
        case .key(let key, _): "key \(key.keyID ?? "")"
        case .unknown: "unknown"
        case .unconfirmed(let seconds): "unconfirmed \(seconds)"
        case .unavailable(let seconds): "unavailable \(seconds)"
        }
    }

    @Test func `a known key is returned immediately`() async throws {
        let (keys, key) = (keys, try TestKey("a"))
        try await harness.run { subscriber in
            try await harness.serve([key], to: subscriber)
            let found = await keys.key(kid: "a", set: 0)
            #expect(text(found) == "key a")
            #expect(harness.fetcher.count == 1)
        }
    }

    @Test func `a lookup waits for a set that is loading`() async throws {
        let (keys, key) = (keys, try TestKey("a"))
        try await harness.run { subscriber in
            async let found = keys.key(kid: "a", set: 0)
            try await harness.serve([key], to: subscriber)
            #expect(text(await found) == "key a")
        }
    }

    @Test func `unknown keys share one fetch`() async throws {
        let keys = keys
        let (old, new) = (try TestKey("a"), try TestKey("b"))
        try await harness.run { subscriber in
            try await harness.serve([old], to: subscriber)
            harness.time.advance(seconds: 60)
            async let first = keys.key(kid: "b", set: 0)
            async let second = keys.key(kid: "c", set: 0)
            try await harness.serve([old, new], to: subscriber)
            #expect(text(await first) == "key b")
            #expect(text(await second) == "unknown")
            #expect(harness.fetcher.count == 2)
        }
    }

    @Test func `an unknown key is unconfirmed until the source may be asked again`() async throws {
        let keys = keys
        let (old, new) = (try TestKey("a"), try TestKey("b"))
        try await harness.run { subscriber in
            try await harness.serve([old], to: subscriber)
            // The cooldown begins with the fetch for an unknown key.
            async let other = keys.key(kid: "c", set: 0)
            try await harness.serve([old], to: subscriber)
            #expect(text(await other) == "unknown")
            let seconds = try #require(Int(text(await keys.key(kid: "b", set: 0)).replacing("unconfirmed ", with: "")))
            #expect((1...60).contains(seconds) && harness.fetcher.count == 2)
            harness.time.advance(seconds: Double(seconds))
            async let found = keys.key(kid: "b", set: 0)
            try await harness.serve([old, new], to: subscriber)
            #expect(text(await found) == "key b")
        }
    }

    @Test func `a source that is down makes its keys unavailable`() async throws {
        let keys = keys
        let key = try TestKey("a")
        try await harness.run { subscriber in
            try await harness.serve([key], to: subscriber)
            harness.time.advance(seconds: 60)
            async let found = keys.key(kid: "b", set: 0)
            await harness.fetcher.next()?.fail()
            #expect(text(await found).hasPrefix("unavailable"))
        }
    }

    @Test func `a lookup waits five seconds for a silent source`() async throws {
        let keys = keys
        try await harness.run { _ in
            let call = await harness.fetcher.next()
            async let found = keys.key(kid: "a", set: 0)
            while harness.time.sleeping == 0 { await Task.yield() }
            harness.time.advance(seconds: 5)
            #expect(text(await found) == "unavailable 1")
            call?.fail()
        }
    }

    @Test func `the number of waiting lookups is bounded`() async throws {
        let keys = keys
        try await harness.run { _ in
            let call = await harness.fetcher.next()
            let waiting = (0..<AsyncKeys.maximumWaiting).map { _ in Task { await keys.key(kid: "a", set: 0) } }
            while harness.time.sleeping < AsyncKeys.maximumWaiting { await Task.yield() }
            #expect(text(await keys.key(kid: "a", set: 0)) == "unavailable 1")
            harness.time.advance(seconds: 5)
            for task in waiting { _ = await task.value }
            call?.fail()
        }
    }

    @Test func `a missing set is unavailable`() async throws {
        #expect(text(await keys.key(kid: "a", set: 7)) == "unavailable 1")
        #expect(keys.view(of: 7).keys == nil)
    }
}
