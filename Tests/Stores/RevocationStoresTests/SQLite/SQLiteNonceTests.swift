import GRDB
import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import StoreFixtures

/// When what may be used once is forgotten, by the store's clock.
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

    @Test func aNonceIsForgottenAfterItsLifetime() async throws {
        let store = try store()
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        time.set(1300)
        #expect(try await store.takeNonce(digest) == nil)
        try await store.putNonce(digest, purpose: "any", lifetime: 300)
        time.set(1599)
        #expect(try await store.takeNonce(digest) == "any")
    }

    @Test func aCredentialMayBeUsedAnewAfterItsLifetime() async throws {
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

    @Test func whatExpiredIsPurged() async throws {
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

    @Test func aMarkOutlivesARestart() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let store = try SQLiteStore(path: path, clock: time.clock, logger: .silent)
        #expect(try await store.markSeen(digest, lifetime: 300))
        try await store.close()
        let again = try SQLiteStore(path: path, clock: time.clock, logger: .silent)
        #expect(try await !again.markSeen(digest, lifetime: 300))
    }

    @Test func aFileOfTheFirstVersionGetsTheTables() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let store = try SQLiteStore(path: path, clock: time.clock, logger: .silent)
        try await store.revoke("ann", at: 7)
        try await store.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            for table in ["nonce", "seen", "account", "link", "email", "setting", "unlinked"] {
                try db.execute(sql: "DROP TABLE \(table)")
            }
            try db.execute(
                sql: """
                    ALTER TABLE user DROP COLUMN last_session;
                    ALTER TABLE user DROP COLUMN revoked_at;
                    ALTER TABLE session DROP COLUMN authenticated_at;
                    """)
            try db.execute(sql: "PRAGMA user_version = 1")
        }
        try queue.close()
        let again = try SQLiteStore(path: path, clock: time.clock, logger: .silent)
        #expect(try await again.markSeen(digest, lifetime: 300))
        #expect(try await again.user("ann").validSince == 7)
    }

    @Test func aNonceOfTheSecondVersionIsForAnyPurpose() async throws {
        let path = try TemporaryFolder().path("gatehouse.db")
        let store = try SQLiteStore(path: path, clock: time.clock, logger: .silent)
        try await store.putNonce(digest, purpose: "link", lifetime: 300)
        try await store.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            for table in ["account", "link", "email", "setting", "unlinked"] {
                try db.execute(sql: "DROP TABLE \(table)")
            }
            try db.execute(
                sql: """
                    ALTER TABLE user DROP COLUMN last_session;
                    ALTER TABLE user DROP COLUMN revoked_at;
                    ALTER TABLE session DROP COLUMN authenticated_at;
                    """)
            try db.execute(sql: "ALTER TABLE nonce DROP COLUMN purpose; PRAGMA user_version = 2")
        }
        try queue.close()
        let again = try SQLiteStore(path: path, clock: time.clock, logger: .silent)
        #expect(try await again.takeNonce(digest) == "any")
        #expect(try await again.claim(IdentityLink(provider: "apple.com", subject: "1"), for: "ann") != .providerTaken)
    }
}
