import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures
@testable import SystemFixtures

/// The contract of every store for records that exist only because of events of transmitters.
@Suite(.closingStores) struct StoreUnknownUserSuite {
    private static let end: UnixTime = 1_700_001_000
    private static let author = ChangeAuthor(transmitter: "corp", time: 5, expires: end)

    private static func reserve(
        _ user: UserKey, _ store: any GatewayStore, for transmitter: String = "corp", until expires: UnixTime? = end,
        limit: Int = 2
    ) async throws -> RecordReservation {
        try await store.reserve(user, for: transmitter, until: expires, limit: limit)
    }

    @Test(arguments: StoreMaker.all)
    func `the places of each transmitter are bounded`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await Self.reserve("ann", store) == .reserved)
        #expect(try await Self.reserve("bob", store) == .reserved)
        #expect(try await Self.reserve("cem", store) == .full)
        #expect(try await Self.reserve("ann", store) == .reserved, "a user has one place")
        #expect(try await Self.reserve("cem", store, limit: 3) == .reserved)
        #expect(try await Self.reserve("cem", store, for: "other") == .reserved)
        let tenant = UserKey(uid: "ann", tenant: "t")
        #expect(try await Self.reserve(tenant, store, limit: 3) == .full)
        await expectStoreError(.invalidUID) { _ = try await Self.reserve("", store) }
    }

    @Test(arguments: StoreMaker.all)
    func `concurrent reservations do not exceed the bound`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let count = try await winners(of: 40) { number in
            try await Self.reserve("user-\(number)", store, limit: 7) == .reserved
        }
        #expect(count == 7)
    }

    @Test(arguments: StoreMaker.all)
    func `a user with a record that does not end needs no place`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 7)
        _ = try await store.beginSession("bob", at: 7)
        for user in ["ann", "bob"] as [UserKey] {
            #expect(try await Self.reserve(user, store, limit: 0) == .known)
            try await store.revoke(user, at: 8, .before, by: Self.author)
            try await store.setDisabled(user, true, by: Self.author)
        }
        #expect(try await store.purge(now: 4_000_000_000) == 0)
        #expect(try await store.user("ann") == UserRecord(validSince: 8, disabled: true))
        #expect(try await store.user("bob") == UserRecord(validSince: 8, disabled: true))
    }

    @Test(arguments: StoreMaker.all)
    func `a record ends with its time, and its place is free`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for user in ["ann", "bob"] as [UserKey] {
            #expect(try await Self.reserve(user, store) == .reserved)
            try await store.revoke(user, at: 8, .everything, by: Self.author)
            try await store.setDisabled(user, true, by: Self.author)
        }
        #expect(try store.view.user("ann") == .record(validSince: 8, disabled: true))
        #expect(try await store.purge(now: Self.end.seconds - 1) == 0)
        #expect(try await Self.reserve("cem", store) == .full)
        #expect(try await store.purge(now: Self.end.seconds) == 2)
        #expect(try await store.user("ann") == UserRecord())
        try await eventually("the view") { try store.view.user("ann") == .none ? true : nil }
        #expect(try await Self.reserve("cem", store) == .reserved)
        #expect(try await Self.reserve("ann", store) == .reserved)
        #expect(try await store.purge(now: Self.end.seconds) == 2, "places without records")
    }

    @Test(arguments: StoreMaker.all)
    func `a later event moves the end, and an earlier one does not`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        var author = Self.author
        for expires in [Self.end, Self.end.adding(50), Self.end.adding(10)] {
            author.expires = expires
            #expect(try await Self.reserve("ann", store, until: expires) == .reserved)
            try await store.revoke("ann", at: 8, .before, by: author)
        }
        _ = try await store.purge(now: Self.end.seconds + 49)
        #expect(try await store.user("ann") == UserRecord(validSince: 8))
        _ = try await store.purge(now: Self.end.seconds + 50)
        #expect(try await store.user("ann") == UserRecord())
    }

    @Test(arguments: StoreMaker.all)
    func `a session or another author keeps the record`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let users: [UserKey] = ["session", "revoked", "disabled", "endless"]
        for user in users {
            #expect(try await Self.reserve(user, store, limit: 4) == .reserved)
            try await store.revoke(user, at: 8, .before, by: Self.author)
        }
        _ = try await store.beginSession("session", at: 9)
        try await store.revoke("revoked", at: 7)
        try await store.setDisabled("disabled", true)
        var author = Self.author
        author.expires = nil
        try await store.revoke("endless", at: 8, .before, by: author)
        _ = try await store.purge(now: 4_000_000_000)
        for user in users { #expect(try await store.user(user).validSince == 8, "\(user)") }
        #expect(try await Self.reserve("another", store, limit: 1) == .reserved, "the places are free")
    }

    @Test(arguments: StoreMaker.all)
    func `a place without an end stays`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await Self.reserve("ann", store, until: nil, limit: 1) == .reserved)
        #expect(try await store.purge(now: 4_000_000_000) == 0)
        #expect(try await Self.reserve("bob", store, limit: 1) == .full)
    }

    @Test func `an unknown user's record survives a restart with its end`() async throws {
        let file = try SQLiteFile()
        let store = try file.open()
        try await store.load()
        #expect(try await Self.reserve("ann", store) == .reserved)
        try await store.setDisabled("ann", true, by: Self.author)
        try await store.close()
        let next = try file.open(clock: .facts(at: Self.end.seconds - 1))
        try await next.load()
        #expect(try next.view.user("ann") == .record(validSince: nil, disabled: true))
        #expect(try await Self.reserve("bob", next, limit: 1) == .full)
        #expect(try await next.purge(now: Self.end.seconds) == 1)
        #expect(try next.view.user("ann") == .none)
        try await next.close()
    }
}
