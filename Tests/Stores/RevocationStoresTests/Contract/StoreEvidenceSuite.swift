import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// Links that were made from Firebase, with their evidence.
@Suite(.closingStores) struct StoreEvidenceSuite {
    private let user: UserKey = "firebase"
    private let evidence = FirebaseEvidence(
        project: "example.com:my-app", name: .identity(provider: "apple.com", id: "1 \u{e9}:{}"))
    private let other = FirebaseEvidence(project: "my-app", name: .email("ann@example.com"))

    private func claim(
        _ link: IdentityLink, _ evidence: FirebaseEvidence?, for user: UserKey? = nil, _ store: any GatewayStore
    ) async throws -> LinkClaim {
        try await store.claim(link, for: user ?? self.user, unlessUnlinked: false, evidence: evidence)
    }

    @Test(arguments: StoreMaker.all)
    func `a link keeps its evidence`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        var account = AccountRecord(user: user, links: ["apple.com": "1"], evidence: ["apple.com": evidence])
        #expect(try await claim(.apple("1"), evidence, store) == .linked(account))
        #expect(try await claim(.apple("1"), other, store) == .alreadyLinked(account))
        #expect(try await claim(.apple("1"), nil, store) == .alreadyLinked(account))
        (account.links["google.com"], account.evidence["google.com"]) = ("2", other)
        #expect(try await claim(.google("2"), other, store) == .linked(account))
        #expect(try await store.account(user) == account)
        #expect(account.evidence(of: .google("2")) == other && account.evidence(of: .google("3")) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `a link without evidence gets none later`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await claim(.apple("1"), nil, store)
        let account = AccountRecord(user: user, links: ["apple.com": "1"])
        #expect(try await claim(.apple("1"), evidence, store) == .alreadyLinked(account))
        #expect(try await store.evict(.apple("1"), of: user, evidence: evidence) == false)
        #expect(try await store.owner(of: .apple("1")) == user)
    }

    @Test(arguments: StoreMaker.all)
    func `an eviction removes the link with this evidence only`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await claim(.apple("1"), evidence, store)
        #expect(try await store.evict(.apple("1"), of: user, evidence: other) == false)
        #expect(try await store.evict(.apple("2"), of: user, evidence: evidence) == false)
        #expect(try await store.evict(.apple("1"), of: "someone", evidence: evidence) == false)
        #expect(try await store.owner(of: .apple("1")) == user)
        #expect(try await store.evict(.apple("1"), of: user, evidence: evidence))
        #expect(try await store.owner(of: .apple("1")) == nil)
        #expect(try await store.account(user) == nil)
        #expect(try await store.evict(.apple("1"), of: user, evidence: evidence) == false)
    }

    @Test(arguments: StoreMaker.all)
    func `an evicted identity returns only by a link of its own`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await claim(.apple("1"), evidence, store)
        _ = try await store.evict(.apple("1"), of: user, evidence: evidence)
        let implicit = try await store.claim(.apple("1"), for: user, unlessUnlinked: true, evidence: other)
        #expect(implicit == .unlinked)
        let account = AccountRecord(user: user, links: ["apple.com": "1"], evidence: ["apple.com": evidence])
        #expect(try await claim(.apple("1"), evidence, store) == .linked(account))
    }

    @Test(arguments: StoreMaker.all)
    func `an unlinked identity that the user links again does not depend on Firebase`(
        _ maker: StoreMaker
    ) async throws {
        let store = try await maker()
        _ = try await claim(.apple("1"), evidence, store)
        _ = try await store.release(provider: "apple.com", of: user)
        let account = AccountRecord(user: user, links: ["apple.com": "1"])
        #expect(try await claim(.apple("1"), nil, store) == .linked(account))
        #expect(try await store.account(user) == account)
    }

    @Test(arguments: StoreMaker.all)
    func `the last link of an account is evicted, with the sessions that it began`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let ann = madeUID(1)
        _ = try await store.createAccount(.made(ann, .google("1")), claimsEmail: false)
        _ = try await claim(.apple("1"), evidence, for: ann, store)
        _ = try await store.release(provider: "google.com", of: ann)
        let start = try await store.beginSession(UserKey(.apple("1")), at: 1_700_000_000)
        #expect(try await store.evict(.apple("1"), of: ann, evidence: evidence))
        #expect(try await store.account(ann)?.links == [:])
        let since = try #require(try await store.user(UserKey(.apple("1"))).validSince)
        #expect(since >= start.started)
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `an eviction and a new link by the user at the same time leave one of both`(
        _ kind: TwoGateways.Kind
    ) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (uid, link) = (UserKey("u\(round)"), IdentityLink.apple("\(round)"))
            let evidence = evidence
            _ = try await claim(link, evidence, for: uid, one)
            let (isEvicted, claimed) = try await together(
                { try await one.evict(link, of: uid, evidence: evidence) },
                { try await other.claim(link, for: uid, unlessUnlinked: false, evidence: nil) })
            let account = try await one.account(uid)
            #expect(isEvicted)
            #expect(try await one.owner(of: link) == (account == nil ? nil : uid))
            // A link that remains is the user's own, since the eviction removed the one from Firebase.
            #expect(account?.evidence ?? [:] == [:])
            if case .linked = claimed { #expect(account?.links == ["apple.com": link.subject]) }
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `an identity of Firebase is linked to one user, and gets no account beside it`(
        _ kind: TwoGateways.Kind
    ) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let (uid, link) = (UserKey("u\(round)"), IdentityLink.apple("\(round)"))
            let evidence = evidence
            let (claimed, created) = try await together(
                { try await one.claim(link, for: uid, unlessUnlinked: false, evidence: evidence) },
                { try await other.createAccount(.made(madeUID(round + 1), link), claimsEmail: false) })
            let owner = try #require(try await other.owner(of: link))
            if owner == uid { #expect(created == .linkTaken(uid: uid)) } else { #expect(claimed == .taken(uid: owner)) }
        }
    }
}
