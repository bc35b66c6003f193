import GatewayCore
import JOSE
import Revocation
import RevocationStores
import Testing

@testable import StoreFixtures

/// O-25: the contract of every store for changes of addresses by users.
@Suite(.closingStores) struct StoreEmailChangeSuite {
    private let ann = madeUID(1)
    private let bob = madeUID(2)
    private let old = "a@example.com"
    private let new = "b@example.com"
    private static let event = #"{"type":"account.email_verification","email":"b@example.com","expires_at":1700003600}"#

    private func account(
        _ maker: StoreMaker, destinations: [String] = ["webhook"], limit: Int = 100
    ) async throws -> any GatewayStore {
        let store = try await maker()
        StoreOutboxSuite.switchOn(store, destinations, limit: limit)
        #expect(try await store.createAccount(.made(ann, .apple("1"), email: old), claimsEmail: true) == .created)
        return store
    }

    private func open(
        _ name: String, _ store: any GatewayStore, from previous: String? = "a@example.com"
    ) async throws -> EmailTicketResult {
        try await store.openEmailChange(EmailTicket(name: name, previous: previous, event: Self.event), of: ann)
    }

    private func change(
        by proof: EmailChange.Proof, _ store: any GatewayStore, from previous: String? = "a@example.com",
        to email: String = "b@example.com", claims: Bool = true
    ) async throws -> EmailChangeResult {
        try await store.changeEmail(
            EmailChange(previous: previous, email: email, proof: proof), of: ann, claimsEmail: claims)
    }

    private func events(_ store: any GatewayStore) async throws -> [JSONValue] {
        try await store.pollOutbox(of: "webhook", by: "a", lease: 60, limit: 10).messages.map {
            try JSONDocument(Array($0.body.utf8), limits: .token).root
        }
    }

