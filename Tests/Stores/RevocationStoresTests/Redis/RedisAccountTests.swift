import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// The keys and entries of accounts in Redis, and faulty ones.
@Suite(.closingStores) struct RedisAccountTests {
    private let ann = madeUID(0xa)

    @Test func `the keys follow the contract`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        let link = IdentityLink(provider: "microsoft.com", subject: "tid:{oid}")
        let account = AccountRecord.made(ann, link, email: "a+b%@example.com", name: "Ann")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try database.cli("GET", "gatehouse:link:{microsoft.com:tid%3A%7Boid%7D}") == ann.uid)
        #expect(try database.cli("GET", "gatehouse:email:{a+b%25@example.com}") == ann.uid)
        let fields = ["created", "email_verified", "email", "email_from", "name", "link:microsoft.com"]
        let values = try fields.map { try database.cli("HGET", "gatehouse:account:{\(ann)}", $0) }
        #expect(values == ["1700000000", "1", "a+b%@example.com", "microsoft.com", "Ann", "tid:{oid}"])
        #expect(try database.cli("HLEN", "gatehouse:account:{\(ann)}") == "6")
        #expect(try database.changes() == ["link microsoft.com:tid:{oid} uid \(ann)"])
        _ = try await store.setting("issuer", initial: Array("x".utf8))
        #expect(try database.cli("GET", "gatehouse:setting:issuer") == "x")
    }

    @Test func `an unlinked identity has its own field`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        _ = try await store.createAccount(.made(ann, .apple("{1}:2"), email: "a@b.c"), claimsEmail: true)
        _ = try await store.claim(.google("1"), for: ann)
        _ = try await store.release(provider: "apple.com", of: ann)
        let fields = try database.cli("HKEYS", "gatehouse:account:{\(ann)}").split(separator: "\n")
        #expect(Set(fields) == ["created", "link:google.com", "unlinked:apple.com:{1}:2"])
        #expect(try database.cli("EXISTS", "gatehouse:email:{a@b.c}") == "0")
    }

    @Test func `every change of a link has an entry`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        _ = try await store.claim(.apple("1"), for: "u")
        _ = try await store.claim(.google("1"), for: "u")
        _ = try await store.release(provider: "apple.com", of: "u")
        try await store.releaseAll(of: "u")
        #expect(
            try database.linkChanges() == [
                "link apple.com:1 uid u", "link google.com:1 uid u", "link apple.com:1 uid ", "link google.com:1 uid ",
            ])
    }

    @Test func `a change moves the generation in another gateway`() async throws {
        let database = try await RedisDatabase.fresh()
        let (one, other) = (try await database.loadedStore(), try await database.loadedStore())
        let places = ["apple.com:1", "google.com:7"].map { LinkGenerations.place(of: $0) }
        let before = places.map { other.linkGenerations.generation(at: $0) }
        _ = try await one.claim(.apple("1"), for: "u")
        try await eventually("the entry in the other gateway") {
            other.linkGenerations.generation(at: places[0]) != before[0] ? true : nil
        }
        #expect(other.linkGenerations.generation(at: places[1]) == before[1])
        #expect(other.health?.malformedChanges == 0)
        let claimed = other.linkGenerations.generation(at: places[0])
        _ = try await one.release(provider: "apple.com", of: "u")
        try await eventually("the entry of the removal") {
            other.linkGenerations.generation(at: places[0]) != claimed ? true : nil
        }
        #expect(other.health?.malformedChanges == 0)
    }

    @Test func `all generations move after a gap`() async throws {
        let database = try await RedisDatabase.fresh()
        // The deletion is detected after a blocking read, which lasts a quarter of this time.
        let store = try database.store(maxStaleness: .milliseconds(400))
        try await store.load()
        try await store.revoke("u", at: 1)
        let before = store.linkGenerations.generation(at: 9)
        try database.cli("DEL", "gatehouse:changes")
        try database.cli("XADD", "gatehouse:changes", "9999999999999-0", "uid", "u", "disabled", "0")
        try await eventually("the read after the gap") {
            store.linkGenerations.generation(at: 9) != before ? true : nil
        }
    }

    @Test(arguments: [
        ["SET", "gatehouse:account:{u}", "x"], ["HSET", "gatehouse:account:{u}", "created", "milk"],
        ["HSET", "gatehouse:account:{u}", "created", "1700000000000"],
        ["HSET", "gatehouse:account:{u}", "email_verified", "true"],
    ])
    func `a faulty account is an error only for itself`(_ command: [String]) async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        try database.server.cli(["-n", "\(database.number)"] + command)
        await expectStoreError(.faultyRecord) { _ = try await store.account("u") }
        await expectStoreError(.faultyRecord) { _ = try await store.claim(.apple("1"), for: "u") }
        await expectStoreError(.faultyRecord) { _ = try await store.release(provider: "apple.com", of: "u") }
        #expect(try await store.owner(of: .apple("1")) == nil)
        #expect(try await store.claim(.apple("1"), for: "v") != .providerTaken)
    }

    @Test func `a faulty owner is an error only for its identity`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        try database.cli("HSET", "gatehouse:link:{apple.com:1}", "a", "b")
        try database.cli("SET", "gatehouse:link:{apple.com:2}", "")
        try database.cli("HSET", "gatehouse:email:{a@b.c}", "a", "b")
        for subject in ["1", "2"] {
            await expectStoreError(.faultyRecord) { _ = try await store.owner(of: .apple(subject)) }
            await expectStoreError(.faultyRecord) { _ = try await store.claim(.apple(subject), for: "u") }
        }
        await expectStoreError(.faultyRecord) { _ = try await store.uid(ofEmail: "a@b.c") }
        #expect(try await store.account("u") == nil)
        try database.cli("SET", "gatehouse:setting:issuer", "")
        await expectStoreError(.faultyRecord) { _ = try await store.setting("issuer", initial: [1]) }
    }
}
