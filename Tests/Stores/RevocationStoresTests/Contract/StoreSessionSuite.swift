import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for sessions.
@Suite(.closingStores) struct StoreSessionSuite {
    enum Write: Sendable { case signIn(Int64), revoke }

    @Test(
        arguments: StoreMaker.all,
        [
            ([], SessionRecord()), ([.signIn(100)], SessionRecord(signedInAt: 100)),
            ([.signIn(200), .signIn(100)], SessionRecord(signedInAt: 200)),
            ([.revoke, .signIn(100)], SessionRecord(revoked: true, signedInAt: 100)),
            ([.signIn(100), .revoke], SessionRecord(revoked: true, signedInAt: 100)),
        ] as [([Write], SessionRecord)])
    func `each write returns the record that the store and the view have afterwards`(
        _ maker: StoreMaker, _ history: (writes: [Write], record: SessionRecord)
    ) async throws {
        let store = try await maker()
        var last = SessionRecord()
        for write in history.writes {
            switch write {
            case .signIn(let time): last = try await store.recordSignIn("ann", "1", at: time, expires: nil)
            case .revoke: last = try await store.revokeSession("ann", "1")
            }
        }
        #expect(last == history.record)
        #expect(try await store.session("ann", "1") == history.record)
        let lookup = history.writes.isEmpty ? SessionLookup.none : maker.lookup(history.record)
        #expect(try store.view.session("ann", "1") == lookup)
    }

    @Test(arguments: StoreMaker.all)
    func `a record applies to its own session`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.recordSignIn("ann", "12", at: 100, expires: nil)
        for (uid, session) in [("ann", "1"), ("ann1", "2"), ("ann", "2"), ("bob", "12")] {
            #expect(try store.view.session(uid, session) == .none)
            #expect(try await store.session(uid, session) == SessionRecord())
        }
        #expect(try store.view.user("ann") == .none)
    }

    @Test(arguments: StoreMaker.embedded)
    func `an expired session is purged`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.recordSignIn("ann", "1", at: 100, expires: 1000)
        try await store.recordSignIn("ann", "2", at: 100, expires: 1001)
        try await store.recordSignIn("ann", "3", at: 100, expires: nil)
        #expect(try await store.purge(now: 1000) == 1)
        #expect(try store.view.session("ann", "1") == .none)
        #expect(try await store.session("ann", "1") == SessionRecord())
        #expect(try store.view.session("ann", "2") == .record(revoked: false, signedInAt: 100))
        #expect(try store.view.session("ann", "3") == .record(revoked: false, signedInAt: 100))
    }

    @Test(arguments: StoreMaker.embedded)
    func `an expiry is only ever extended`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.recordSignIn("ann", "1", at: 100, expires: 1000)
        try await store.revokeSession("ann", "1", expires: nil)
        try await store.recordSignIn("ann", "1", at: 100, expires: 500)
        #expect(try await store.purge(now: 999) == 0)
        #expect(try await store.purge(now: 1000) == 1)
    }

    @Test(arguments: StoreMaker.embedded)
    func `a revocation has no expiry`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.recordSignIn("ann", "1", at: 100, expires: 1000)
        try await store.revokeSession("ann", "1")
        try await store.recordSignIn("ann", "1", at: 100, expires: 1100)
        #expect(try await store.purge(now: 2_000_000_000) == 0)
        #expect(try await store.session("ann", "1").revoked)
    }

    @Test(arguments: StoreMaker.embedded)
    func `many expired sessions are purged at once`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in 0..<2500 {
                group.addTask { try await store.recordSignIn("ann", "\(name)", at: 1, expires: 10) }
            }
            try await group.waitForAll()
        }
        #expect(store.view.usage.sessions == 2500)
        #expect(try await store.purge(now: 10) == 2500)
        #expect(store.view.usage.sessions == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `a session has 1 to 256 bytes`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        // A time has one spelling. A record with the time `017` would never be found.
        for session in [
            "", "a\u{0}", "017", "00", String(repeating: "a", count: 257), String(repeating: "\u{1F600}", count: 65),
        ] {
            await expectStoreError(.invalidSession) { try await store.revokeSession("ann", session) }
            await expectStoreError(.invalidSession) {
                try await store.recordSignIn("ann", session, at: 1, expires: nil)
            }
            await expectStoreError(.invalidSession) { _ = try await store.session("ann", session) }
        }
        for session in ["0", "0a", String(repeating: "a", count: 256)] { try await store.revokeSession("ann", session) }
    }

    @Test(arguments: StoreMaker.all)
    func `sessions have the bounds of users and times`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        await expectStoreError(.invalidUID) { try await store.revokeSession("", "1") }
        await expectStoreError(.invalidTime) { try await store.recordSignIn("ann", "1", at: -1, expires: nil) }
        await expectStoreError(.invalidTime) {
            try await store.recordSignIn("ann", "1", at: 1, expires: 1_700_000_000_000)
        }
        #expect(try store.view.session("ann", "1") == .none)
    }
}
