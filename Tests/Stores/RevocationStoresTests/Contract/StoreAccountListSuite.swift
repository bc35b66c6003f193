import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures

/// The contract of every store for the list of accounts.
@Suite(.closingStores) struct StoreAccountListSuite {
    /// All parts of the list.
    private func parts(_ store: any GatewayStore, limit: Int) async throws -> [[ListedAccount]] {
        var parts: [[ListedAccount]] = []
        var cursor: String?
        repeat {
            let page = try await store.accounts(after: cursor, limit: limit)
            parts.append(page.accounts)
            cursor = page.next
        } while cursor != nil && parts.count < 1_000
        return parts
    }

    private func all(_ store: any GatewayStore, limit: Int = 100) async throws -> [ListedAccount] {
        try await parts(store, limit: limit).flatMap(\.self).sorted { $0.user.name < $1.user.name }
    }

    @Test(arguments: StoreMaker.all)
    func `the list has every account with data or links, and deleted ones`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.accounts(after: nil, limit: 1) == AccountPage())
        let (ann, bob) = (madeUID(1), madeUID(2))
        let made = AccountRecord.made(ann, .google("1"), email: "a@b.c", name: "Ann")
        #expect(try await store.createAccount(made, claimsEmail: true) == .created)
        _ = try await store.claim(.apple("1"), for: ann)
        #expect(try await store.createAccount(.made(bob, .apple("2")), claimsEmail: false) == .created)
        _ = try await store.deleteAccount(bob, unlessChangedFrom: nil)
        let carl = UserKey(uid: "carl:}{%", tenant: "t-1", project: "p")
        _ = try await store.claim(.apple("3"), for: carl)
        // Nothing but an unlinked identity remains of this user.
        _ = try await store.claim(.apple("4"), for: "dora")
        _ = try await store.release(provider: "apple.com", of: "dora")
        // A user without an account.
        try await store.revoke("eve", at: 7)
        let expected = [
            ListedAccount(
                user: ann, email: "a@b.c", name: "Ann", created: 1_700_000_000, providers: ["apple.com", "google.com"]),
            ListedAccount(user: bob, deleted: 1_700_000_000), ListedAccount(user: carl, providers: ["apple.com"]),
        ]
        #expect(try await all(store) == expected)
        #expect(try await all(store, limit: 1) == expected)
    }

    @Test(arguments: StoreMaker.all)
    func `the parts have each account once, and are bounded`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let users = (1...130).map { madeUID($0) }
        for (number, user) in users.enumerated() {
            // Other records are between the accounts.
            try await store.revokeSession("u\(number)", "s", expires: nil)
            _ = try await store.claim(.apple("\(number)"), for: user)
        }
        for limit in [7, 100] {
            let parts = try await parts(store, limit: limit)
            // Redis returns whole buckets of its table.
            let isExact = !(store is RedisStore)
            let bound = isExact ? limit : 2 * limit + 16
            #expect(parts.count >= 130 / bound && parts.allSatisfy { $0.count <= bound })
            #expect(Set(parts.flatMap(\.self).map(\.user)) == Set(users))
            if isExact { #expect(parts.flatMap(\.self).map(\.user) == users) }
        }
    }

    @Test(arguments: StoreMaker.all)
    func `an account stays in the list while others come and go`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for number in 1...60 { _ = try await store.claim(.apple("\(number)"), for: madeUID(number)) }
        var listed: Set<UserKey> = []
        var cursor: String?
        var number = 100
        repeat {
            let page = try await store.accounts(after: cursor, limit: 10)
            listed.formUnion(page.accounts.map(\.user))
            cursor = page.next
            for _ in 0..<20 where number < 400 {
                number += 1
                _ = try await store.claim(.apple("\(number)"), for: madeUID(number))
            }
        } while cursor != nil
        #expect(listed.isSuperset(of: (1...60).map { madeUID($0) }))
    }

    @Test(arguments: StoreMaker.all)
    func `an invalid cursor or limit is rejected`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for cursor in ["", "-", "=", "a b", "1", "x-", "x-0", "x-1", "-1", "x-01", "x--1", "é"] {
            // A name of an account in base64url is a cursor of SQLite, whether the account exists or not.
            guard store is RedisStore || !["1", "x-", "x-0", "x-1", "-1", "x-01", "x--1"].contains(cursor) else {
                continue
            }
            await expectStoreError(.invalidAccount) { _ = try await store.accounts(after: cursor, limit: 1) }
        }
        for limit in [-1, 0, 101, .max] {
            await expectStoreError(.invalidAccount) { _ = try await store.accounts(after: nil, limit: limit) }
        }
    }

    @Test func `a faulty account of Redis does not hide the others`() async throws {
        let (database, store) = try await RedisDatabase.freshStore()
        _ = try await store.claim(.apple("1"), for: "ann")
        _ = try database.cli("HSET", "gatehouse:account:{bob}", "created", "soon", "name", "Bob")
        _ = try database.cli("SET", "gatehouse:account:{carl}", "x")
        _ = try database.cli("HSET", "gatehouse:account:{%7a}", "name", "an unnecessary escape")
        #expect(
            try await all(store) == [
                ListedAccount(user: "ann", providers: ["apple.com"]), ListedAccount(user: "bob", isFaulty: true),
            ])
    }

    @Test func `a cursor of another process of Redis is rejected`() async throws {
        let store = try await RedisDatabase.fresh().loadedStore()
        for number in 1...20 { _ = try await store.claim(.apple("\(number)"), for: madeUID(number)) }
        let next = try #require(try await store.accounts(after: nil, limit: 1).next)
        _ = try await store.accounts(after: next, limit: 1)
        let other = (next.first == "0" ? "1" : "0") + next.dropFirst()
        await expectStoreError(.invalidAccount) { _ = try await store.accounts(after: other, limit: 1) }
    }
}
