import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import RedisFixtures
@testable import StoreFixtures

/// The merge of two accounts in every store.
@Suite(.closingStores) struct StoreMergeSuite {
    private let ann = madeUID(1)
    private let bob = madeUID(2)
    /// The time of the stores.
    private let now: UnixTime = 1_700_000_000

    /// A store with the source `ann` (Apple, with an address and a name) and the target `bob` (Google).
    private func accounts(_ maker: StoreMaker, emailOfTarget: String? = nil) async throws -> any GatewayStore {
        let store = try await maker()
        let source = AccountRecord.made(ann, .apple("1"), email: "a@example.com", name: "Ann")
        let target = AccountRecord.made(bob, .google("2"), email: emailOfTarget)
        #expect(try await store.createAccount(source, claimsEmail: true) == .created)
        #expect(try await store.createAccount(target, claimsEmail: true) == .created)
        return store
    }

    @Test(arguments: StoreMaker.all)
    func `the links, the name and the address move, and the source is a deleted account`(_ maker: StoreMaker)
        async throws
    {
        let store = try await accounts(maker)
        let corp = IdentityLink(provider: "oidc.a", subject: "}1:2{")
        _ = try await store.claim(corp, for: ann)
        let place = LinkGenerations.place(of: "apple.com:1")
        let generation = store.linkGenerations.generation(at: place)
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1"), corp]))
        #expect(store.linkGenerations.generation(at: place) != generation)
        var merged = AccountRecord.made(bob, .google("2"), email: "a@example.com", name: "Ann")
        merged.emailFrom = "apple.com"
        merged.links["apple.com"] = "1"
        merged.links["oidc.a"] = "}1:2{"
        #expect(try await store.account(bob) == merged)
        #expect(try await store.uid(ofEmail: "a@example.com") == bob)
        for link in [IdentityLink.apple("1"), .google("2"), corp] {
            #expect(try await store.owner(of: link) == bob)
            // The identities sign in with the credentials that they have.
            #expect(try await store.user(UserKey(link)) == UserRecord())
        }
        #expect(try await store.account(ann) == nil)
        #expect(try await store.deletionTime(of: ann) == now)
        #expect(try await store.mergeTarget(of: ann) == bob)
        #expect(try await store.mergeTarget(of: bob) == nil)
        #expect(try await store.user(ann) == UserRecord(validSince: now, disabled: true))
        #expect(try store.view.user(ann.uid) == .record(validSince: now, disabled: true))
        #expect(try await store.user(bob) == UserRecord())
        let listed = try await store.accounts(after: nil, limit: 100).accounts
        #expect(Set(listed.map(\.user)) == [ann, bob])
    }