    @Test(arguments: StoreMaker.all)
    func `O-25: an open change is used once and moves the address`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        #expect(try await open("t1", store) == .open)
        #expect(try await store.account(ann)?.email == old, "nothing changes before the proof")
        #expect(try await change(by: .ticket("t1"), store) == .changed())
        let account = try #require(try await store.account(ann))
        #expect(account.email == new && account.emailVerified && account.emailFrom == EmailChange.linkSource)
        #expect(account.chosen == .email && account.links == ["apple.com": "1"])
        let owners = [try await store.uid(ofEmail: old), try await store.uid(ofEmail: new)]
        #expect(owners == [nil, ann])
        let again = try await change(by: .ticket("t1"), store, from: new, to: "c@example.com")
        #expect(again == .stale)
        let events = try await events(store)
        #expect(events.map { $0["type"]?.string } == ["account.email_verification", "account.email_changed"])
        #expect(events.allSatisfy { $0["uid"]?.string == ann.uid && $0["time"]?.integer != nil })
        #expect(events[0]["email"]?.string == new && events[0]["expires_at"]?.integer == 1_700_003_600)
        #expect(events[1]["previous_email"]?.string == old && events[1]["email"]?.string == new)
    }

    @Test(arguments: StoreMaker.all)
    func `O-25: each other change of the address closes an open one`(_ maker: StoreMaker) async throws {
        let other = "o@example.com"
        let changes: [(any GatewayStore) async throws -> Void] = [
            { store in _ = try await open("t2", store) },
            { store in _ = try await change(by: .identity(.apple("1")), store, to: other) },
            { store in
                let isSet = try await store.setEmail(
                    other, verified: true, from: .apple("1"), of: ann, claimsEmail: true)
                #expect(isSet)
            },
            { store in try await store.removeEmail(old, of: ann) },
            { store in
                _ = try await store.claim(.google("1"), for: ann)
                _ = try await store.release(provider: "apple.com", of: ann)
            },
            { store in try await store.releaseAll(of: ann) },
        ]
        for close in changes {
            let store = try await account(maker)
            #expect(try await open("t1", store) == .open)
            try await close(store)
            // Also if the account has the same address again.
            let current = try await store.account(ann)?.email
            #expect(try await change(by: .ticket("t1"), store, from: current) == .stale)
            #expect(try await store.account(ann)?.email == current)
            #expect(try await store.uid(ofEmail: new) == nil)
        }
    }

    @Test(arguments: StoreMaker.all)
    func `an open change is for one current address`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        for previous in [nil, new] { #expect(try await open("t1", store, from: previous) == .stale) }
        #expect(try await open("t1", store) == .open)
        for previous in [nil, new] {
            let result = try await change(by: .ticket("t1"), store, from: previous, to: "c@example.com")
            #expect(result == .stale)
        }
        #expect(try await change(by: .ticket("t2"), store) == .stale)
        #expect(try await store.account(ann)?.email == old)
        #expect(try await change(by: .ticket("t1"), store) == .changed(), "a failed call uses nothing up")
    }

    @Test(arguments: StoreMaker.all)
    func `an account without an address gets one`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        try await store.removeEmail(old, of: ann)
        #expect(try await open("t1", store, from: nil) == .open)
        #expect(try await change(by: .ticket("t1"), store, from: nil) == .changed())
        #expect(try await store.uid(ofEmail: new) == ann)
        #expect(try await events(store).last?["previous_email"] == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `a linked identity proves an address, which is removed with it`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        _ = try await store.claim(.google("1"), for: ann)
        for link in [IdentityLink.google("2"), IdentityLink(provider: "github.com", subject: "1")] {
            #expect(try await change(by: .identity(link), store) == .stale)
        }
        #expect(try await change(by: .identity(.google("1")), store) == .changed())
        #expect(try await store.account(ann)?.emailFrom == "google.com")
        _ = try await store.release(provider: "google.com", of: ann)
        let account = try #require(try await store.account(ann))
        #expect(account.email == nil && account.chosen == [])
        #expect(try await store.uid(ofEmail: new) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `an address that a link proved outlives its identities`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        _ = try await store.claim(.google("1"), for: ann)
        #expect(try await open("t1", store) == .open)
        #expect(try await change(by: .ticket("t1"), store) == .changed())
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.account(ann)?.email == new)
        #expect(try await store.uid(ofEmail: new) == ann)
    }

    @Test(arguments: StoreMaker.all)
    func `a taken address changes nothing, and an unclaimed one is not reserved`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        #expect(try await store.createAccount(.made(bob, .google("2"), email: new), claimsEmail: true) == .created)
        #expect(try await open("t1", store) == .open)
        #expect(try await change(by: .ticket("t1"), store) == .taken(uid: bob))
        #expect(try await store.account(ann)?.email == old)
        let owners = [try await store.uid(ofEmail: old), try await store.uid(ofEmail: new)]
        #expect(owners == [ann, bob])
        #expect(try await change(by: .ticket("t1"), store, claims: false) == .changed())
        #expect(try await store.account(ann)?.email == new)
        #expect(try await store.uid(ofEmail: new) == bob)
        #expect(try await store.uid(ofEmail: old) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `the same address becomes verified without an event`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        #expect(try await store.setEmail(old, verified: false, from: .apple("1"), of: ann, claimsEmail: true))
        #expect(try await open("t1", store) == .open)
        #expect(try await change(by: .ticket("t1"), store, to: old) == .changed())
        #expect(try await store.account(ann)?.emailVerified == true)
        #expect(try await store.uid(ofEmail: old) == ann)
        #expect(try await events(store).count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `no change opens without room for its event`(_ maker: StoreMaker) async throws {
        for destinations in [["apple.com"], []] {
            let store = try await account(maker, destinations: destinations)
            #expect(try await open("t1", store) == .full)
        }
        let store = try await account(maker, limit: 1)
        #expect(try await open("t1", store) == .open)
        #expect(try await open("t2", store) == .full)
        #expect(try await change(by: .ticket("t2"), store) == .stale)
        // The change itself does not depend on its event.
        #expect(try await change(by: .ticket("t1"), store) == .changed(dropped: 1))
    }

    @Test(arguments: StoreMaker.all)
    func `only an account that the gateway created changes its address`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        let firebase = UserKey("firebase")
        _ = try await store.claim(.google("1"), for: firebase)
        let change = EmailChange(previous: nil, email: new, proof: .identity(.google("1")))
        #expect(try await store.changeEmail(change, of: firebase, claimsEmail: true) == .refused)
        #expect(try await store.uid(ofEmail: new) == nil)
        #expect(try await open("t1", store) == .open)
        guard case .deleted = try await store.deleteAccount(ann, unlessChangedFrom: nil) else {
            Issue.record("the account exists")
            return
        }
        #expect(try await open("t1", store, from: nil) == .refused)
        for previous in [nil, old] {
            #expect(try await self.change(by: .ticket("t1"), store, from: previous) == .refused)
        }
        #expect(try await store.uid(ofEmail: new) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `the values of a change have bounds`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        for email in ["", "A@example.com", String(repeating: "a", count: 255)] {
            await expectStoreError(.invalidAccount) { _ = try await change(by: .ticket("t"), store, to: email) }
            await expectStoreError(.invalidAccount) { _ = try await open("t", store, from: email) }
        }
        let long = String(repeating: "t", count: 129)
        await expectStoreError(.invalidAccount) { _ = try await open(long, store) }
        await expectStoreError(.invalidAccount) { _ = try await change(by: .ticket(long), store) }
    }
}

