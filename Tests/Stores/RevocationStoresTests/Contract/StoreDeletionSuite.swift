import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// The deletion of an account in every store.
@Suite(.closingStores) struct StoreDeletionSuite {
    private let ann = madeUID(1)
    private let bob = madeUID(2)
    private let email = "a@example.com"
    /// The time of the stores.
    private let now: UnixTime = 1_700_000_000

    /// An account with an address, a name, two links and an unlinked identity.
    private func account(_ maker: StoreMaker) async throws -> any GatewayStore {
        let store = try await maker()
        let account = AccountRecord.made(ann, .apple("1"), email: email, name: "Ann")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        _ = try await store.claim(.google("1"), for: ann)
        _ = try await store.claim(IdentityLink(provider: "oidc.a", subject: "1"), for: ann)
        _ = try await store.release(provider: "oidc.a", of: ann)
        return store
    }

    private func delete(_ store: any GatewayStore) async throws -> Set<IdentityLink>? {
        guard case .deleted(let links, _) = try await store.deleteAccount(ann, unlessChangedFrom: nil) else {
            return nil
        }
        return Set(links)
    }

    @Test(arguments: StoreMaker.all)
    func `a deletion removes the data, the links and the address, and disables the user`(_ maker: StoreMaker)
        async throws
    {
        let store = try await account(maker)
        #expect(try await store.deletionTime(of: ann) == nil)
        #expect(try await delete(store) == [.apple("1"), .google("1")])
        #expect(try await store.account(ann) == nil)
        #expect(try await store.deletionTime(of: ann) == now)
        #expect(try await store.uid(ofEmail: email) == nil)
        for link in [IdentityLink.apple("1"), .google("1")] {
            #expect(try await store.owner(of: link) == nil)
            // Credentials of the second of the deletion are revoked, too.
            #expect(try await store.user(UserKey(link)).credentialsSince == now.adding(1))
            #expect(try store.view.user(link.name) == .record(validSince: now.adding(1), disabled: false))
        }
        #expect(try await store.user(ann) == UserRecord(validSince: now, disabled: true))
        #expect(try store.view.user(ann.uid) == .record(validSince: now, disabled: true))
    }

