import GatewayCore
import JOSE
import Redis
import Revocation
import Testing

@testable import RevocationStores
@testable import StoreFixtures

/// The keys and entries in Redis that gateways and other backends share.
@Suite(.closingStores) struct RedisStoreContractTests {
    @Test func `a revocation is a hash and an entry`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        try await store.revoke("a:b", at: 1_700_000_000)
        #expect(try database.cli("HGETALL", "gatehouse:user:{a%3Ab}") == "valid_since\n1700000000")
        #expect(try database.changes() == ["uid a:b valid_since 1700000000"])
    }

    @Test func `unrevoke and enable leave no record`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        try await store.revoke("ann", at: 5)
        try await store.unrevoke("ann")
        try await store.setDisabled("ann", true)
        #expect(try database.cli("HGETALL", "gatehouse:user:{ann}") == "disabled\n1")
        try await store.setDisabled("ann", false)
        #expect(try database.cli("EXISTS", "gatehouse:user:{ann}") == "0")
        try database.cli("HSET", "gatehouse:user:{bob}", "valid_since", "5", "disabled", "0")
        try await store.unrevoke("bob")
        #expect(try database.cli("EXISTS", "gatehouse:user:{bob}") == "0")
        #expect(
            try database.changes() == [
                "uid ann valid_since 5", "uid ann valid_since ", "uid ann disabled 1", "uid ann disabled 0",
                "uid bob valid_since ",
            ])
    }

    @Test func `a session is a hash with an expiry and an entry`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let expires: Int64 = 4_000_000_000
        try await store.recordSignIn("ann", "17", at: 20, expires: expires)
        #expect(try database.cli("HGETALL", "gatehouse:session:{ann}:17") == "signed_in_at\n20")
        #expect(try database.cli("EXPIRETIME", "gatehouse:session:{ann}:17") == "\(expires)")
        try await store.revokeSession("ann", "17")
        #expect(try database.cli("HGET", "gatehouse:session:{ann}:17", "revoked") == "1")
        #expect(try database.changes() == ["uid ann session 17", "uid ann session 17"])
    }

    @Test func `the expiry of a session is the latest one`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let expiry = { try database.cli("EXPIRETIME", "gatehouse:session:{ann}:1") }
        try await store.recordSignIn("ann", "1", at: 20, expires: nil)
        #expect(try expiry() == "-1")
        try await store.recordSignIn("ann", "1", at: 20, expires: 4_000_000_000)
        #expect(try expiry() == "4000000000")
        try await store.revokeSession("ann", "1", expires: 3_999_999_999)
        try await store.recordSignIn("ann", "1", at: 20, expires: nil)
        #expect(try expiry() == "4000000000")
        try await store.revokeSession("ann", "1", expires: 4_000_000_001)
        #expect(try expiry() == "4000000001")
    }

    @Test func `a write of an expired session succeeds and leaves no record`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        #expect(
            try await store.revokeSession("ann", "1", expires: 1000) == SessionRecord(revoked: true))
        #expect(try await store.session("ann", "1") == SessionRecord())
        #expect(try database.cli("EXISTS", "gatehouse:session:{ann}:1") == "0")
    }

    @Test func `a revocation removes the expiry that another backend set`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        for write in [{ try await store.revoke("ann", at: 7) }, { try await store.setDisabled("ann", true) }] {
            try database.cli("HSET", "gatehouse:user:{ann}", "valid_since", "5")
            try database.cli("EXPIRE", "gatehouse:user:{ann}", "100")
            _ = try await write()
            #expect(try database.cli("EXPIRETIME", "gatehouse:user:{ann}") == "-1")
        }
    }

    @Test func `fields of other backends stay`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        try database.cli("HSET", "gatehouse:user:{ann}", "note", "x")
        try await store.revoke("ann", at: 5)
        try await store.unrevoke("ann")
        #expect(try database.cli("HGETALL", "gatehouse:user:{ann}") == "note\nx")
        #expect(try await store.user("ann") == UserRecord())
    }

    private static let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// A nonce of another backend without a purpose is valid for any purpose.
    @Test func `nonces and seen credentials expire`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let digest = try #require(SHA256Hasher()?.hash([]))
        try await store.putNonce(digest, purpose: "link", lifetime: 300)
        _ = try await store.markSeen(digest, lifetime: 600)
        for (kind, lifetime) in [("nonce", 300), ("seen", 600)] {
            let left = try #require(Int(try database.cli("TTL", "gatehouse:\(kind):\(Self.hash)")))
            #expect(lifetime - 120...lifetime ~= left)
        }
        #expect(try database.cli("GET", "gatehouse:nonce:\(Self.hash)") == "link")
        try database.cli("SET", "gatehouse:nonce:\(Self.hash)", "")
        #expect(try await store.takeNonce(digest) == "any")
    }

    private static func gateways(_ count: Int) async throws -> (RedisDatabase, [RedisStore]) {
        let database = try await RedisDatabase.fresh()
        var stores: [RedisStore] = []
        for _ in 0..<count { stores.append(try await database.loadedStore()) }
        return (database, stores)
    }

    @Test func `I-10: a proof used at several gateways at once is taken once`() async throws {
        let (_, gateways) = try await Self.gateways(4)
        let digest = try #require(SHA256Hasher()?.hash([7]))
        try await gateways[0].putNonce(digest, purpose: "any", lifetime: 300)
        #expect(try await winners(of: 1000) { try await gateways[$0 % 4].takeNonce(digest) != nil } == 1)
        #expect(try await winners(of: 1000) { try await gateways[$0 % 4].markSeen(digest, lifetime: 60) } == 1)
    }

    @Test func `of a hundred revocations at several gateways the latest applies`() async throws {
        let (database, gateways) = try await Self.gateways(3)
        let times = (0..<100).map { _ in Int64.random(in: 0...StoreBounds.maximumTime) }
        let answers = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for (index, time) in times.enumerated() {
                group.addTask { try await gateways[index % 3].revoke("ann", at: time).validSince?.seconds }
            }
            return try await group.reduce(into: [Int64?]()) { $0.append($1) }
        }
        #expect(try database.cli("HGET", "gatehouse:user:{ann}", "valid_since") == "\(try #require(times.max()))")
        #expect(answers.contains(times.max()))
        #expect(try database.changes().count == 100)
    }

    @Test func `the stream is bounded`() async throws {
        let command = RedisChange.disabled(uid: "ann", true).command
        #expect(String(decoding: command.bytes, as: UTF8.self).contains("MAXLEN\r\n$1\r\n~\r\n$7\r\n1000000\r\n"))
    }
}
