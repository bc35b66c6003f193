import GatewayCore
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import Revocation
@testable import StoreFixtures

/// Users of several tenants and projects in every store.
@Suite(.closingStores) struct TenantUserSuite {
    private static let acme = UserKey(uid: "alice", tenant: "acme-x1")
    private static let globex = UserKey(uid: "alice", tenant: "globex-y2")
    private static let app = UserKey(uid: "alice", tenant: nil, project: "my-app")
    private static let appAcme = UserKey(uid: "alice", tenant: "acme-x1", project: "my-app")
    private static let all: [UserKey] = [acme, globex, "alice", app, appAcme]

    private func seen(_ user: UserKey, in view: StoreView) throws -> UserLookup {
        view.user(try #require(StoreKey(user, hasher: try .required())), lane: 0)
    }

    @Test func `no two users share a name`() {
        let names: [UserKey] = [
            Self.acme, Self.globex, "alice", "acme-x1:alice", UserKey(uid: "x1:alice", tenant: "acme"),
            UserKey(uid: "1", tenant: "apple"), "apple.com:1", UserKey(uid: "apple.com:1", tenant: "acme-x1"),
            Self.app, Self.appAcme, UserKey(uid: "alice", tenant: "my-app"), "my-app::alice",
            UserKey(uid: "alice", tenant: "my-app", project: "acme-x1"), UserKey(uid: "a", tenant: nil, project: "b:c"),
            UserKey(uid: "c:a", tenant: nil, project: "b"),
        ]
        #expect(Set(names).count == names.count)
        #expect(Set(names.map(\.name)).count == names.count)
        for name in names {
            let parsed = UserKey(name: name.name)
            #expect(parsed == name && parsed.uid == name.uid)
            #expect(parsed.tenant == name.tenant && parsed.project == name.project)
        }
    }

    @Test func `names are compared by their bytes`() {
        let kelvin = UserKey(uid: "\u{212A}", tenant: nil)
        #expect(kelvin != "K")
        #expect(Set([kelvin, "K"]).count == 2)
    }

    @Test(
        arguments: [("acme-x1", true), ("A_1", true), ("", false), ("a.b", false), ("a:b", false), ("a\u{1F}", false)])
    func `a tenant has letters, digits, hyphens and underscores`(text: String, isTenant: Bool) async throws {
        #expect(UserKey.isTenant(text.utf8) == isTenant)
        let store = try await StoreMaker.sqliteMemory()
        let user = UserKey(uid: "alice", tenant: text)
        if isTenant {
            #expect(try await store.revoke(user, at: 5) == UserRecord(validSince: 5))
        } else {
            await expectStoreError(.invalidUID) { try await store.revoke(user, at: 5) }
        }
    }

    @Test(arguments: [
        ("my-app", true), ("example.com:my-app", true), ("A_1", true), ("", false), ("apple.com", false),
        ("a\u{1F}b", false), ("a/b", false),
    ])
    func `a project has a dot only before a colon`(text: String, isProject: Bool) async throws {
        #expect(UserKey.isProject(text.utf8) == isProject)
        let store = try await StoreMaker.sqliteMemory()
        let user = UserKey(uid: "alice", tenant: nil, project: text)
        if isProject {
            #expect(try await store.revoke(user, at: 5) == UserRecord(validSince: 5))
        } else {
            await expectStoreError(.invalidUID) { try await store.revoke(user, at: 5) }
        }
    }

    @Test(arguments: StoreMaker.all)
    func `a revocation applies to the user of one tenant only`(_ maker: StoreMaker) async throws {
        for user in Self.all {
            let store = try await maker()
            try await store.revoke(user, at: 100)
            try await store.setDisabled(user, true)
            for other in Self.all {
                let expected = other == user ? UserRecord(validSince: 100, disabled: true) : UserRecord()
                #expect(try await store.user(other) == expected)
                #expect(
                    try seen(other, in: store.view)
                        == (other == user ? .record(validSince: 100, disabled: true) : .none))
            }
        }
    }

    @Test(arguments: StoreMaker.all)
    func `a session belongs to the user of one tenant only`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.revokeSession(Self.acme, "17", expires: nil)
        #expect(try await store.session(Self.acme, "17").revoked)
        #expect(try await store.session(Self.globex, "17") == SessionRecord())
        #expect(try await store.session(Self.appAcme, "17") == SessionRecord())
        #expect(try await store.session("alice", "17") == SessionRecord())
        let key = try #require(StoreKey(Self.acme, session: "17", hasher: try .required()))
        #expect(store.view.session(key, lane: 0) == maker.lookup(SessionRecord(revoked: true)))
    }

    @Test(arguments: StoreMaker.all)
    func `a link belongs to one tenant's user`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let linked = AccountRecord(user: Self.acme, links: ["apple.com": "1"])
        #expect(try await store.claim(.apple("1"), for: Self.acme) == .linked(linked))
        #expect(try await store.claim(.apple("1"), for: Self.globex) == .taken(uid: Self.acme))
        #expect(try await store.claim(.apple("1"), for: Self.appAcme) == .taken(uid: Self.acme))
        #expect(try await store.claim(.apple("1"), for: UserKey("alice")) == .taken(uid: Self.acme))
        #expect(try await store.owner(of: .apple("1")) == Self.acme)
        #expect(try await store.account(Self.acme) == linked)
        #expect(try await store.account(Self.globex) == nil)
        #expect(try await store.setEmail("a@b.c", verified: true, from: .apple("1"), of: Self.acme, claimsEmail: true))
        #expect(try await store.uid(ofEmail: "a@b.c") == Self.acme)
        #expect(try await store.releaseAll(of: Self.acme) == [.apple("1")])
        #expect(try await store.claim(.apple("1"), for: Self.globex) != .taken(uid: Self.acme))
        #expect(try await store.claim(.apple("2"), for: Self.app) != .taken(uid: Self.acme))
        #expect(try await store.owner(of: .apple("2")) == Self.app)
        #expect(try await store.account(Self.app)?.user.project == "my-app")
        #expect(try await store.account("alice") == nil)
    }

    @Test func `a tenant's records are read from the file again`() async throws {
        let file = try SQLiteFile()
        let first = try file.open()
        try await first.load()
        try await first.revoke(Self.acme, at: 100)
        try await first.revokeSession(Self.globex, "17", expires: nil)
        try await first.close()
        #expect(
            try SQLiteLookup.records(path: file.path, of: Self.acme, session: nil)?.user.user
                == .record(validSince: 100, disabled: false))
        let second = try file.open()
        try await second.load()
        #expect(try seen(Self.acme, in: second.view) == .record(validSince: 100, disabled: false))
        #expect(try seen(Self.globex, in: second.view) == .none)
        #expect(try await second.session(Self.globex, "17").revoked)
        try await second.close()
    }
}