    @Test(arguments: StoreMaker.all)
    func `a deletion ends all sessions, also those of a faster clock`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        let later = now.adding(90).seconds
        _ = try await store.beginSession(UserKey(.apple("1")), at: later)
        _ = try await store.beginSession(ann, at: later)
        _ = try await delete(store)
        #expect(try await store.user(ann).validSince == now.adding(90))
        // The identity's later sessions may belong to its next account, and its later credentials sign in.
        #expect(try await store.user(UserKey(.apple("1"))) == UserRecord(validSince: now.adding(1)))
        #expect(try await store.beginSession(ann, at: later).record.disabled)
    }

    @Test(arguments: StoreMaker.all)
    func `a repeated deletion changes nothing`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        _ = try await delete(store)
        let again = AccountRecord.made(bob, .apple("1"), email: email)
        #expect(try await store.createAccount(again, claimsEmail: true) == .created)
        let started = try await store.beginSession(UserKey(.apple("1")), at: now.seconds).started
        #expect(try await delete(store) == [])
        #expect(try await store.deleteAccount(ann, unlessChangedFrom: UserRecord()) == .deleted([]))
        #expect(try await store.completeDeletion(of: ann, holding: .apple("1")))
        #expect(try await store.purge(now: now.adding(3_600).seconds) == 0)
        #expect(try await store.owner(of: .apple("1")) == bob)
        #expect(try await store.account(bob) == again)
        let since = try #require(try await store.user(UserKey(.apple("1"))).validSince)
        #expect(since < started, "the new session continues")
    }

    @Test(arguments: StoreMaker.all)
    func `only accounts that the gateway created are deleted`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.claim(.apple("1"), for: "firebase")
        for user in ["firebase", "unknown"] as [UserKey] {
            #expect(try await store.deleteAccount(user, unlessChangedFrom: nil) == .absent)
            #expect(try await !store.completeDeletion(of: user, holding: .apple("1")))
            #expect(try await store.user(user) == UserRecord())
        }
        #expect(try await store.owner(of: .apple("1")) == "firebase")
    }

    @Test(arguments: StoreMaker.all)
    func `a caller that was revoked or disabled since deletes nothing`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        let authorized = try await store.user(ann)
        _ = try await store.beginSession(ann, at: now.seconds)
        try await store.revoke(ann, at: now.seconds, .everything)
        #expect(try await store.deleteAccount(ann, unlessChangedFrom: authorized) == .changed)
        let revoked = try await store.user(ann)
        try await store.setDisabled(ann, true)
        #expect(try await store.deleteAccount(ann, unlessChangedFrom: revoked) == .changed)
        try await store.setDisabled(ann, false)
        #expect(try await store.account(ann)?.links.count == 2)
        #expect(try await store.deletionTime(of: ann) == nil)
        #expect(try await store.deleteAccount(ann, unlessChangedFrom: revoked) != .changed)
        #expect(try await store.account(ann) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `O-26: a deleted account takes no link, address, name or creation`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        _ = try await delete(store)
        for isImplicit in [true, false] {
            #expect(try await store.claim(.apple("1"), for: ann, unlessUnlinked: isImplicit) == .deleted)
        }
        #expect(try await store.owner(of: .apple("1")) == nil)
        try await store.setNameIfAbsent("Eve", of: ann)
        let isSet = try await store.setEmail(email, verified: true, from: .apple("1"), of: ann, claimsEmail: true)
        #expect(!isSet)
        await expectStoreError(.invalidAccount) {
            _ = try await store.createAccount(.made(ann, .google("2"), email: email), claimsEmail: true)
        }
        #expect(try await store.uid(ofEmail: email) == nil)
        #expect(try await store.account(ann) == nil)
        #expect(try await store.release(provider: "apple.com", of: ann) == .absent)
        #expect(try await store.releaseAll(of: ann) == [])
    }

    @Test(arguments: StoreMaker.all)
    func `a deletion cannot be undone`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        _ = try await delete(store)
        let disabled = UserRecord(validSince: now, disabled: true)
        #expect(try await store.setDisabled(ann, false) == disabled)
        #expect(try await store.unrevoke(ann) == disabled)
        #expect(try store.view.user(ann.uid) == .record(validSince: now, disabled: true))
    }

    // MARK: - Races

    private func race(
        _ kind: TwoGateways.Kind,
        _ round: (any GatewayStore, any GatewayStore, UserKey, Int) async throws -> Void
    ) async throws {
        try await TwoGateways.race(kind) { one, other, number in
            let uid = madeUID(number + 1)
            let account = AccountRecord.made(uid, .apple("\(number)"), email: "\(number)@example.com")
            _ = try await one.createAccount(account, claimsEmail: true)
            try await round(one, other, uid, number)
            #expect(try await one.account(uid) == nil)
            #expect(try await other.deletionTime(of: uid) != nil)
            #expect(try await other.user(uid).disabled)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `O-26: a link during the deletion belongs to no account`(_ kind: TwoGateways.Kind) async throws {
        try await race(kind) { one, other, uid, round in
            let link = IdentityLink.google("\(round)")
            _ = try await together(
                { try await one.deleteAccount(uid, unlessChangedFrom: nil) }, { try await other.claim(link, for: uid) })
            #expect(try await one.owner(of: link) == nil)
            // The identity is free at once.
            #expect(try await other.createAccount(.made(madeUID(1_000 + round), link), claimsEmail: false) == .created)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `two deletions at once both succeed`(_ kind: TwoGateways.Kind) async throws {
        try await race(kind) { one, other, uid, round in
            let record = try await one.user(uid)
            let answers = try await together(
                { try await one.deleteAccount(uid, unlessChangedFrom: record) },
                { try await other.deleteAccount(uid, unlessChangedFrom: record) })
            for answer in [answers.0, answers.1] {
                #expect(answer == .deleted([]) || answer == .deleted([.apple("\(round)")]))
            }
            #expect(try await one.owner(of: .apple("\(round)")) == nil)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `O-26: a sign-in during the deletion opens no session of the account`(_ kind: TwoGateways.Kind) async throws {
        try await race(kind) { one, other, uid, round in
            let link = IdentityLink.apple("\(round)")
            let (_, started) = try await together(
                { try await one.deleteAccount(uid, unlessChangedFrom: nil) },
                { () async throws -> UnixTime? in
                    // The steps of a sign-in: the identity, the user, and then the link once more.
                    let identity = try await other.beginSession(UserKey(link), at: 1_700_000_000)
                    let user = try await other.beginSession(uid, at: identity.started.seconds)
                    guard try await other.owner(of: link) == uid, !user.record.disabled else { return nil }
                    return user.started
                })
            guard let started else { return }
            for user in [uid, UserKey(link)] {
                let since = try #require(try await one.user(user).validSince)
                #expect(started <= since)
            }
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `the identity's next account survives the end of the deletion`(_ kind: TwoGateways.Kind) async throws {
        try await race(kind) { one, other, uid, round in
            let (link, email, next) = (IdentityLink.apple("\(round)"), "\(round)@example.com", madeUID(1_000 + round))
            let (_, created) = try await together(
                { try await one.deleteAccount(uid, unlessChangedFrom: nil) },
                { try await other.createAccount(.made(next, link, email: email), claimsEmail: true) })
            let owner = created == .created ? next : nil
            #expect(try await one.owner(of: link) == owner)
            #expect(try await other.uid(ofEmail: email) == owner)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `a takeover of the address during the deletion leaves no contradiction`(_ kind: TwoGateways.Kind) async throws
    {
        try await race(kind) { one, other, uid, round in
            let (link, email) = (IdentityLink.google("\(round)"), "\(round)@example.com")
            _ = try await together(
                { try await one.deleteAccount(uid, unlessChangedFrom: nil) },
                {
                    try await other.releaseAll(of: uid, for: link)
                    _ = try await other.claim(link, for: uid, unlessUnlinked: true)
                    _ = try await other.setEmail(email, verified: true, from: link, of: uid, claimsEmail: true)
                })
            #expect(try await one.owner(of: link) == nil)
            #expect(try await other.uid(ofEmail: email) == nil)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `a revocation before a deletion prevents it`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let uid = madeUID(round + 1)
            _ = try await one.createAccount(.made(uid, .apple("\(round)")), claimsEmail: false)
            let record = try await one.user(uid)
            let (deletion, revoked) = try await together(
                { try await one.deleteAccount(uid, unlessChangedFrom: record) },
                { try await other.revoke(uid, at: 1_700_000_000, .everything) })
            // The revocation saw the deletion, or the deletion saw the revocation.
            #expect(revoked.disabled == (deletion != .changed))
            #expect((try await other.account(uid) == nil) == (deletion != .changed))
        }
    }
}
