import Revocation
import Testing

@testable import StoreFixtures

/// The record of an unlinked identity in every store, and the address of its account.
@Suite(.closingStores) struct StoreUnlinkedSuite {
    private let ann = madeUID(1)
    private let bob = madeUID(2)
    private let email = "a@example.com"

    /// An account that the Apple identity created with the address, linked to the Google identity.
    private func linked(_ maker: StoreMaker, emailFrom: String? = "apple.com") async throws -> any GatewayStore {
        let store = try await maker()
        var account = AccountRecord.made(ann, .apple("1"), email: email)
        account.emailFrom = emailFrom
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        _ = try await store.claim(.google("1"), for: ann)
        return store
    }

    @Test(arguments: StoreMaker.all)
    func `only an explicit link restores an unlinked identity`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.account(ann)?.unlinked == [.apple("1")])
        for _ in 0..<2 {
            #expect(try await store.claim(.apple("1"), for: ann, unlessUnlinked: true) == .unlinked)
            #expect(try await store.owner(of: .apple("1")) == nil)
        }
        guard case .linked(let account) = try await store.claim(.apple("1"), for: ann, unlessUnlinked: false) else {
            Issue.record("not linked")
            return
        }
        #expect(account.unlinked == [] && account.links["apple.com"] == "1")
        #expect(try await store.account(ann) == account)
        #expect(try await store.claim(.apple("1"), for: ann, unlessUnlinked: true) == .alreadyLinked(account))
    }

    @Test(arguments: StoreMaker.all)
    func `an identity that was not unlinked is linked without its user's call`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        _ = try await store.release(provider: "apple.com", of: ann)
        guard case .linked(let account) = try await store.claim(.apple("2"), for: ann, unlessUnlinked: true) else {
            Issue.record("not linked")
            return
        }
        #expect(account.unlinked == [.apple("1")])
        #expect(try await store.claim(.apple("1"), for: bob, unlessUnlinked: true) != .unlinked)
    }

    @Test(arguments: StoreMaker.all)
    func `several unlinked identities of one provider are recorded`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        for subject in ["1", "a:b", "\u{e9}{}"] {
            _ = try await store.claim(.apple(subject), for: ann)
            _ = try await store.release(provider: "apple.com", of: ann)
        }
        #expect(try await store.account(ann)?.unlinked == [.apple("1"), .apple("a:b"), .apple("\u{e9}{}")])
        #expect(try await store.claim(.apple("a:b"), for: ann, unlessUnlinked: true) == .unlinked)
    }

    @Test(arguments: StoreMaker.all)
    func `removing all links records all`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        try await store.releaseAll(of: ann)
        let account = try #require(try await store.account(ann))
        #expect(account.unlinked == [.apple("1"), .google("1")])
        #expect(account.email == nil && !account.emailVerified)
        #expect(try await store.uid(ofEmail: email) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `a takeover of an account keeps the link and the address`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        #expect(try await store.releaseAll(of: ann, for: .google("1")) == [.apple("1")])
        let account = try #require(try await store.account(ann))
        #expect(account.links == ["google.com": "1"] && account.unlinked == [.apple("1")])
        #expect(account.email == email)
        #expect(try await store.uid(ofEmail: email) == ann)
        // Without a successor the address is removed, although the link that it came from was already removed.
        try await store.releaseAll(of: ann)
        #expect(try await store.account(ann)?.email == nil)
        #expect(try await store.uid(ofEmail: email) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `an address is removed with the link that it came from, and with no other`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        _ = try await store.release(provider: "google.com", of: ann)
        #expect(try await store.account(ann)?.email == email)
        #expect(try await store.uid(ofEmail: email) == ann)
        _ = try await store.claim(.google("2"), for: ann)
        _ = try await store.release(provider: "apple.com", of: ann)
        let account = try #require(try await store.account(ann))
        #expect(account.email == nil && !account.emailVerified && account.emailFrom == nil)
        #expect(try await store.uid(ofEmail: email) == nil)
        let other = AccountRecord.made(bob, .apple("1"), email: email)
        #expect(try await store.createAccount(other, claimsEmail: true) == .created)
    }

    @Test(arguments: StoreMaker.all)
    func `an address of unknown origin is removed with any link`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker, emailFrom: nil)
        _ = try await store.release(provider: "google.com", of: ann)
        #expect(try await store.account(ann)?.email == nil)
        #expect(try await store.uid(ofEmail: email) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `only a linked identity gives an address`(_ maker: StoreMaker) async throws {
        let store = try await linked(maker)
        func set(_ email: String, from link: IdentityLink) async throws -> Bool {
            try await store.setEmail(email, verified: true, from: link, of: ann, claimsEmail: true)
        }
        _ = try await store.release(provider: "google.com", of: ann)
        #expect(try await !set("b@example.com", from: .google("1")))
        #expect(try await !set(email, from: .google("1")))
        #expect(try await store.uid(ofEmail: "b@example.com") == nil)
        #expect(try await store.uid(ofEmail: email) == ann)
        #expect(try await store.account(ann)?.emailFrom == "apple.com")
        _ = try await store.claim(.google("1"), for: ann)
        #expect(try await set(email, from: .google("1")))
        #expect(try await store.account(ann)?.emailFrom == "google.com")
        _ = try await store.release(provider: "apple.com", of: ann)
        #expect(try await store.account(ann)?.email == email)
    }

    @Test(arguments: StoreMaker.all)
    func `with more unlinked identities than are recorded, no address leads to the account`(_ maker: StoreMaker)
        async throws
    {
        let store = try await linked(maker)
        for number in 1...StoreBounds.maximumUnlinked {
            _ = try await store.claim(.google("\(number)"), for: ann)
            _ = try await store.release(provider: "google.com", of: ann)
        }
        #expect(try await store.account(ann)?.email == email)
        #expect(try await store.account(ann)?.unlinked.hasMore == false)
        _ = try await store.claim(.google("last"), for: ann)
        _ = try await store.release(provider: "google.com", of: ann)
        let account = try #require(try await store.account(ann))
        #expect(account.unlinked.hasMore && account.unlinked.links.count == StoreBounds.maximumUnlinked)
        #expect(account.email == nil)
        #expect(try await store.uid(ofEmail: email) == nil)
        #expect(try await !store.setEmail(email, verified: true, from: .apple("1"), of: ann, claimsEmail: true))
        #expect(try await store.uid(ofEmail: email) == nil)
        for link in [IdentityLink.google("last"), .google("another"), .google("1")] {
            #expect(try await store.claim(link, for: ann, unlessUnlinked: true) == .unlinked)
        }
        // An explicit link removes the record of that one identity, and the account remains closed.
        _ = try await store.claim(.google("1"), for: ann)
        #expect(try await store.account(ann)?.unlinked.hasMore == true)
        #expect(try await store.account(ann)?.links["google.com"] == "1")
    }

    @Test(arguments: StoreMaker.all)
    func `an account with only unlinked identities does not exist`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.claim(.apple("1"), for: "firebase")
        #expect(try await store.setEmail("a@b.c", verified: true, of: "firebase", claimsEmail: true))
        _ = try await store.release(provider: "apple.com", of: "firebase")
        #expect(try await store.account("firebase") == nil)
        #expect(try await store.claim(.apple("1"), for: "firebase", unlessUnlinked: true) == .unlinked)
        #expect(try await store.account("firebase") == nil)
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `a merge never succeeds during an unlink`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (user, link) = (madeUID(round + 1), IdentityLink.apple("\(round)"))
            let account = AccountRecord.made(user, link, email: "\(round)@example.com")
            _ = try await one.createAccount(account, claimsEmail: true)
            _ = try await one.claim(.google("\(round)"), for: user)
            let (_, claimed) = try await together(
                { try await one.release(provider: "apple.com", of: user) },
                { try await other.claim(link, for: user, unlessUnlinked: true) })
            if case .linked = claimed { Issue.record("\(round): linked") }
            #expect(try await one.owner(of: link) == nil)
            #expect(try await other.account(user)?.unlinked == [link])
            #expect(try await other.uid(ofEmail: "\(round)@example.com") == nil)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `no address outlives the link that it comes from`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (user, email) = (madeUID(round + 1), "\(round)@example.com")
            _ = try await one.createAccount(.made(user, .apple("\(round)")), claimsEmail: true)
            _ = try await one.claim(.google("\(round)"), for: user)
            _ = try await together(
                { try await one.release(provider: "google.com", of: user) },
                {
                    try await other.setEmail(
                        email, verified: true, from: .google("\(round)"), of: user, claimsEmail: true)
                })
            #expect(try await one.account(user)?.email == nil)
            #expect(try await other.uid(ofEmail: email) == nil)
        }
    }
}
