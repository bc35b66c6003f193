import Revocation
import Testing

@testable import StoreFixtures

/// Two gateways with conflicting concurrent changes. One wins, and the store is consistent afterwards.
@Suite(.closingStores) struct StoreAccountRaceSuite {
    @Test(arguments: TwoGateways.Kind.allCases)
    func `an identity is linked to one of two accounts`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let link = IdentityLink.apple("\(round)")
            let (first, second) = try await together(
                { try await one.claim(link, for: "a\(round)") }, { try await other.claim(link, for: "b\(round)") })
            let owner = try #require(try await one.owner(of: link))
            let linked = LinkClaim.linked(AccountRecord(uid: owner, links: ["apple.com": "\(round)"]))
            let taken = LinkClaim.taken(uid: owner)
            #expect([first, second] == (owner == "a\(round)" ? [linked, taken] : [taken, linked]))
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `one account is created for one identity`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let link = IdentityLink.apple("\(round)")
            // With an address that both claim, and without one.
            let email = round % 2 == 0 ? "\(round)@example.com" : nil
            let accounts = [2 * round + 1, 2 * round + 2].map { AccountRecord.made(madeUID($0), link, email: email) }
            let answers = try await together(
                { try await one.createAccount(accounts[0], claimsEmail: true) },
                { try await other.createAccount(accounts[1], claimsEmail: true) })
            let owner = try #require(try await one.owner(of: link))
            #expect([answers.0, answers.1].filter { $0 == .created }.count <= 1)
            #expect([answers.0, answers.1].contains(.linkTaken(uid: owner)))
            for (account, answer) in zip(accounts, [answers.0, answers.1]) {
                if answer == .created { #expect(account.user == owner) }
                let kept = try await other.account(account.user)
                #expect(kept == (account.user == owner ? account : nil))
            }
            if let email { #expect(try await other.uid(ofEmail: email) == owner) }
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `one account is created for one address`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let email = "\(round)@example.com"
            let (ann, bob) = (madeUID(2 * round + 1), madeUID(2 * round + 2))
            let answers = try await together(
                { try await one.createAccount(.made(ann, .apple("\(round)"), email: email), claimsEmail: true) },
                { try await other.createAccount(.made(bob, .google("\(round)"), email: email), claimsEmail: true) })
            let owner = try #require(try await one.uid(ofEmail: email))
            let taken = AccountCreation.emailTaken(uid: owner)
            #expect([answers.0, answers.1] == (owner == ann ? [.created, taken] : [taken, .created]))
            #expect(try await one.account(owner == ann ? bob : ann) == nil)
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `one of two concurrently removed links stays`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let uid = madeUID(round + 1)
            _ = try await one.createAccount(.made(uid, .apple("\(round)")), claimsEmail: false)
            _ = try await other.claim(.google("\(round)"), for: uid)
            let answers = try await together(
                { try await one.release(provider: "apple.com", of: uid) },
                { try await other.release(provider: "google.com", of: uid) })
            #expect([answers.0, answers.1].filter { $0 == .last }.count == 1)
            let left = try #require(try await one.account(uid)?.links)
            #expect(left == (answers.0 == .last ? ["apple.com": "\(round)"] : ["google.com": "\(round)"]))
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `an unlinked identity is free for one new account`(_ kind: TwoGateways.Kind) async throws {
        try await TwoGateways.race(kind) { one, other, round in
            let link = IdentityLink.apple("\(round)")
            let uid = madeUID(round + 1)
            _ = try await one.claim(link, for: "a\(round)")
            let (released, created) = try await together(
                { try await one.release(provider: "apple.com", of: "a\(round)") },
                { try await other.createAccount(.made(uid, link), claimsEmail: false) })
            #expect(released == .released(link, AccountRecord(uid: "a\(round)", unlinked: [link])))
            let owner = created == .created ? uid : nil
            #expect(owner != nil || created == .linkTaken(uid: "a\(round)"))
            #expect(try await one.owner(of: link) == owner)
            #expect((try await other.account(uid) == nil) == (owner == nil))
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `an identity that is linked and unlinked concurrently stays consistent`(_ kind: TwoGateways.Kind) async throws
    {
        try await TwoGateways.race(kind) { one, other, round in
            let (user, link) = ("u\(round)", IdentityLink.apple("\(round)"))
            _ = try await one.claim(link, for: user)
            let (_, claimed) = try await together(
                { try await one.release(provider: "apple.com", of: user) },
                { try await other.claim(link, for: user) })
            let owner = try await one.owner(of: link)
            #expect(try await other.account(user)?.links["apple.com"] == (owner == nil ? nil : "\(round)"))
            if case .linked = claimed { #expect(owner?.uid == user) }
        }
    }

    @Test(arguments: TwoGateways.Kind.allCases)
    func `many concurrent changes leave a consistent store`(_ kind: TwoGateways.Kind) async throws {
        let gateways = try await TwoGateways.make(kind)
        let stores = gateways.stores
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    let store = stores[task % 2]
                    for round in 0..<25 {
                        let link = IdentityLink(provider: "oidc.\((task + round) % 2)", subject: "\(round % 3)")
                        try await Self.untilDecided {
                            switch (task + 3 * round) % 4 {
                            case 0: _ = try await store.release(provider: link.provider, of: "u\(task % 3)")
                            case 1 where round % 8 == 0: try await store.releaseAll(of: "u\(task % 3)")
                            default: _ = try await store.claim(link, for: "u\((task + round) % 3)")
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try gateways.contradictions() == "")
        var owned: [IdentityLink] = []
        for user in 0..<3 {
            let links = try await stores[0].account("u\(user)")?.links ?? [:]
            owned += links.map { IdentityLink(provider: $0.key, subject: $0.value) }
        }
        #expect(Set(owned).count == owned.count)
    }

    /// Repeats an operation that lost against concurrent changes, if its error permits it.
    private static func untilDecided(_ operation: () async throws -> Void) async throws {
        for _ in 0..<20 {
            do { return try await operation() } catch let error as StoreError where error.code == .io { continue }
        }
        try await operation()
    }
}
