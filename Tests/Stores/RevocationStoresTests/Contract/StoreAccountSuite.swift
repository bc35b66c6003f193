import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for accounts and links.
@Suite(.closingStores) struct StoreAccountSuite {
    private let ann = madeUID(1)
    private let bob = madeUID(2)

    @Test(arguments: StoreMaker.all)
    func `an unknown user has no account`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.owner(of: .apple("1")) == nil)
        #expect(try await store.account(ann) == nil)
        #expect(try await store.uid(ofEmail: "a@example.com") == nil)
        #expect(try await store.release(provider: "apple.com", of: ann) == .absent)
        #expect(try await store.releaseAll(of: ann) == [])
    }

    @Test(arguments: StoreMaker.all)
    func `an account is created with its link and its address`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let account = AccountRecord.made(ann, .apple("1"), email: "ann@example.com", name: "Ann \u{e9}\n")
        // A creation can be repeated.
        for _ in 0..<2 {
            #expect(try await store.createAccount(account, claimsEmail: true) == .created)
            #expect(try await store.account(ann) == account)
            #expect(try await store.owner(of: .apple("1")) == ann)
            #expect(try await store.owner(of: .google("1")) == nil)
            #expect(try await store.uid(ofEmail: "ann@example.com") == ann)
        }
    }

    @Test(arguments: StoreMaker.all)
    func `an unclaimed address leads to no account`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for (uid, subject) in [(ann, "1"), (bob, "2")] {
            let account = AccountRecord.made(uid, .apple(subject), email: "a@example.com")
            #expect(try await store.createAccount(account, claimsEmail: false) == .created)
            #expect(try await store.account(uid)?.email == "a@example.com")
        }
        #expect(try await store.uid(ofEmail: "a@example.com") == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `no account is created for a taken identity or address`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.createAccount(.made(ann, .apple("1"), email: "a@example.com"), claimsEmail: true)
        for email in ["a@example.com", "b@example.com"] {
            let account = AccountRecord.made(bob, .apple("1"), email: email)
            #expect(try await store.createAccount(account, claimsEmail: true) == .linkTaken(uid: ann))
        }
        #expect(try await store.uid(ofEmail: "b@example.com") == nil)
        let account = AccountRecord.made(bob, .google("2"), email: "a@example.com")
        #expect(try await store.createAccount(account, claimsEmail: true) == .emailTaken(uid: ann))
        #expect(try await store.account(bob) == nil)
        #expect(try await store.owner(of: .google("2")) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `an account is created only for a fresh uid`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.createAccount(.made(ann, .apple("1")), claimsEmail: false)
        await expectStoreError(.invalidAccount) {
            _ = try await store.createAccount(.made(ann, .google("2")), claimsEmail: false)
        }
        #expect(try await store.owner(of: .google("2")) == nil)
        #expect(try await store.account(ann)?.links == ["apple.com": "1"])
    }

    @Test(arguments: StoreMaker.all)
    func `an identity is linked once`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let linked = AccountRecord(uid: "firebase", links: ["apple.com": "1"])
        #expect(try await store.claim(.apple("1"), for: "firebase") == .linked(linked))
        #expect(try await store.claim(.apple("1"), for: "firebase") == .alreadyLinked(linked))
        #expect(try await store.claim(.apple("1"), for: "other") == .taken(uid: "firebase"))
        #expect(try await store.claim(.apple("2"), for: "firebase") == .providerTaken)
        #expect(try await store.owner(of: .apple("2")) == nil)
        #expect(try await store.account("other") == nil)
        let both = AccountRecord(uid: "firebase", links: ["apple.com": "1", "google.com": "1"])
        #expect(try await store.claim(.google("1"), for: "firebase") == .linked(both))
        #expect(try await store.account("firebase") == both)
    }

    @Test(arguments: StoreMaker.all)
    func `an unlinked identity is free`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.createAccount(.made(ann, .apple("1")), claimsEmail: false)
        _ = try await store.claim(.google("1"), for: ann)
        var left = AccountRecord.made(ann, .google("1"))
        left.unlinked = [.apple("1")]
        #expect(try await store.release(provider: "apple.com", of: ann) == .released(.apple("1"), left))
        #expect(try await store.release(provider: "apple.com", of: ann) == .absent)
        #expect(try await store.account(ann) == left)
        #expect(try await store.claim(.apple("1"), for: bob) == .linked(.init(uid: bob, links: ["apple.com": "1"])))
    }

    @Test(arguments: StoreMaker.all)
    func `the last link of an account that the gateway created stays`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.createAccount(.made(ann, .apple("1")), claimsEmail: false)
        #expect(try await store.release(provider: "apple.com", of: ann) == .last)
        #expect(try await store.owner(of: .apple("1")) == ann)
        _ = try await store.claim(.google("1"), for: "firebase")
        let nothing = AccountRecord(uid: "firebase", unlinked: [.google("1")])
        #expect(try await store.release(provider: "google.com", of: "firebase") == .released(.google("1"), nothing))
        #expect(try await store.account("firebase") == nil)
        #expect(try await store.owner(of: .google("1")) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `all links are removed together`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.createAccount(.made(ann, .apple("1"), name: "Ann"), claimsEmail: false)
        _ = try await store.claim(.google("1"), for: ann)
        #expect(Set(try await store.releaseAll(of: ann)) == [.apple("1"), .google("1")])
        #expect(try await store.account(ann)?.links == [:])
        #expect(try await store.account(ann)?.name == "Ann")
        #expect(try await store.owner(of: .apple("1")) == nil)
        #expect(try await store.owner(of: .google("1")) == nil)
        #expect(try await store.releaseAll(of: ann) == [])
    }

    @Test(arguments: StoreMaker.all)
    func `the first name stays`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        try await store.setNameIfAbsent("Ann", of: ann)
        try await store.setNameIfAbsent("Bob", of: ann)
        #expect(try await store.account(ann) == AccountRecord(uid: ann, name: "Ann"))
    }

    @Test(arguments: StoreMaker.all)
    func `an account gets only an address without an owner`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.claim(.apple("1"), for: ann)
        _ = try await store.claim(.apple("2"), for: bob)
        func set(_ email: String, of user: UserKey, verified: Bool = true, claims: Bool = true) async throws -> Bool {
            let link = IdentityLink.apple(user == ann ? "1" : "2")
            return try await store.setEmail(email, verified: verified, from: link, of: user, claimsEmail: claims)
        }
        #expect(try await set("a@example.com", of: ann, verified: false))
        #expect(try await !set("a@example.com", of: bob))
        #expect(try await store.account(bob) == AccountRecord(uid: bob, links: ["apple.com": "2"]))
        #expect(try await set("a@example.com", of: ann))
        let known = AccountRecord(
            uid: ann, email: "a@example.com", emailVerified: true, links: ["apple.com": "1"], emailFrom: "apple.com")
        #expect(try await store.account(ann) == known)
        #expect(try await set("c@example.com", of: ann))
        #expect(try await store.uid(ofEmail: "a@example.com") == nil)
        #expect(try await store.uid(ofEmail: "c@example.com") == ann)
        #expect(try await set("c@example.com", of: bob, claims: false))
        #expect(try await store.uid(ofEmail: "c@example.com") == ann)
    }

    @Test(arguments: StoreMaker.all)
    func `a removed address is free`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        _ = try await store.createAccount(.made(ann, .apple("1"), email: "a@example.com"), claimsEmail: true)
        for email in ["b@example.com", "a@example.com", "a@example.com"] {
            try await store.removeEmail(email, of: bob)
        }
        try await store.removeEmail("b@example.com", of: ann)
        #expect(try await store.uid(ofEmail: "a@example.com") == ann)
        #expect(try await store.account(ann)?.email == "a@example.com")
        for _ in 0..<2 {
            try await store.removeEmail("a@example.com", of: ann)
            #expect(try await store.uid(ofEmail: "a@example.com") == nil)
            let account = try await store.account(ann)
            #expect(account?.email == nil && account?.emailFrom == nil && account?.links == ["apple.com": "1"])
        }
        let account = AccountRecord.made(bob, .apple("2"), email: "a@example.com")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
    }

    @Test(arguments: StoreMaker.all)
    func `a setting is stored once`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        #expect(try await store.setting("issuer", initial: [0, 1]) == [0, 1])
        #expect(try await store.setting("issuer", initial: [2]) == [0, 1])
        #expect(try await store.setting("session_key", initial: [3]) == [3])
    }

    @Test(arguments: StoreMaker.all)
    func `names are compared by their bytes`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let subjects = ["\u{e9}", "e\u{301}", "{a}:b", "%7B", "a b"]
        for (number, subject) in subjects.enumerated() {
            let account = AccountRecord.made(madeUID(number), IdentityLink(provider: "oidc.{x}", subject: subject))
            #expect(try await store.createAccount(account, claimsEmail: false) == .created)
        }
        for (number, subject) in subjects.enumerated() {
            let link = IdentityLink(provider: "oidc.{x}", subject: subject)
            #expect(try await store.owner(of: link) == madeUID(number))
            #expect(try await store.account(madeUID(number))?.links["oidc.{x}"]?.isExactly(subject) == true)
        }
    }

    @Test(arguments: StoreMaker.all)
    func `a change of a link moves its generation`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let place = LinkGenerations.place(of: "apple.com:1")
        let (ann, firebase) = (ann, UserKey("firebase"))
        let changes: [() async throws -> Void] = [
            { _ = try await store.createAccount(.made(ann, .apple("1")), claimsEmail: false) },
            { _ = try await store.releaseAll(of: ann) }, { _ = try await store.claim(.apple("1"), for: firebase) },
            { _ = try await store.release(provider: "apple.com", of: firebase) },
        ]
        for change in changes {
            let before = store.linkGenerations.generation(at: place)
            try await change()
            #expect(store.linkGenerations.generation(at: place) != before)
        }
    }
}