/// O-25: concurrent changes of addresses at two gateways.
@Suite(.closingStores) struct StoreEmailRaceSuite {
    private func change(
        _ store: any GatewayStore, _ user: UserKey, from old: String, to new: String, by link: IdentityLink
    ) async throws -> EmailChangeResult {
        try await store.changeEmail(
            EmailChange(previous: old, email: new, proof: .identity(link)), of: user, claimsEmail: true)
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `O-25: one of two accounts gets an address, and the other keeps its own`(
        _ kind: TwoGateways.Kind
    ) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = (madeUID(2 * round + 1), madeUID(2 * round + 2))
            let (a, b, new) = ("a\(round)@example.com", "b\(round)@example.com", "n\(round)@example.com")
            let (apple, google) = (IdentityLink.apple("\(round)"), IdentityLink.google("\(round)"))
            _ = try await one.createAccount(.made(ann, apple, email: a), claimsEmail: true)
            _ = try await one.createAccount(.made(bob, google, email: b), claimsEmail: true)
            let answers = try await together(
                { try await change(one, ann, from: a, to: new, by: apple) },
                { try await change(other, bob, from: b, to: new, by: google) })
            let owner = try #require(try await one.uid(ofEmail: new))
            let taken = EmailChangeResult.taken(uid: owner)
            #expect([answers.0, answers.1] == (owner == ann ? [.changed(), taken] : [taken, .changed()]))
            let emails = [try await other.account(ann)?.email, try await one.account(bob)?.email]
            #expect(emails == (owner == ann ? [new, b] : [a, new]))
            let owners = [try await one.uid(ofEmail: a), try await one.uid(ofEmail: b)]
            #expect(owners == (owner == ann ? [nil, bob] : [ann, nil]))
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `O-25: a change and the creation of an account with the address have one winner`(
        _ kind: TwoGateways.Kind
    ) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (ann, bob) = (madeUID(2 * round + 1), madeUID(2 * round + 2))
            let (a, new) = ("a\(round)@example.com", "n\(round)@example.com")
            let (apple, google) = (IdentityLink.apple("\(round)"), IdentityLink.google("\(round)"))
            _ = try await one.createAccount(.made(ann, apple, email: a), claimsEmail: true)
            let (changed, created) = try await together(
                { try await change(one, ann, from: a, to: new, by: apple) },
                { try await other.createAccount(.made(bob, google, email: new), claimsEmail: true) })
            let owner = try #require(try await one.uid(ofEmail: new))
            if owner == ann {
                #expect(changed == .changed() && created == .emailTaken(uid: ann))
                #expect(try await one.account(bob) == nil)
            } else {
                #expect(changed == .taken(uid: bob) && created == .created)
                #expect(try await other.account(ann)?.email == a)
            }
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `O-25: one of two changes of an account takes place`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let ann = madeUID(round + 1)
            let (a, new) = ("a\(round)@example.com", ["x\(round)@example.com", "y\(round)@example.com"])
            let apple = IdentityLink.apple("\(round)")
            _ = try await one.createAccount(.made(ann, apple, email: a), claimsEmail: true)
            let answers = try await together(
                { try await change(one, ann, from: a, to: new[0], by: apple) },
                { try await change(other, ann, from: a, to: new[round % 2], by: apple) })
            #expect([answers.0, answers.1].filter { $0 == .changed() }.count == 1, "\(answers)")
            let email = try #require(try await one.account(ann)?.email)
            #expect(email == (answers.0 == .changed() ? new[0] : new[round % 2]))
            #expect(try await other.uid(ofEmail: email) == ann)
            for free in Set([a] + new).subtracting([email]) { #expect(try await one.uid(ofEmail: free) == nil) }
        }
    }
}
