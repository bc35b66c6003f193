import JOSE
import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for the open sign-in flows of browsers.
@Suite(.closingStores) struct StoreFlowSuite {
    /// A time after the clock of the Redis server, which removes what has expired long ago.
    private static let now: Int64 = 4_000_000_000

    private func digest(_ text: String) throws -> SHA256Digest {
        try #require(SHA256Hasher()?.hash(Array(text.utf8)))
    }

    @Test(arguments: StoreMaker.all)
    func `a flow is taken once, by its holder and before it expires`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let (name, holder, other) = (try digest("state"), try digest("browser"), try digest("another"))
        let value = #"{"a":"ü\n:7"}"#
        try await store.putFlow(name, of: holder, value: value, lifetime: 600, now: Self.now)
        #expect(try await store.takeFlow(name, of: other, now: Self.now) == nil)
        #expect(try await store.takeFlow(other, of: holder, now: Self.now) == nil)
        #expect(try await store.takeFlow(name, of: holder, now: Self.now + 599) == value)
        #expect(try await store.takeFlow(name, of: holder, now: Self.now) == nil)
        try await store.putFlow(name, of: holder, value: value, lifetime: 600, now: Self.now)
        #expect(try await store.takeFlow(name, of: holder, now: Self.now + 600) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `O-17: a holder has 16 flows, and one more replaces the one that expires first`(
        _ maker: StoreMaker
    ) async throws {
        let store = try await maker()
        let holder = try digest("browser")
        for number in 0..<17 {
            try await store.putFlow(
                try digest("\(number)"), of: holder, value: "\(number)", lifetime: 600, now: Self.now + Int64(number))
        }
        #expect(try await store.takeFlow(try digest("0"), of: holder, now: Self.now + 20) == nil)
        for number in 1..<17 {
            #expect(try await store.takeFlow(try digest("\(number)"), of: holder, now: Self.now + 20) == "\(number)")
        }
    }

    @Test(arguments: StoreMaker.all)
    func `O-03: one of a hundred concurrent callbacks takes a flow`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let (name, holder) = (try digest("state"), try digest("browser"))
        try await store.putFlow(name, of: holder, value: "v", lifetime: 600, now: Self.now)
        #expect(
            try await winners(of: 100) { _ in try await store.takeFlow(name, of: holder, now: Self.now) != nil } == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `a flow has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("x")
        for lifetime in [0, -1, .min, 3_601, .max] as [Int64] {
            await expectStoreError(.invalidTime) {
                try await store.putFlow(digest, of: digest, value: "v", lifetime: lifetime, now: Self.now)
            }
        }
        for value in ["", String(repeating: "v", count: 65_537)] {
            await expectStoreError(.invalidAccount) {
                try await store.putFlow(digest, of: digest, value: value, lifetime: 600, now: Self.now)
            }
        }
        #expect(try await store.takeFlow(digest, of: digest, now: Self.now) == nil)
    }
}
