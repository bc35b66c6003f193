import Revocation
import Testing

@testable import StoreFixtures

/// The limits of accounts in every store.
@Suite(.closingStores) struct StoreAccountBoundsSuite {
    static let badLinks = [
        IdentityLink(provider: "", subject: "1"), IdentityLink(provider: "a:b", subject: "1"),
        IdentityLink(provider: "a b", subject: "1"),
        IdentityLink(provider: String(repeating: "a", count: 129), subject: "1"),
        .apple(""), .apple("a\0b"), .apple(String(repeating: "a", count: 256)),
        .apple(String(repeating: "\u{e9}", count: 128)),
    ]

    @Test(arguments: StoreMaker.all)
    func `an identity has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for link in Self.badLinks {
            await expectStoreError(.invalidAccount) { _ = try await store.owner(of: link) }
            await expectStoreError(.invalidAccount) { _ = try await store.claim(link, for: "ann") }
            await expectStoreError(.invalidAccount) {
                _ = try await store.createAccount(.made(madeUID(1), link), claimsEmail: false)
            }
        }
        await expectStoreError(.invalidUID) { _ = try await store.claim(.apple("1"), for: "") }
        await expectStoreError(.invalidAccount) { _ = try await store.release(provider: "", of: "ann") }
        let longest = IdentityLink.apple(String(repeating: "a", count: 255))
        #expect(try await store.claim(longest, for: "ann") != .providerTaken)
        #expect(try await store.owner(of: longest) == "ann")
    }

    @Test(arguments: StoreMaker.all)
    func `an address has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for email in ["", "Ann@example.com", "a\n@b", String(repeating: "a", count: 255)] {
            await expectStoreError(.invalidAccount) { _ = try await store.uid(ofEmail: email) }
            await expectStoreError(.invalidAccount) {
                _ = try await store.setEmail(email, verified: true, of: "ann", claimsEmail: true)
            }
            let account = AccountRecord.made(madeUID(1), .apple("1"), email: email)
            await expectStoreError(.invalidAccount) { _ = try await store.createAccount(account, claimsEmail: false) }
        }
        #expect(try await store.account("ann") == nil)
        let longest = String(repeating: "a", count: 254)
        _ = try await store.claim(.apple("1"), for: "ann")
        #expect(try await store.setEmail(longest, verified: true, of: "ann", claimsEmail: true))
    }

    @Test(arguments: StoreMaker.all)
    func `a name has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for name in ["", String(repeating: "\u{e9}", count: 257)] {
            await expectStoreError(.invalidAccount) { try await store.setNameIfAbsent(name, of: "ann") }
        }
        let longest = String(repeating: "\u{1F600}", count: 256)
        try await store.setNameIfAbsent(longest, of: "ann")
        #expect(try await store.account("ann")?.name == longest)
    }

    @Test(arguments: StoreMaker.all)
    func `a setting has bounds`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let settings: [(String, [UInt8])] = [
            ("", [1]), ("a b", [1]), ("A", [1]), ("a", []), ("a", Array(repeating: 1, count: 16_385)),
        ]
        for (name, value) in settings {
            await expectStoreError(.invalidAccount) { _ = try await store.setting(name, initial: value) }
        }
    }

    @Test(arguments: StoreMaker.all)
    func `an account is created with one link and its time`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        let good = AccountRecord.made(madeUID(1), .apple("1"))
        var (none, two, timeless) = (good, good, good)
        none.links = [:]
        two.links["google.com"] = "1"
        timeless.created = nil
        for account in [none, two, timeless] {
            await expectStoreError(.invalidAccount) { _ = try await store.createAccount(account, claimsEmail: false) }
        }
        #expect(try await store.owner(of: .apple("1")) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `the links of an account are bounded`(_ maker: StoreMaker) async throws {
        let store = try await maker()
        for number in 0..<32 {
            let link = IdentityLink(provider: "oidc.\(number)", subject: "1")
            #expect(try await store.claim(link, for: "ann") != .providerTaken)
        }
        let more = IdentityLink(provider: "oidc.more", subject: "1")
        let error = await expectStoreError(.tooManyLinks) { _ = try await store.claim(more, for: "ann") }
        #expect(error?.message.contains("32") == true)
        #expect(try await store.owner(of: more) == nil)
        #expect(try await store.account("ann")?.links.count == 32)
    }
}