    @Test(arguments: StoreMaker.all)
    func `the target keeps its own name and address, and the other address is free`(_ maker: StoreMaker) async throws {
        let store = try await accounts(maker, emailOfTarget: "b@example.com")
        try await store.setNameIfAbsent("Bob", of: bob)
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
        let target = try #require(try await store.account(bob))
        #expect(target.email == "b@example.com" && target.emailFrom == "google.com" && target.name == "Bob")
        #expect(try await store.uid(ofEmail: "b@example.com") == bob)
        #expect(try await store.uid(ofEmail: "a@example.com") == nil)
        #expect(
            try await store.setEmail(
                "a@example.com", verified: true, from: .apple("1"), of: bob, claimsEmail: true))
    }

    @Test(arguments: StoreMaker.all)
    func `an unverified address does not move, because its owner could take the target over`(_ maker: StoreMaker)
        async throws
    {
        let store = try await accounts(maker)
        let email = "a@example.com"
        #expect(try await store.setEmail(email, verified: false, from: .apple("1"), of: ann, claimsEmail: true))
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
        let target = try #require(try await store.account(bob))
        #expect(target.email == nil && !target.emailVerified && target.emailFrom == nil)
        #expect(try await store.uid(ofEmail: email) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `the target loses its own unverified address, whose owner could take the identities over`(_ maker: StoreMaker)
        async throws
    {
        let email = "b@example.com"
        let store = try await accounts(maker, emailOfTarget: email)
        #expect(try await store.setEmail(email, verified: false, from: .google("2"), of: bob, claimsEmail: true))
        let start = try await store.beginSession(bob, at: now.adding(5).seconds).started
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
        let target = try #require(try await store.account(bob))
        #expect(target.email == "a@example.com" && target.emailVerified && target.emailFrom == "apple.com")
        #expect(try await store.uid(ofEmail: email) == nil)
        // The sessions state the address.
        #expect(try store.view.user(bob.uid) == .record(validSince: start, disabled: false))
        #expect(try await store.user(bob).credentialsSince == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `the target gets chosen parts of the profile, but not those that its user removed`(_ maker: StoreMaker)
        async throws
    {
        let store = try await accounts(maker)
        let change = ProfileChange(name: .set("Annie"), picture: .set("https://a.example/1"))
        #expect(try await store.setProfile(change, of: ann))
        #expect(try await store.setProfile(ProfileChange(name: .removed), of: bob))
        _ = try await store.merge(ann, into: bob)
        let target = try #require(try await store.account(bob))
        #expect(target.name == nil && target.picture == "https://a.example/1" && target.chosen == [.name, .picture])
    }

    @Test(arguments: StoreMaker.all)
    func `the sessions of the source end, also those of a faster clock`(_ maker: StoreMaker) async throws {
        let store = try await accounts(maker)
        _ = try await store.beginSession(ann, at: now.adding(90).seconds)
        let session = ListedSession(
            id: String(repeating: "0", count: 32), session: "s", began: now, lastUsed: now, ends: 4_000_000_000,
            facts: "{}")
        #expect(try await store.list(session, of: ann, now: now.seconds))
        _ = try await store.merge(ann, into: bob)
        #expect(try await store.user(ann) == UserRecord(validSince: now.adding(90), disabled: true))
        #expect(try await store.listedSessions(of: ann, now: now.seconds) == [])
        #expect(try await store.setDisabled(ann, false).disabled, "a merge cannot be undone")
        #expect(try await store.claim(.apple("9"), for: ann) == .deleted)
    }

    @Test(arguments: StoreMaker.all)
    func `credentials of an identity that were revoked with the source stay revoked`(_ maker: StoreMaker) async throws {
        let store = try await accounts(maker)
        let apple = UserKey(IdentityLink.apple("1"))
        let time: UnixTime = 1_699_999_000
        try await store.revoke(ann, at: time.seconds, .before)
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
        #expect(try await store.user(apple) == UserRecord(validSince: time))
        #expect(try store.view.user(apple.uid) == .record(validSince: time, disabled: false))
        #expect(try await store.user(UserKey(IdentityLink.google("2"))) == UserRecord())
        #expect(try await store.user(bob) == UserRecord(), "the sessions of the target continue")
    }

    @Test(arguments: StoreMaker.all)
    func `a repetition changes nothing, and other merges of the accounts are refused`(_ maker: StoreMaker) async throws
    {
        let store = try await accounts(maker)
        let carl = madeUID(3)
        _ = try await store.createAccount(
            .made(carl, IdentityLink(provider: "oidc.a", subject: "1")), claimsEmail: false)
        _ = try await store.merge(ann, into: bob)
        let target = try await store.account(bob)
        #expect(try await store.merge(ann, into: bob) == .merged([]))
        #expect(try await store.account(bob) == target)
        #expect(try await store.merge(ann, into: carl) == .sourceAbsent)
        #expect(try await store.merge(bob, into: ann) == .targetAbsent)
        #expect(try await store.merge(carl, into: ann) == .targetAbsent)
        #expect(try await store.deleteAccount(ann, unlessChangedFrom: nil) == .deleted([]))
        #expect(try await store.mergeTarget(of: ann) == bob)
        // The target is an account like any other.
        #expect(try await store.merge(bob, into: carl) == .merged([.apple("1"), .google("2")]))
        #expect(try await store.owner(of: .apple("1")) == carl)
        #expect(try await store.merge(ann, into: bob) == .merged([]))
        #expect(try await store.owner(of: .apple("1")) == carl)
    }

    @Test(arguments: StoreMaker.all)
    func `only accounts that the gateway created are merged`(_ maker: StoreMaker) async throws {
        let store = try await accounts(maker)
        _ = try await store.claim(IdentityLink(provider: "oidc.a", subject: "1"), for: "firebase")
        for user in ["firebase", "unknown", UserKey(uid: ann.uid, tenant: "t")] as [UserKey] {
            #expect(try await store.merge(user, into: bob) == .sourceAbsent)
            #expect(try await store.merge(ann, into: user) == .targetAbsent)
        }
        await expectStoreError(.invalidAccount) { _ = try await store.merge(ann, into: ann) }
        await expectStoreError(.invalidUID) { _ = try await store.merge(ann, into: "") }
        _ = try await store.deleteAccount(bob, unlessChangedFrom: nil)
        #expect(try await store.merge(ann, into: bob) == .targetAbsent)
        #expect(try await store.merge(bob, into: ann) == .sourceAbsent)
        #expect(try await store.mergeTarget(of: bob) == nil)
        #expect(try await store.owner(of: .apple("1")) == ann)
        #expect(try await !store.user(ann).disabled)
    }

    @Test(arguments: StoreMaker.all)
    func `a link from Firebase, a provider of both, or a disabled source refuses the merge`(_ maker: StoreMaker)
        async throws
    {
        let store = try await accounts(maker)
        let evidence = FirebaseEvidence(project: "p", name: .email("a@b.c"))
        let corp = IdentityLink(provider: "oidc.a", subject: "1")
        for user in [ann, bob] {
            _ = try await store.claim(corp, for: user, unlessUnlinked: false, evidence: evidence)
            #expect(try await store.merge(ann, into: bob) == .firebase)
            _ = try await store.release(provider: "oidc.a", of: user)
        }
        _ = try await store.claim(.google("7"), for: ann)
        #expect(try await store.merge(ann, into: bob) == .providerTaken("google.com"))
        _ = try await store.release(provider: "google.com", of: ann)
        try await store.setDisabled(ann, true)
        #expect(try await store.merge(ann, into: bob) == .sourceDisabled)
        try await store.setDisabled(ann, false)
        #expect(try await store.owner(of: .apple("1")) == ann)
        #expect(try await store.account(bob)?.links == ["google.com": "2"])
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
    }

    @Test(arguments: StoreMaker.all)
    func `the number of links is bounded`(_ maker: StoreMaker) async throws {
        let store = try await accounts(maker)
        for number in 1..<StoreBounds.maximumLinks {
            _ = try await store.claim(IdentityLink(provider: "oidc.\(number)", subject: "1"), for: ann)
        }
        await expectStoreError(.tooManyLinks) { _ = try await store.merge(ann, into: bob) }
        _ = try await store.release(provider: "oidc.1", of: ann)
        #expect(try await store.merge(ann, into: bob) != .sourceAbsent)
        #expect(try await store.account(bob)?.links.count == StoreBounds.maximumLinks)
    }

    @Test(arguments: StoreMaker.all)
    func `the target remembers the unlinked identities of both`(_ maker: StoreMaker)
        async throws
    {
        let store = try await accounts(maker)
        let one = IdentityLink(provider: "oidc.a", subject: "1")
        let other = IdentityLink(provider: "oidc.b", subject: "1")
        for (link, user) in [(one, ann), (other, bob)] {
            _ = try await store.claim(link, for: user)
            _ = try await store.release(provider: link.provider, of: user)
        }
        _ = try await store.merge(ann, into: bob)
        #expect(try await store.account(bob)?.unlinked == [one, other])
        #expect(try await store.claim(one, for: bob, unlessUnlinked: true) == .unlinked)
    }

    @Test(arguments: StoreMaker.all)
    func `an address is released if the target cannot remember all unlinked identities`(_ maker: StoreMaker)
        async throws
    {
        let store = try await accounts(maker)
        for number in 0..<StoreBounds.maximumUnlinked {
            _ = try await store.claim(IdentityLink(provider: "oidc.a", subject: "\(number)"), for: bob)
            _ = try await store.release(provider: "oidc.a", of: bob)
        }
        _ = try await store.claim(IdentityLink(provider: "oidc.b", subject: "1"), for: ann)
        _ = try await store.release(provider: "oidc.b", of: ann)
        #expect(try await store.merge(ann, into: bob) == .merged([.apple("1")]))
        let target = try #require(try await store.account(bob))
        #expect(target.email == nil && target.unlinked.links.count == StoreBounds.maximumUnlinked)
        #expect(!target.unlinked.hasMore, "the target may get an address later")
        #expect(try await store.uid(ofEmail: "a@example.com") == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `a merge is one event, and the kept tokens move without a revocation`(_ maker: StoreMaker) async throws {
        let store = try await accounts(maker)
        store.outbox.set(
            OutboxSwitch.Policy(destinations: ["apple.com", "webhook"], limit: 10, reserve: 2, added: { _ in }))
        let token = try #require(KeptToken(isRefreshToken: true, sealed: "t"))
        try await store.keepToken(token, of: .apple("1"), for: ann)
        for _ in 0..<2 { _ = try await store.merge(ann, into: bob) }
        func poll(_ destination: String) async throws -> [JSONValue] {
            try await store.pollOutbox(of: destination, by: "a", lease: 60, limit: 10).messages.map {
                try JSONDocument(Array($0.body.utf8), limits: .token).root
            }
        }
        let events = try await poll("webhook")
        try #require(events.count == 1)
        #expect(events[0]["type"]?.string == "account.merged" && events[0]["uid"]?.string == ann.uid)
        #expect(events[0]["merged_into"]?.string == bob.uid)
        #expect(events[0]["identities"]?["apple.com"]?.string == "1")
        #expect(try await poll("apple.com").isEmpty)
        _ = try await store.release(provider: "apple.com", of: bob)
        #expect(try await poll("apple.com").map { $0["token"]?.string } == ["r:t"])
    }
}

/// Merges that meet other changes on a second gateway. One wins, and the store is consistent afterwards.
@Suite(.closingStores) struct StoreMergeRaceSuite {
    /// Creates two accounts: one with Apple, one with Google.
    private func accounts(_ store: any GatewayStore, _ round: Int) async throws -> (ann: UserKey, bob: UserKey) {
        let (ann, bob) = (madeUID(2 * round + 1), madeUID(2 * round + 2))
        let source = AccountRecord.made(ann, .apple("\(round)"), email: "\(round)@example.com")
        #expect(try await store.createAccount(source, claimsEmail: true) == .created)
        #expect(try await store.createAccount(.made(bob, .google("\(round)")), claimsEmail: false) == .created)
        return (ann, bob)
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `of two opposite merges one wins`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = try await accounts(one, round)
            let (first, second) = try await together(
                { try await one.merge(ann, into: bob) }, { try await other.merge(bob, into: ann) })
            let winner = try #require(try await one.owner(of: .apple("\(round)")))
            #expect(try await one.owner(of: .google("\(round)")) == winner)
            #expect([first == .targetAbsent, second == .targetAbsent].filter(\.self).count == 1)
            let links = try await other.account(winner)?.links
            #expect(links?.count == 2)
            #expect(try await other.account(winner == ann ? bob : ann) == nil)
            #expect(try await one.uid(ofEmail: "\(round)@example.com") == winner)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `the same merge on two gateways is one merge`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = try await accounts(one, round)
            let answers = try await together(
                { try await one.merge(ann, into: bob) }, { try await other.merge(ann, into: bob) })
            let moved = AccountMerge.merged([.apple("\(round)")])
            #expect(Set([answers.0 == moved, answers.1 == moved]) == [true, false])
            #expect([answers.0, answers.1].contains(.merged([])))
            #expect(try await one.account(bob)?.links.count == 2)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `a merge meets the deletion of either account`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = try await accounts(one, round)
            let deleted = round % 2 == 0 ? ann : bob
            _ = try await together(
                { try await one.merge(ann, into: bob) },
                { try await other.deleteAccount(deleted, unlessChangedFrom: nil) })
            let owner = try await one.owner(of: .apple("\(round)"))
            let target = try await one.mergeTarget(of: ann)
            if deleted == bob {
                // Either the merge was first, and everything is deleted; or nothing was merged.
                #expect(try await one.account(bob) == nil)
                #expect(owner == (target == bob ? nil : ann))
            } else {
                #expect(try await one.user(ann).disabled)
                #expect(owner == target)
                let links = try await one.account(bob)?.links.count
                #expect(links == (target == bob ? 2 : 1))
            }
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `a merge meets a link to either account`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = try await accounts(one, round)
            let corp = IdentityLink(provider: "oidc.a", subject: "\(round)")
            let user = round % 2 == 0 ? ann : bob
            let (merge, claim) = try await together(
                { try await one.merge(ann, into: bob) }, { try await other.claim(corp, for: user) })
            #expect(merge != .sourceAbsent && merge != .targetAbsent)
            let owner = try await one.owner(of: corp)
            if claim == .deleted { #expect(owner == nil) } else { #expect(owner == bob) }
            let links = try #require(try await one.account(bob)?.links)
            #expect(links["apple.com"] == "\(round)" && links["google.com"] == "\(round)")
            #expect((links["oidc.a"] != nil) == (owner == bob))
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `a merge meets a link of the same provider to the target`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = try await accounts(one, round)
            let second = IdentityLink.apple("b\(round)")
            let (merge, claim) = try await together(
                { try await one.merge(ann, into: bob) }, { try await other.claim(second, for: bob) })
            let owner = try await one.owner(of: .apple("\(round)"))
            if claim == .providerTaken {
                #expect(merge == .merged([.apple("\(round)")]) && owner == bob)
                #expect(try await one.owner(of: second) == nil)
            } else {
                #expect(merge == .providerTaken("apple.com") && owner == ann)
                #expect(try await one.owner(of: second) == bob)
            }
        }
    }
}
