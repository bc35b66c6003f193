import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// The layout of keys for a Redis Cluster: no step needs two hash slots.
@Suite(.closingStores) struct RedisClusterLayoutTests {
    /// A cluster of one node, which rejects commands across slots. All tests share it, because its start takes 2 s.
    private static let cluster = Task {
        let busPort = Int.random(in: 20_000..<30_000)
        let database = try await RedisDatabase.onOwnServer(["cluster-enabled yes", "cluster-port \(busPort)"])
        try database.server.cli("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        try await eventually("the cluster") {
            try database.server.cli("CLUSTER", "INFO").contains("cluster_state:ok") ? true : nil
        }
        return database
    }

    @Test func `every step runs in a cluster`() async throws {
        let store = try await Self.cluster.value.loadedStore()
        let digest = try #require(SHA256Hasher()?.hash([1]))
        #expect(try await store.revoke("a{b}:c", at: 7) == UserRecord(validSince: 7))
        #expect(try await store.setDisabled("a{b}:c", true) == UserRecord(validSince: 7, disabled: true))
        #expect(try await store.unrevoke("a{b}:c") == UserRecord(disabled: true))
        #expect(
            try await store.revokeSession("a{b}:c", "}1:2{", expires: 4_000_000_000) == SessionRecord(revoked: true))
        #expect(try await store.recordSignIn("a{b}:c", "}1:2{", at: 5, expires: nil).signedInAt == 5)
        #expect(try await store.user("a{b}:c") == UserRecord(disabled: true))
        #expect(try await store.session("a{b}:c", "}1:2{") == SessionRecord(revoked: true, signedInAt: 5))
        try await store.putNonce(digest, purpose: "any", lifetime: 9)
        #expect(try await store.takeNonce(digest) == "any")
        #expect(try await store.markSeen(digest, lifetime: 9))
        #expect(try await store.reserve("a{b}:d", for: "corp", until: 7, limit: 1) == .reserved)
        let author = ChangeAuthor(transmitter: "corp", time: 5, expires: 7)
        #expect(try await store.setDisabled("a{b}:d", true, by: author).disabled)
        _ = try await store.purge(now: 8)
        #expect(try await !store.user("a{b}:d").disabled)
    }

    @Test func `every step of accounts runs in a cluster`() async throws {
        let store = try await Self.cluster.value.loadedStore()
        let account = AccountRecord.made(madeUID(1), IdentityLink(provider: "oidc.a", subject: "}1:2{"), email: "{}")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        #expect(try await store.claim(.apple("1"), for: account.uid) != .providerTaken)
        #expect(try await store.release(provider: "oidc.a", of: account.uid) != .last)
        #expect(
            try await store.setEmail("a@b.c", verified: true, from: .apple("1"), of: account.uid, claimsEmail: true))
        try await store.setNameIfAbsent("Ann", of: account.uid)
        #expect(try await store.setProfile(ProfileChange(name: .set("Bob"), picture: .removed), of: account.user))
        let change = EmailChange(previous: "a@b.c", email: "d@e.f", proof: .identity(.apple("1")))
        #expect(try await store.changeEmail(change, of: account.user, claimsEmail: true) == .changed())
        #expect(try await store.account(account.uid)?.links == ["apple.com": "1"])
        #expect(try await store.releaseAll(of: account.uid) == [.apple("1")])
        _ = try await store.claim(.apple("2"), for: account.uid)
        let record = try await store.user(account.user)
        #expect(record.validSince != nil, "the losses of addresses end sessions")
        #expect(try await store.deleteAccount(account.user, unlessChangedFrom: record) == .deleted([.apple("2")]))
        #expect(try await store.completeDeletion(of: account.user, holding: .apple("2")))
        _ = try await store.purge(now: 4_000_000_000)
        #expect(try await store.setting("issuer", initial: [1]) == [1])
    }

    @Test func `every step of the outbox but the removal of an identity runs in a cluster`() async throws {
        let store = try await Self.cluster.value.loadedStore()
        let token = try #require(KeptToken(isRefreshToken: true, sealed: "t"))
        try await store.keepToken(token, of: .apple("1"), for: "ann")
        #expect(try await store.countRemoval(by: "ann"))
        #expect(try await store.countLink(to: "ann@example.com"))
        for destination in ["apple.com", "oidc.}{", "webhook"] {
            let message = OutboxMessage(id: "a-1", kind: .event, destination: destination, queued: 5, body: "{}")
            #expect(try await store.pollOutbox(of: destination, by: "a", lease: 60, limit: 9).isHolder)
            try await store.postponeMessage(message, by: 1)
            try await store.parkMessage(message, for: .expired)
            try await store.removeMessage(message)
            #expect(try await store.parkedMessages(of: destination, limit: 9) == [])
            #expect(try await store.retryMessages(of: destination, parkedFor: [.expired], limit: 9) == 0)
            #expect(try await store.discardMessages(of: destination, limit: 9) == 0)
            try await store.releaseOutbox(of: destination, by: "a")
        }
    }

    @Test func `a call that charges several rate limits runs in a cluster`() async throws {
        let store = try await Self.cluster.value.store()
        let rates = RedisRateStore(store.configuration, loop: RedisDatabase.loop, clock: .system, logger: .silent)
        let charges = (1...9).map { RateCharge(name: "l:u\($0)", requests: 1, interval: 1_000, longest: 9_000) }
        let times = try await rates.charge(charges)
        #expect(times == [UInt64](repeating: 1_000, count: charges.count))
        await rates.close()
    }

    @Test func `the records of a user are in one slot`() async throws {
        let cluster = try await Self.cluster.value
        let slot = { (key: [UInt8]) in
            try cluster.server.cli("CLUSTER", "KEYSLOT", String(decoding: key, as: UTF8.self))
        }
        for uid in ["ann", "a{b}", "{}", "}{", "a:b", "\u{e9}", "%7B"] {
            let user = try slot(RedisKeys.user(UserKey(uid)))
            for session in ["1", "apple.com:1", "{x}", "}"] {
                #expect(try slot(RedisKeys.session(UserKey(uid), session)) == user, "\(uid) \(session)")
            }
        }
    }

    @Test func `the cluster refuses a script that uses another key`() async throws {
        let database = try await Self.cluster.value
        let answer = try database.server.cli(
            "EVAL", "#!lua\nreturn redis.call('HSET', 'gatehouse:changes', 'a', 'b')", "1", "gatehouse:user:{ann}")
        #expect(answer.contains("ERR"))
    }
}
