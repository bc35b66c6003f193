import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import StoreFixtures

/// The expiry of nonces and credentials by the clock of the store.
@Suite struct SQLiteNonceTests {
    private final class Time: Sendable {
        let seconds = Atomic<Int64>(1000)
        var clock: GatewayClock { GatewayClock(now: { self.seconds.load(ordering: .relaxed) }, monotonic: { 1 }) }

        func set(_ time: Int64) { seconds.store(time, ordering: .relaxed) }
    }

    private let time = Time()
    private let digest: SHA256Digest

    init() throws {
        digest = try #require(SHA256Hasher()?.hash([1]))
    }

    private func store() throws -> SQLiteStore { try SQLiteStore(path: nil, clock: time.clock, logger: .silent) }

    @Test func `a nonce expires after its lifetime`() async throws {
        let store = try store()
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        time.set(1300)
        #expect(try await store.takeNonce(digest) == nil)
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        time.set(1599)
        #expect(try await store.takeNonce(digest) == "any")
    }

    @Test func `a credential may be used again after its lifetime`() async throws {
        let store = try store()
        #expect(try await store.markSeen(digest, lifetime: 300))
        time.set(1299)
        #expect(try await store.isSeen(digest))
        #expect(try await !store.markSeen(digest, lifetime: 300))
        time.set(1300)
        #expect(try await !store.isSeen(digest))
        #expect(try await store.markSeen(digest, lifetime: 300))
        #expect(try await !store.markSeen(digest, lifetime: 300))
    }

    @Test func `expired entries are purged`() async throws {
        let store = try store()
        for byte in 0..<10 as Range<UInt8> {
            let digest = try #require(SHA256Hasher()?.hash([byte]))
            try await store.putNonce(digest, purpose: "any", lifetime: byte < 5 ? 100 : 200)
            _ = try await store.markSeen(digest, lifetime: byte < 3 ? 100 : 200)
        }
        #expect(try await store.purge(now: 1100) == 8)
        #expect(try await store.purge(now: 1100) == 0)
        #expect(try await store.purge(now: 1200) == 12)
    }

    @Test func `a used credential is recorded across a restart`() async throws {
        let file = try SQLiteFile()
        let store = try file.open(clock: time.clock)
        #expect(try await store.markSeen(digest, lifetime: 300))
        try await store.close()
        let again = try file.open(clock: time.clock)
        #expect(try await !again.markSeen(digest, lifetime: 300))
    }

    @Test func `a file of the first version gets the tables`() async throws {
        let file = try SQLiteFile()
        let store = try file.open(clock: time.clock)
        try await store.revoke("ann", at: 7)
        try await store.close()
        try await file.downgrade(to: 1)
        let again = try file.open(clock: time.clock)
        #expect(try await again.markSeen(digest, lifetime: 300))
        #expect(try await again.user("ann").validSince == 7)
    }

    @Test(arguments: 1...4) func `a file of any earlier version gets the table of flows`(version: Int) async throws {
        let file = try SQLiteFile()
        try await file.open(clock: time.clock).close()
        try await file.downgrade(to: version)
        let store = try file.open(clock: time.clock)
        try await store.putFlow(digest, of: digest, value: "v", lifetime: 60, now: 1_000)
        #expect(try await store.takeFlow(digest, of: digest, now: 1_001) == "v")
    }

    @Test func `O-17: each new flow removes expired flows of other browsers`() async throws {
        let store = try store()
        for byte in 0..<3 as Range<UInt8> {
            let holder = try #require(SHA256Hasher()?.hash([byte]))
            try await store.putFlow(digest, of: holder, value: "v", lifetime: 60, now: 1_000)
        }
        try await store.putFlow(digest, of: digest, value: "v", lifetime: 60, now: 1_060)
        #expect(try await store.purge(now: 1_060) == 0)
    }

    @Test func `a nonce of the second version is valid for any purpose`() async throws {
        let file = try SQLiteFile()
        let store = try file.open(clock: time.clock)
        try await store.putNonce(digest, purpose: "link", lifetime: 300)
        try await store.close()
        try await file.downgrade(to: 2)
        let again = try file.open(clock: time.clock)
        #expect(try await again.takeNonce(digest) == "any")
        #expect(try await again.claim(.apple("1"), for: "ann") != .providerTaken)
    }
}
