import JOSE
import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for nonces and one-time credentials.
@Suite(.closingStores) struct StoreNonceSuite {
    private func digest(_ text: String) throws -> SHA256Digest {
        try #require(SHA256Hasher()?.hash(Array(text.utf8)))
    }

    @Test(arguments: StoreMaker.all)
    func `a nonce is taken once, with its purpose`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.putNonce(try digest("n"), purpose: "sign-in", lifetime: 300)
        try await store.putNonce(try digest("m"), purpose: "link", lifetime: 300)
        #expect(try await store.takeNonce(try digest("unknown")) == nil)
        #expect(try await store.takeNonce(try digest("n")) == "sign-in")
        #expect(try await store.takeNonce(try digest("n")) == nil)
        #expect(try await store.takeNonce(try digest("m")) == "link")
    }

    @Test(arguments: StoreMaker.all)
    func `a purpose has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("x")
        for purpose in ["", "Link", "a b", "a\0", String(repeating: "a", count: 33)] {
            await expectStoreError(.invalidAccount) {
                try await store.putNonce(digest, purpose: purpose, lifetime: 300)
            }
        }
        #expect(try await store.takeNonce(digest) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `a credential is marked as seen once, and a query does not mark it`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await !store.isSeen(try digest("c")))
        #expect(try await store.markSeen(try digest("c"), lifetime: 300))
        #expect(try await store.isSeen(try digest("c")))
        #expect(try await !store.markSeen(try digest("c"), lifetime: 300))
        #expect(try await !store.isSeen(try digest("d")))
        #expect(try await store.markSeen(try digest("d"), lifetime: 300))
    }

    @Test(arguments: StoreMaker.all)
    func `a credential is not a nonce`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("x")
        #expect(try await store.markSeen(digest, lifetime: 300))
        #expect(try await store.takeNonce(digest) == nil)
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        #expect(try await !store.markSeen(digest, lifetime: 300))
    }

    @Test(arguments: StoreMaker.all)
    func `I-10: one of a thousand concurrent uses of a proof succeeds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("proof")
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        #expect(try await winners(of: 1000) { _ in try await store.takeNonce(digest) != nil } == 1)
        #expect(try await winners(of: 1000) { _ in try await store.markSeen(digest, lifetime: 300) } == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `a lifetime has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("x")
        for lifetime in [0, -1, .min, 2_592_001, .max] as [Int64] {
            await expectStoreError(.invalidTime) {
                try await store.putNonce(digest, purpose: "any", lifetime: lifetime)
            }
            await expectStoreError(.invalidTime) { _ = try await store.markSeen(digest, lifetime: lifetime) }
        }
        #expect(try await store.takeNonce(digest) == nil)
        #expect(try await store.markSeen(digest, lifetime: 2_592_000))
    }
}
