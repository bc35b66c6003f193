import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import StoreFixtures

/// The end of sessions that may state an address which their account lost, in every store.
@Suite(.closingStores) struct StoreLostAddressSuite {
    private let ann = madeUID(1)
    private let email = "a@example.com"
    private let now = UnixTime(clamping: ManualClock.start)
    private let evidence = FirebaseEvidence(project: "p", name: .email("a@example.com"))

    /// A store with the account `ann`, whose address is Apple's, and a session that a faster clock began.
    private func account(_ maker: StoreMaker) async throws -> (store: any GatewayStore, start: UnixTime) {
        let store = try await maker()
        #expect(try await store.createAccount(.made(ann, .apple("1"), email: email), claimsEmail: true) == .created)
        _ = try await store.claim(.google("1"), for: ann, unlessUnlinked: false, evidence: evidence)
        return (store, try await store.beginSession(ann, at: now.adding(5).seconds).started)
    }

    private func change(
        to email: String, _ store: any GatewayStore, keeping start: UnixTime?
    ) async throws -> EmailChangeResult {
        let change = EmailChange(previous: self.email, email: email, proof: .identity(.google("1")))
        return try await store.changeEmail(change, of: ann, claimsEmail: true, keeping: start)
    }

    @Test(arguments: StoreMaker.all)
    func `all sessions of the user end, whatever removed the address`(_ maker: StoreMaker) async throws {
        let removals: [(any GatewayStore) async throws -> Void] = [
            { store in _ = try await store.release(provider: "apple.com", of: ann) },
            { store in try await store.releaseAll(of: ann) },
            { store in try await store.removeEmail(email, of: ann) },
            { store in
                let isSet = try await store.setEmail(
                    "b@example.com", verified: true, from: .apple("1"), of: ann, claimsEmail: true)
                #expect(isSet)
            },
            { store in _ = try await change(to: "b@example.com", store, keeping: nil) },
        ]
        for remove in removals {
            let (store, start) = try await account(maker)
            let places = ["apple.com:1", "google.com:1"].map { LinkGenerations.place(of: $0) }
            let generations = places.map { store.linkGenerations.generation(at: $0) }
            try await remove(store)
            // No gateway keeps an owner with the lost address.
            for (place, generation) in zip(places, generations) {
                #expect(store.linkGenerations.generation(at: place) != generation)
            }
            #expect(try await store.account(ann)?.email != email)
            #expect(try store.view.user(ann.uid) == .record(validSince: start, disabled: false))
            #expect(try await store.user(ann).credentialsSince == 0, "credentials stay valid for sign-ins")
            #expect(try await store.beginSession(ann, at: now.seconds).started == start.adding(1))
        }
    }

    @Test(arguments: StoreMaker.all)
    func `all sessions end if Firebase's removal of an identity takes the address`(_ maker: StoreMaker) async throws {
        let (store, start) = try await account(maker)
        #expect(try await store.setEmail(email, verified: true, from: .google("1"), of: ann, claimsEmail: true))
        #expect(try store.view.user(ann.uid) == .none)
        #expect(try await store.evict(.google("1"), of: ann, evidence: evidence))
        #expect(try store.view.user(ann.uid) == .record(validSince: start, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func `all sessions end if the account cannot remember another unlinked identity`(_ maker: StoreMaker) async throws {
        let (store, start) = try await account(maker)
        for number in 0...StoreBounds.maximumUnlinked {
            #expect(try store.view.user(ann.uid) == .none)
            _ = try await store.claim(IdentityLink(provider: "oidc.a", subject: "\(number)"), for: ann)
            _ = try await store.release(provider: "oidc.a", of: ann)
        }
        #expect(try await store.account(ann)?.email == nil)
        #expect(try store.view.user(ann.uid) == .record(validSince: start, disabled: false))
    }

    @Test(arguments: StoreMaker.all)
    func `sessions continue while the account keeps its address`(_ maker: StoreMaker) async throws {
        let (store, start) = try await account(maker)
        #expect(try await store.setEmail(email, verified: false, from: .apple("1"), of: ann, claimsEmail: true))
        try await store.removeEmail("b@example.com", of: ann)
        let release = try await store.release(provider: "google.com", of: ann, keeping: start)
        #expect(release.dropped == 0 && release.lost == nil)
        #expect(try store.view.user(ann.uid) == .none)
    }

    @Test(arguments: StoreMaker.all)
    func `the caller's session continues with a later start, in the store's order`(_ maker: StoreMaker) async throws {
        let (store, start) = try await account(maker)
        let release = try await store.release(provider: "apple.com", of: ann, keeping: start)
        #expect(release.lost == LostAddress(email: email, restarted: start.adding(1)))
        #expect(try store.view.user(ann.uid) == .record(validSince: start, disabled: false))
        // A later revocation includes the session.
        #expect(try await store.revoke(ann, at: now.seconds, .everything).validSince == start.adding(1))
    }

    @Test(arguments: StoreMaker.all)
    func `a change of the address ends all sessions but the caller's, also without a previous one`(
        _ maker: StoreMaker
    ) async throws {
        let (store, start) = try await account(maker)
        let changed = try await change(to: "b@example.com", store, keeping: start)
        #expect(changed == .changed(restarted: start.adding(1)))
        #expect(try store.view.user(ann.uid) == .record(validSince: start, disabled: false))
        try await store.removeEmail("b@example.com", of: ann)
        let next = try await store.beginSession(ann, at: now.seconds).started
        let again = try await store.changeEmail(
            EmailChange(previous: nil, email: "c@example.com", proof: .identity(.apple("1"))), of: ann,
            claimsEmail: true, keeping: next)
        #expect(again == .changed(restarted: next.adding(1)))
    }

    @Test(arguments: StoreMaker.all)
    func `a late revocation of a time covers the session that continued since`(_ maker: StoreMaker) async throws {
        let (store, start) = try await account(maker)
        _ = try await store.release(provider: "apple.com", of: ann, keeping: start)
        let again = try await store.changeEmail(
            EmailChange(previous: nil, email: "c@example.com", proof: .identity(.google("1"))), of: ann,
            claimsEmail: true, keeping: start.adding(1))
        #expect(again == .changed(restarted: start.adding(2)))
        #expect(try await store.revoke(ann, at: start.adding(-1).seconds).validSince == start.adding(1))
        #expect(try await store.revoke(ann, at: start.seconds).validSince == start.adding(2))
        #expect(try await store.user(ann).credentialsSince == start)
    }

    @Test(arguments: StoreMaker.all)
    func `no session continues that was revoked before, or whose user is disabled`(_ maker: StoreMaker) async throws {
        let endings: [(any GatewayStore) async throws -> Void] = [
            { store in try await store.revoke(ann, at: now.seconds, .everything) },
            { store in try await store.setDisabled(ann, true) },
        ]
        for end in endings {
            let (store, start) = try await account(maker)
            try await end(store)
            let changed = try await change(to: "b@example.com", store, keeping: start)
            #expect(changed == .changed())
            #expect(try await store.user(ann).validSince == start)
        }
    }
}

extension LinkRelease {
    /// The address that the account lost.
    fileprivate var lost: LostAddress? {
        if case .released(_, _, _, let lost) = self { lost } else { nil }
    }
}
