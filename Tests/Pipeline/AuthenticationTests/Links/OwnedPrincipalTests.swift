import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The principal of a provider's token whose identity belongs to an account.
@Suite struct OwnedPrincipalTests {
    private func derived(
        _ sample: ProviderSample = .apple, _ change: (TokenDraft) -> TokenDraft = { $0 }
    ) throws -> Principal {
        try #require(try ProviderRig([sample]).principal(sample.signed(change)))
    }

    private func owned(_ principal: Principal, by account: AccountRecord) throws -> Principal? {
        principal.owned(by: account, hasher: try SHA256Hasher.required())
    }

    private static func account(
        email: String? = nil, name: String? = nil, created: UnixTime? = 1, links: [String: String] = [:]
    ) -> AccountRecord {
        AccountRecord(uid: "ada", email: email, name: name, created: created, links: links)
    }

    @Test func `the account is the user in all claims`() throws {
        let principal = try #require(try owned(try derived(), by: Self.account()))
        #expect(principal.uid == "ada")
        #expect(principal.claims.root["sub"]?.string == "ada")
        #expect(principal.claims.root["user_id"]?.string == "ada")
        #expect(principal.claims.root["email"]?.string == "a@example.com")
        #expect(principal.userKey == StoreKey(user: "ada", hasher: try SHA256Hasher.required()))
    }

    @Test func `the account of a tenant's user keeps the tenant`() throws {
        let user = UserKey(uid: "ada", tenant: "acme-x1")
        let principal = try #require(try owned(try derived(), by: AccountRecord(user: user)))
        #expect(principal.user == user)
        #expect(principal.userKey == StoreKey(user, hasher: try SHA256Hasher.required()))
        #expect(principal.claims.root["firebase"]?["tenant"]?.string == "acme-x1")
        #expect(try owned(try derived(), by: Self.account())?.claims.root["firebase"]?["tenant"] == nil)
    }

    @Test func `the owner does not change the facts of the token`() throws {
        let derived = try derived(.apple) { $0.with("auth_time", "\(ManualClock.start - 200)") }
        let principal = try #require(try owned(derived, by: Self.account()))
        #expect(principal.link == IdentityLink(provider: "apple.com", subject: "user-1"))
        #expect(principal.signInProvider == "apple.com")
        #expect(principal.kind == .idToken)
        #expect(principal.authTime?.seconds == ManualClock.start - 200)
        #expect(principal.issuedAt == derived.issuedAt)
        #expect(principal.facts.validityTime == derived.facts.validityTime)
        #expect(principal.expiresAt == derived.expiresAt)
        #expect(principal.session == "apple.com:\(ManualClock.start - 200)")
        #expect(principal.sessionKey != derived.sessionKey)
    }

    @Test func `the record of the link's own name still applies`() throws {
        let derived = try derived()
        #expect(!derived.facts.hasLinkRecord)
        #expect(derived.facts.linkKey == derived.userKey)
        #expect(derived.isUnlinked)
        let principal = try #require(try owned(derived, by: Self.account()))
        #expect(principal.facts.hasLinkRecord)
        #expect(principal.facts.linkKey == derived.userKey)
        #expect(!principal.isUnlinked)
    }

    @Test func `a link from Firebase depends on its evidence`() throws {
        let name = FirebaseName.identity(provider: "apple.com", id: "user-1")
        let evidence = FirebaseEvidence(project: "my-app", name: name)
        var account = Self.account(created: 1, links: ["apple.com": "user-1"])
        account.evidence = ["apple.com": evidence]
        let facts = try #require(try owned(try derived(), by: account)?.facts)
        #expect(facts.evidence == evidence.key(hasher: try .required()) && facts.isFirebase)
        account.links = ["apple.com": "user-2"]
        #expect(try owned(try derived(), by: account)?.facts.evidence == nil)
        #expect(try owned(try derived(), by: Self.account())?.facts.evidence == nil)
    }

    @Test func `an account that the gateway did not create belongs to Firebase`() throws {
        #expect(try owned(try derived(), by: Self.account(created: nil))?.facts.isFirebase == true)
        #expect(try owned(try derived(), by: Self.account(created: 1))?.facts.isFirebase == false)
    }

    @Test func `all links and the address are listed`() throws {
        let account = Self.account(
            email: "ada@example.com",
            links: ["github.com": "583231", "apple.com": "not what was proven", "google.com": "104"])
        let firebase = try #require(try owned(try derived(), by: account)?.claims.root["firebase"])
        var text: [UInt8] = []
        firebase.appendCompact(to: &text)
        let expected =
            #"{"identities":{"apple.com":["user-1"],"github.com":["583231"],"google.com":["104"],"#
            + #""email":["ada@example.com"]},"sign_in_provider":"apple.com"}"#
        #expect(String(decoding: text, as: UTF8.self) == expected)
    }

    @Test func `the address of the token is listed if the account has none`() throws {
        let principal = try owned(try derived(), by: Self.account())
        let listed = principal?.claims.root["firebase"]?["identities"]?["email"]?.elements.map(\.string)
        #expect(listed == ["a@example.com"])
    }

    @Test func `the name of the account is used if the token has none`() throws {
        #expect(try owned(try derived(), by: Self.account(name: "Ada"))?.claims.root["name"]?.string == "Ada")
        let named = try derived(.google) { $0.with("name", "\"A. L.\"") }
        #expect(try owned(named, by: Self.account(name: "Ada"))?.claims.root["name"]?.string == "A. L.")
        #expect(try owned(try derived(), by: Self.account(name: ""))?.claims.root["name"] == nil)
    }

    @Test(arguments: ["", "a\u{0}b", "\n", "long"])
    func `an account with an invalid uid owns nothing`(_ uid: String) throws {
        let text = uid == "long" ? String(repeating: "u", count: 129) : uid
        #expect(try owned(try derived(), by: AccountRecord(uid: UserKey(text))) == nil)
    }

    @Test func `only a provider's own tokens have an owner`() throws {
        #expect(try owned(try TokenDraft.idToken().principal(), by: Self.account()) == nil)
    }

    @Test(arguments: [
        ("\(TenantID.personalAccounts):00000000-0000-0000-4b2e-abcdefghijkl", "4b2eabcdefghijkl"),
        ("\(TenantID.personalAccounts):\(ProviderSample.object)", ProviderSample.object),
        ("\(ProviderSample.tenant):00000000-0000-0000-4b2e-abcdefghijkl", "00000000-0000-0000-4b2e-abcdefghijkl"),
        ("odd", "odd"),
    ])
    func `Microsoft's identities are listed as Firebase names them`(_ subject: String, _ id: String) throws {
        #expect(IdentityLink(provider: "microsoft.com", subject: subject).federatedID == id)
        #expect(IdentityLink(provider: "oidc.corp", subject: subject).federatedID == subject)
        let principal = try owned(try derived(), by: Self.account(links: ["microsoft.com": subject]))
        let listed = principal?.claims.root["firebase"]?["identities"]?["microsoft.com"]?.elements.map(\.string)
        #expect(listed == [id])
    }

    @Test func `Microsoft's own token is listed alike with and without an owner`() throws {
        let derived = try derived(.microsoft)
        let principal = try #require(try owned(derived, by: Self.account()))
        let path = { (principal: Principal) in
            principal.claims.root["firebase"]?["identities"]?["microsoft.com"]?.elements.map(\.string)
        }
        #expect(path(derived) == [ProviderSample.object])
        #expect(path(principal) == path(derived))
    }
}
