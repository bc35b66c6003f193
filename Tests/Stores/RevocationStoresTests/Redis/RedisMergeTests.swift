import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures

/// Merges of accounts that a gateway did not complete after the step that merges them.
@Suite(.closingStores) struct RedisMergeTests {
    private let ann = madeUID(0xa)
    private let bob = madeUID(0xb)
    private let now: UnixTime = 1_700_000_000

    /// The keys right after the script: the addresses of both are released, and the source's list of sessions exists.
    private func interrupted() async throws -> (RedisDatabase, RedisStore) {
        let database = try await RedisDatabase.fresh()
        let commands = [
            ["HSET", "gatehouse:deleting", ann.name, "\(now)"],
            [
                "HSET", "gatehouse:account:{\(ann)}", "deleted", "\(now)", "merged_into", bob.name, "releasing:a@b.c",
                "1",
            ],
            ["HSET", "gatehouse:user:{\(ann)}", "valid_since", "\(now)", "disabled", "1", "deleted", "\(now)"],
            ["SET", "gatehouse:email:{a@b.c}", ann.name], ["HSET", "gatehouse:sessions:{\(ann)}", "x", "y"],
            [
                "HSET", "gatehouse:account:{\(bob)}", "created", "1600000000", "email_verified", "0", "link:apple.com",
                "1", "releasing:b@b.c", "lost",
            ],
            ["SET", "gatehouse:link:{apple.com:1}", bob.name],
        ]
        for command in commands { try database.server.cli(["-n", "\(database.number)"] + command) }
        return (database, try await database.loadedStore())
    }

    private func expectMerged(_ database: RedisDatabase, _ store: RedisStore) async throws {
        let fields = try database.cli("HGETALL", "gatehouse:account:{\(ann)}")
        #expect(fields == "deleted\n\(now)\nmerged_into\n\(bob)", "nothing else remains")
        for key in ["gatehouse:email:{a@b.c}", "gatehouse:sessions:{\(ann)}", "gatehouse:deleting"] {
            #expect(try database.cli("EXISTS", key) == "0", "\(key)")
        }
        #expect(try database.contradictions() == "")
        let changes = try database.changes()
        #expect(changes.contains("uid \(ann) disabled 1") && changes.contains("link apple.com:1 uid \(bob)"))
        #expect(try await store.user(bob).validSince != nil, "the sessions of the target state its lost address")
        #expect(try await store.mergeTarget(of: ann) == bob)
        #expect(try await store.owner(of: .apple("1")) == bob)
    }

    @Test func `a repetition completes a merge`() async throws {
        let (database, store) = try await interrupted()
        #expect(try await store.merge(ann, into: bob) == .merged([]))
        try await expectMerged(database, store)
    }

    @Test func `a purge completes a merge`() async throws {
        let (database, store) = try await interrupted()
        #expect(try await store.purge(now: now.adding(60).seconds) == 1)
        try await expectMerged(database, store)
    }

    @Test func `the next owner of the address completes a merge`() async throws {
        let (database, store) = try await interrupted()
        #expect(try await store.uid(ofEmail: "a@b.c") == nil)
        #expect(try await store.merge(ann, into: bob) == .merged([]))
        try await expectMerged(database, store)
    }

    @Test func `an interrupted removal of the target is completed first`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        #expect(try await store.createAccount(.made(ann, .apple("1")), claimsEmail: false) == .created)
        #expect(try await store.createAccount(.made(bob, .google("1")), claimsEmail: false) == .created)
        _ = try database.cli("HSET", "gatehouse:account:{\(bob)}", "unlinking:apple.com", "9")
        _ = try database.cli("SET", "gatehouse:link:{apple.com:9}", bob.name)
        // A listed link that another account holds does not count.
        _ = try database.cli("HSET", "gatehouse:account:{\(ann)}", "link:google.com", "1")
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
        #expect(try await store.owner(of: .apple("9")) == nil)
        #expect(try database.contradictions() == "")
    }

    @Test func `a faulty account is not merged`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        #expect(try await store.createAccount(.made(ann, .apple("1")), claimsEmail: false) == .created)
        #expect(try await store.createAccount(.made(bob, .google("1")), claimsEmail: false) == .created)
        _ = try database.cli("HSET", "gatehouse:account:{\(bob)}", "email_verified", "x")
        await expectStoreError(.faultyRecord) { _ = try await store.merge(ann, into: bob) }
        #expect(try await store.owner(of: .apple("1")) == ann)
    }
}
