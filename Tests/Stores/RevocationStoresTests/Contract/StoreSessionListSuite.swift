import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for the lists of users' sessions.
@Suite(.closingStores) struct StoreSessionListSuite {
    /// A time after the clock of the Redis server, which removes what has expired long ago.
    private static let now: Int64 = 4_000_000_000

    private func session(
        _ number: Int, ends: Int64 = now + 1000, used: Int64 = now, facts: String = #"{"a":"ü\n:7"}"#
    ) -> ListedSession {
        let digits = String(number, radix: 16)
        return ListedSession(
            id: String(repeating: "0", count: 32 - digits.count) + digits, session: "s:\(number)",
            began: UnixTime(clamping: Self.now - 5), lastUsed: UnixTime(clamping: used), ends: UnixTime(clamping: ends),
            facts: facts)
    }

    private func ids(_ store: any GatewayStore, _ user: UserKey = "ada", now: Int64 = now) async throws -> [Int] {
        try await store.listedSessions(of: user, now: now).compactMap { Int($0.id, radix: 16) }.sorted()
    }

    @Test(arguments: StoreMaker.all)
    func `a session is listed until it ends or is removed`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        let first = session(1)
        #expect(try await store.list(first, of: "ada", now: Self.now))
        #expect(try await store.list(session(2, ends: Self.now + 10), of: "ada", now: Self.now))
        #expect(try await store.listedSessions(of: "ada", now: Self.now).contains(first))
        #expect(try await ids(store) == [1, 2])
        #expect(try await ids(store, now: Self.now + 10) == [1])
        #expect(try await ids(store, "bob").isEmpty)
        #expect(try await ids(store, UserKey(uid: "ada", tenant: "t")).isEmpty)
        var again = first
        again.facts = "{}"
        #expect(try await store.list(again, of: "ada", now: Self.now))
        #expect(try await store.listedSessions(of: "ada", now: Self.now).first { $0.id == first.id } == again)
        try await store.unlist(first.id, of: "bob")
        #expect(try await ids(store) == [1, 2])
        try await store.unlist(first.id, of: "ada")
        #expect(try await ids(store) == [2])
        try await store.unlist(first.id, of: "ada")
    }

    @Test(arguments: StoreMaker.all)
    func `a list has 100 sessions that have not ended`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        for number in 0..<StoreBounds.maximumListedSessions {
            let next = session(number, ends: Self.now + 10 + Int64(number))
            #expect(try await store.list(next, of: "ada", now: Self.now))
        }
        #expect(try await !store.list(session(500), of: "ada", now: Self.now))
        #expect(try await ids(store) == Array(0..<100))
        // A listed session is replaced in a full list, and an ended one makes room.
        #expect(try await store.list(session(7, ends: Self.now + 17), of: "ada", now: Self.now))
        #expect(try await store.list(session(500), of: "ada", now: Self.now + 10))
        #expect(try await ids(store, now: Self.now + 10) == Array(1..<100) + [500])
        #expect(try await store.list(session(1), of: "bob", now: Self.now))
    }

    @Test(arguments: StoreMaker.all)
    func `a use is recorded if it is later`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        for number in 1...2 { #expect(try await store.list(session(number), of: "ada", now: Self.now)) }
        let uses = [
            SessionUse(user: "ada", id: session(1).id), SessionUse(user: "ada", id: session(9).id),
            SessionUse(user: "bob", id: session(1).id),
        ]
        try await store.recordUses(uses, at: Self.now + 60)
        try await store.recordUses(uses, at: Self.now + 30)
        try await store.recordUses([], at: Self.now + 90)
        let listed = try await store.listedSessions(of: "ada", now: Self.now).sorted { $0.id < $1.id }
        var expected = [session(1), session(2)]
        expected[0].lastUsed = UnixTime(clamping: Self.now + 60)
        #expect(listed == expected)
        #expect(try await ids(store, "bob").isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `a session is replaced once, with its record`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        #expect(try await store.list(session(1), of: "ada", now: Self.now))
        try await store.recordSignIn("ada", "s:1", at: 50, isAuthenticated: true, expires: Self.now + 1000)
        let old = ("s:1", session(1).id, Int64?(Self.now + 1000))
        let before = try await store.replace(old, with: session(2), of: "ada")
        #expect(before == SessionRecord(revoked: false, signedInAt: 50, isAuthenticated: true))
        let after = SessionRecord(revoked: true, signedInAt: 50, isAuthenticated: true)
        #expect(try await store.session("ada", "s:1") == after)
        #expect(try store.view.session("ada", "s:1") == maker.lookup(after))
        #expect(try await ids(store) == [2])
        // A session that is revoked changes nothing.
        #expect(try await store.replace(old, with: session(3), of: "ada").revoked)
        #expect(try await ids(store) == [2])
        #expect(try await !store.replace(("s:2", session(2).id, nil), with: nil, of: "ada").revoked)
        #expect(try await ids(store).isEmpty)
        #expect(try await store.session("ada", "s:2").revoked)
    }

    @Test(arguments: StoreMaker.all)
    func `one of a hundred concurrent changes replaces a session`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        #expect(try await store.list(session(1), of: "ada", now: Self.now))
        let old = ("s:1", session(1).id, Int64?(Self.now + 1000))
        #expect(
            try await winners(of: 100) { number in
                try await !store.replace(old, with: self.session(1000 + number), of: "ada").revoked
            } == 1)
        #expect(try await ids(store).count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `a deletion removes the list of the account`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        let account = AccountRecord(user: "ada", created: 1, links: ["google.com": "1"])
        #expect(try await store.createAccount(account, claimsEmail: false) == .created)
        for user in ["ada", "bob"] as [UserKey] {
            #expect(try await store.list(session(1), of: user, now: Self.now))
        }
        _ = try await store.deleteAccount("ada", unlessChangedFrom: nil)
        #expect(try await ids(store).isEmpty)
        #expect(try await ids(store, "bob") == [1])
    }

    @Test(arguments: StoreMaker.embedded)
    func `a purge removes sessions that have ended`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        for number in 1...3 {
            #expect(try await store.list(session(number, ends: Self.now + Int64(number)), of: "ada", now: Self.now))
        }
        #expect(try await store.purge(now: Self.now + 2) == 2)
        #expect(try await ids(store, now: Self.now) == [3])
    }

    @Test(arguments: StoreMaker.all)
    func `an entry has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker(now: Self.now)
        let long = String(repeating: "x", count: StoreBounds.maximumSessionFacts)
        #expect(try await store.list(session(1, facts: long), of: "ada", now: Self.now))
        #expect(try await store.listedSessions(of: "ada", now: Self.now).map(\.facts) == [long])
        for facts in ["", long + "x"] {
            await expectStoreError(.invalidAccount) {
                _ = try await store.list(session(1, facts: facts), of: "ada", now: Self.now)
            }
        }
        for id in ["", "x", String(repeating: "G", count: 32), String(repeating: "A", count: 32)] {
            var wrong = session(1)
            wrong.id = id
            await expectStoreError(.invalidAccount) { _ = try await store.list(wrong, of: "ada", now: Self.now) }
        }
    }
}
