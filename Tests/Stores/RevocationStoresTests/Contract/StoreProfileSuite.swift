import GatewayCore
import Revocation
import Testing

@testable import StoreFixtures

/// The contract of every store for the parts of profiles that users choose.
@Suite(.closingStores) struct StoreProfileSuite {
    private let ann = madeUID(1)
    private let picture = "https://pictures.example/ann.png"

    private func account(_ maker: StoreMaker) async throws -> any GatewayStore {
        let store = try await maker()
        let account = AccountRecord.made(ann, .apple("1"), email: "a@example.com", name: "Ann")
        #expect(try await store.createAccount(account, claimsEmail: true) == .created)
        return store
    }

    @Test(arguments: StoreMaker.all)
    func `a change concerns only the named parts`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        let before = try #require(try await store.account(ann))
        #expect(before.chosen == [] && before.picture == nil)
        #expect(try await store.setProfile(ProfileChange(name: .set("Ann \u{e9}")), of: ann))
        #expect(try await store.setProfile(ProfileChange(picture: .set(picture)), of: ann))
        var expected = before
        (expected.name, expected.picture, expected.chosen) = ("Ann \u{e9}", picture, [.name, .picture])
        #expect(try await store.account(ann) == expected)
        #expect(try await store.setProfile(ProfileChange(name: .removed), of: ann))
        expected.name = nil
        #expect(try await store.account(ann) == expected)
        #expect(try await store.setProfile(ProfileChange(name: .set("Bob"), picture: .removed), of: ann))
        (expected.name, expected.picture) = ("Bob", nil)
        #expect(try await store.account(ann) == expected)
    }

    @Test(arguments: StoreMaker.all)
    func `no name of a provider replaces a chosen one`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        #expect(try await store.setProfile(ProfileChange(name: .removed), of: ann))
        try await store.setNameIfAbsent("Ann", of: ann)
        let account = try #require(try await store.account(ann))
        #expect(account.name == nil && account.chosen == .name)
    }

    @Test(arguments: StoreMaker.all)
    func `a change of the address keeps the chosen parts`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        #expect(try await store.setProfile(ProfileChange(name: .set("Bob"), picture: .set(picture)), of: ann))
        #expect(
            try await store.setEmail("b@example.com", verified: true, from: .apple("1"), of: ann, claimsEmail: true))
        try await store.removeEmail("b@example.com", of: ann)
        let account = try #require(try await store.account(ann))
        #expect(account.name == "Bob" && account.picture == picture && account.chosen == [.name, .picture])
    }

    @Test(arguments: StoreMaker.all)
    func `a takeover removes the name and the picture that a former user chose`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        #expect(try await store.setProfile(ProfileChange(name: .set("Bob"), picture: .set(picture)), of: ann))
        #expect(try await store.releaseAll(of: ann, for: .google("1")) == [.apple("1")])
        let account = try #require(try await store.account(ann))
        #expect(account.name == nil && account.picture == nil && account.chosen == [])
        try await store.setNameIfAbsent("Ann", of: ann)
        try await store.releaseAll(of: ann)
        #expect(try await store.account(ann)?.name == "Ann", "a name that was not chosen stays")
    }

    @Test(arguments: StoreMaker.all)
    func `only an account that the gateway created has a profile`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        let change = ProfileChange(name: .set("Bob"))
        #expect(try await !store.setProfile(change, of: madeUID(2)))
        let firebase = UserKey("firebase")
        _ = try await store.claim(.google("1"), for: firebase)
        #expect(try await !store.setProfile(change, of: firebase))
        #expect(try await store.account(firebase)?.name == nil)
        guard case .deleted = try await store.deleteAccount(ann, unlessChangedFrom: nil) else {
            Issue.record("the account exists")
            return
        }
        #expect(try await !store.setProfile(change, of: ann))
        #expect(try await store.account(ann) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `a profile has bounds`(_ maker: StoreMaker) async throws {
        let store = try await account(maker)
        let base = "https://pictures.example/"
        let long = base + String(repeating: "a", count: 1_025 - base.utf8.count)
        let changes = [
            ProfileChange(name: .set("")), ProfileChange(name: .set(String(repeating: "\u{e9}", count: 257))),
            ProfileChange(picture: .set("")), ProfileChange(picture: .set(long)), ProfileChange(picture: .set("a b")),
        ]
        for change in changes {
            await expectStoreError(.invalidAccount) { _ = try await store.setProfile(change, of: ann) }
        }
        #expect(try await store.setProfile(ProfileChange(picture: .set(String(long.dropLast()))), of: ann))
    }
}
