import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import StoreFixtures

/// The order of sessions and revocations in every store. It does not depend on the clocks of the gateways.
@Suite(.closingStores) struct StoreSessionOrderSuite {
    private static let link = IdentityLink(provider: "oidc.x", subject: "1")

    @Test(arguments: StoreMaker.all)
    func `a session begins now if nothing was revoked`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(
            try await store.beginSession("ann", at: 100) == SessionStart(started: 100, record: UserRecord()))
        #expect(try await store.user("ann") == UserRecord())
        #expect(try store.view.user("ann") == .none)
    }

    @Test(arguments: StoreMaker.all)
    func `a session begins after the revocation of the same second`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 100, .everything)
        let start = try await store.beginSession("ann", at: 100)
        #expect(start == SessionStart(started: 101, record: UserRecord(validSince: 100)))
    }

    @Test(arguments: StoreMaker.all)
    func `a revocation of everything covers a session that a faster clock began`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let start = try await store.beginSession("ann", at: 102)
        let record = try await store.revoke("ann", at: 100, .everything)
        #expect(record.validSince == start.started)
        #expect(try store.view.user("ann") == .record(validSince: 102, disabled: false))
        // Credentials are compared with the time of the revocation.
        #expect(try await store.user("ann").credentialsSince == 100)
        #expect(try await store.beginSession("ann", at: 100).started == 103)
        try await store.revoke("ann", at: 101, .everything)
        let user = try await store.user("ann")
        #expect(user.validSince == 103 && user.credentialsSince == 101)
    }

    @Test(arguments: StoreMaker.all)
    func `a late revocation with an earlier time restores no credential`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revoke("ann", at: 100, .everything)
        let first = try await store.beginSession("ann", at: 100).started
        #expect(try await store.revoke("ann", at: 90, .everything).validSince == first)
        #expect(try await store.user("ann").credentialsSince == 100)
        // The same if the time for credentials is already earlier than that of sessions.
        let second = try await store.beginSession("ann", at: 100).started
        #expect(try await store.revoke("ann", at: 95, .everything).validSince == second)
        #expect(try await store.user("ann").credentialsSince == 100)
        #expect(try await store.revoke("ann", at: 101, .everything).validSince == second)
        #expect(try await store.user("ann").credentialsSince == 101)
    }

    @Test(arguments: StoreMaker.all)
    func `a revocation of a time leaves the sessions after it`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.beginSession("ann", at: 102)
        #expect(try await store.revoke("ann", at: 100).validSince == 100)
        try await store.revoke("ann", at: 103)
        #expect(try await store.user("ann") == UserRecord(validSince: 103))
    }

    @Test(arguments: StoreMaker.all)
    func `a revocation of a time covers a session that began before it and again after it`(
        _ maker: StoreMaker
    ) async throws {
        let store = try await maker()
        let ann = UserKey("ann")
        _ = try await store.beginSession(ann, at: 100)
        _ = try await store.beginSession(ann, at: 110, restartedFrom: 100)
        #expect(try await store.beginSession(ann, at: 120, restartedFrom: 110).started == 120)
        #expect(try await store.revoke(ann, at: 99).validSince == 99)
        #expect(try await store.revoke(ann, at: 100).validSince == 120)
        #expect(try store.view.user("ann") == .record(validSince: 120, disabled: false))
        #expect(try await store.user(ann).credentialsSince == 100)
        // A session that begins again later than it should is a new one.
        #expect(try await store.beginSession(ann, at: 119, restartedFrom: 99).started == 121)
        #expect(try await store.revoke(ann, at: 105).validSince == 120)
    }

    @Test(arguments: StoreMaker.all)
    func `reverting a revocation keeps the order`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.beginSession("ann", at: 102)
        try await store.revoke("ann", at: 100, .everything)
        #expect(try await store.unrevoke("ann") == UserRecord())
        #expect(try await store.user("ann") == UserRecord())
        #expect(try await store.revoke("ann", at: 100, .everything).validSince == 102)
    }

    @Test(arguments: StoreMaker.all)
    func `concurrent sessions and revocations have one order`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for round in 0..<40 {
            let uid = "user-\(round)"
            async let first = store.beginSession(uid, at: 102)
            async let revoked = store.revoke(uid, at: 100, .everything)
            let start = try await first
            let since = try #require(try await revoked.validSince)
            #expect(start.record.validSince == nil ? start.started <= since : start.started > since)
        }
    }

    @Test(arguments: StoreMaker.all)
    func `the removal of a link ends the sessions that the identity began`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let other = IdentityLink(provider: "oidc.y", subject: "2")
        for link in [Self.link, other] { _ = try await store.claim(link, for: "ann") }
        for link in [Self.link, other] { _ = try await store.beginSession(link.name, at: 1_700_000_005) }
        _ = try await store.release(provider: "oidc.x", of: "ann")
        #expect(try store.view.user(Self.link.name) == .record(validSince: 1_700_000_005, disabled: false))
        #expect(try store.view.user(other.name) == .none)
        try await store.releaseAll(of: "ann")
        #expect(try store.view.user(other.name) == .record(validSince: 1_700_000_005, disabled: false))
        #expect(try await store.beginSession(other.name, at: 1_700_000_000).started == 1_700_000_006)
    }

    @Test(arguments: StoreMaker.all)
    func `the removal of a link ends sessions without a recorded identity, and no credential`(
        _ maker: StoreMaker
    ) async throws {
        let store = try await maker()
        for revoked: Int64? in [nil, 1_600_000_000] {
            _ = try await store.claim(Self.link, for: "ann")
            if let revoked { try await store.revoke(Self.link.name, at: revoked) }
            _ = try await store.release(provider: "oidc.x", of: "ann")
            let record = try await store.user(Self.link.name)
            #expect(try #require(record.validSince) >= UnixTime(clamping: ManualClock.start))
            #expect(record.credentialsSince == UnixTime(clamping: revoked ?? 0))
            try await store.unrevoke(Self.link.name)
        }
    }

    @Test(arguments: StoreMaker.all)
    func `the record states whether the latest proof was an authentication`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        func record(_ time: Int64, _ isAuthenticated: Bool) async throws -> SessionRecord {
            try await store.recordSignIn("ann", "1", at: time, isAuthenticated: isAuthenticated, expires: nil)
        }
        #expect(try await record(100, false) == SessionRecord(signedInAt: 100))
        #expect(try await record(100, true) == SessionRecord(signedInAt: 100, isAuthenticated: true))
        #expect(try await record(100, false) == SessionRecord(signedInAt: 100, isAuthenticated: true))
        #expect(try await record(90, true) == SessionRecord(signedInAt: 100, isAuthenticated: true))
        #expect(try await record(110, false) == SessionRecord(signedInAt: 110))
        #expect(try await record(105, true) == SessionRecord(signedInAt: 110))
        #expect(try await store.session("ann", "1") == SessionRecord(signedInAt: 110))
    }
}
