import JOSE
import Revocation
import Testing

@testable import StoreFixtures

/// What every store does with what may be used once, whatever keeps it.
@Suite struct StoreNonceSuite {
    private func digest(_ text: String) throws -> SHA256Digest {
        try #require(SHA256Hasher()?.hash(Array(text.utf8)))
    }

    @Test(arguments: StoreMaker.all)
    func aNonceIsTakenOnce(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let nonce = try digest("n")
        try await store.putNonce(nonce, purpose: "any", lifetime: 300)
        #expect(try await store.takeNonce(nonce) == "any")
        #expect(try await store.takeNonce(nonce) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func aNonceThatWasNeverGivenOutIsNotTaken(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.putNonce(try digest("n"), purpose: "any", lifetime: 300)
        #expect(try await store.takeNonce(try digest("m")) == nil)
        #expect(try await store.takeNonce(try digest("n")) == "any")
    }

    @Test(arguments: StoreMaker.all)
    func aNonceKeepsItsPurpose(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.putNonce(try digest("n"), purpose: "sign-in", lifetime: 300)
        try await store.putNonce(try digest("m"), purpose: "link", lifetime: 300)
        #expect(try await store.takeNonce(try digest("n")) == "sign-in")
        #expect(try await store.takeNonce(try digest("m")) == "link")
    }

    @Test(arguments: StoreMaker.all)
    func aPurposeHasBounds(_ maker: StoreMaker) async throws {
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
    func aCredentialIsSeenForTheFirstTimeOnce(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.markSeen(try digest("c"), lifetime: 300))
        #expect(try await !store.markSeen(try digest("c"), lifetime: 300))
        #expect(try await store.markSeen(try digest("d"), lifetime: 300))
    }

    @Test(arguments: StoreMaker.all)
    func askingWhetherACredentialWasSeenMarksNothing(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await !store.isSeen(try digest("c")))
        #expect(try await store.markSeen(try digest("c"), lifetime: 300))
        #expect(try await store.isSeen(try digest("c")))
        #expect(try await !store.isSeen(try digest("d")))
    }

    @Test(arguments: StoreMaker.all)
    func aCredentialIsNoNonce(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("x")
        #expect(try await store.markSeen(digest, lifetime: 300))
        #expect(try await store.takeNonce(digest) == nil)
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        #expect(try await !store.markSeen(digest, lifetime: 300))
    }

    @Test(arguments: StoreMaker.all)
    func i10OfAThousandWhoUseAProofAtOnceOneSucceeds(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let digest = try digest("proof")
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        #expect(try await winners(of: 1000) { _ in try await store.takeNonce(digest) != nil } == 1)
        #expect(try await winners(of: 1000) { _ in try await store.markSeen(digest, lifetime: 300) } == 1)
    }

    @Test(arguments: StoreMaker.all)
    func aLifetimeHasBounds(_ maker: StoreMaker) async throws {
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

    @Test(arguments: StoreMaker.all)
    func aClosedStoreRefuses(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.close()
        let digest = try digest("x")
        await expectStoreError(.closed) { try await store.putNonce(digest, purpose: "any", lifetime: 1) }
        await expectStoreError(.closed) { _ = try await store.takeNonce(digest) }
        await expectStoreError(.closed) { _ = try await store.markSeen(digest, lifetime: 1) }
        await expectStoreError(.closed) { _ = try await store.isSeen(digest) }
    }
}
