import Authentication
import Authorization
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Synchronization
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Sessions of an account that lost its address.
@Suite(.timeLimit(.minutes(5))) struct LostAddressTests {
    private static let chosen = "chosen@example.com"
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    /// Creates an account whose address is Google's, with a second identity. Returns a session of the latter.
    private func session(
        as user: DevelopmentUser = .grace.withEmail(nil), isChosen: Bool
    ) async throws -> Principal {
        let first = try await rig.session()
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), user), by: first) == "ok")
        if isChosen {
            let proof = try await rig.proof(.google, DevelopmentUser.ada.withEmail(Self.chosen))
            #expect(await rig.code(.changeEmail, proof, by: first) == "ok")
        }
        let session = try await rig.session(.oidc("corp"), user)
        #expect(session.user == first.user)
        return session
    }

    private func addresses(_ claims: JSONValue) -> [String] {
        claims["firebase"]?["identities"]?["email"]?.elements.compactMap(\.string) ?? []
    }

    @Test(arguments: [true, false])
    func `the session of the user who unlinks continues without the address, and the others end`(
        isChosen: Bool
    ) async throws {
        let caller = try await session(isChosen: isChosen)
        let other = try await rig.session(.oidc("corp"), .grace.withEmail(nil))
        let address = isChosen ? Self.chosen : "ada@example.com"
        #expect(addresses(caller.claims.root) == [address])
        #expect(caller.claims.root["email"]?.string == (isChosen ? address : nil))
        let answer = await rig.call(.unlink, ["provider": "google.com"], by: caller)
        #expect(answer.providers == ["oidc.corp"])
        let claims = try #require(answer.claims)
        #expect(claims["email"] == nil && claims["email_verified"] == nil)
        #expect(claims["firebase"]?["identities"]?["email"] == nil)
        #expect(claims["firebase"]?["identities"]?["oidc.corp"] != nil)
        let next = try rig.caller(answer)
        #expect(next.endsAt == caller.endsAt && next.authTime == caller.authTime)
        #expect(await rig.code(.account, by: next, isExact: true) == "ok")
        let listed = await rig.call(.sessions, by: next).json?["sessions"]?.elements.map { $0 } ?? []
        #expect(listed.count == 1 && listed.first?["current"]?.bool == true)
        for ended in [caller, other] {
            let code = await rig.code(.account, by: ended, isExact: true)
            #expect(code == "auth/session-cookie-revoked")
        }
        // A later revocation ends the session too.
        try await rig.store.revoke(caller.user, at: rig.now, .everything)
        #expect(await rig.code(.account, by: next, isExact: true) == "auth/session-cookie-revoked")
    }

    @Test(arguments: [true, false])
    func `a late revocation of a time before the unlink ends the session that continued`(
        ofIdentity: Bool
    ) async throws {
        let caller = try await session(isChosen: false)
        let next = try rig.caller(await rig.call(.unlink, ["provider": "google.com"], by: caller))
        #expect(await rig.code(.account, by: next, isExact: true) == "ok")
        let identity = UserKey(try #require(caller.origin?.link))
        let start = try #require(caller.startedAt)
        try await rig.store.revoke(ofIdentity ? identity : caller.user, at: start.seconds)
        #expect(await rig.code(.account, by: next, isExact: true) == "auth/session-cookie-revoked")
    }

    @Test func `a session keeps the address of its own provider`() async throws {
        let user = DevelopmentUser.grace.withEmail("grace@corp.example")
        let caller = try await session(as: user, isChosen: false)
        let answer = await rig.call(.unlink, ["provider": "google.com"], by: caller)
        let claims = try #require(answer.claims)
        #expect(claims["email"]?.string == "grace@corp.example" && claims["email_verified"]?.bool == true)
        #expect(addresses(claims) == ["grace@corp.example"])
    }

    @Test func `a session of the same address of another provider loses it in any case of its letters`() async throws {
        let user = DevelopmentUser.grace.withEmail("ADA@example.com", verified: false)
        let rig = try await AccountsRig { $0.oneAccountPerEmail = false }
        let first = try await rig.session()
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), user), by: first) == "ok")
        let caller = try await rig.session(.oidc("corp"), user)
        #expect(caller.claims.root["email"]?.string == "ADA@example.com")
        let claims = try #require(await rig.call(.unlink, ["provider": "google.com"], by: caller).claims)
        #expect(claims["email"] == nil && claims["email_verified"] == nil && addresses(claims) == [])
    }

    @Test func `unlinking an identity that supplied no address ends no session`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
        let other = try await rig.session()
        let answer = await rig.call(.unlink, ["provider": "github.com"], by: caller)
        #expect(answer.claims?["email"]?.string == "ada@example.com")
        #expect(await rig.code(.account, by: other) == "ok")
    }

    @Test func `the sessions end that state an address which an operator or an event removed`() async throws {
        let removals: [(AccountsRig, UserKey) async throws -> Void] = [
            { rig, user in _ = try await rig.store.release(provider: "google.com", of: user) },
            { rig, user in try await rig.store.removeEmail(Self.chosen, of: user) },
        ]
        for remove in removals {
            let tests = try await LostAddressTests()
            let caller = try await tests.session(isChosen: true)
            try await remove(tests.rig, caller.user)
            #expect(await tests.rig.code(.account, by: caller) == "auth/session-cookie-revoked")
            let next = try await tests.rig.session(.oidc("corp"), .grace.withEmail(nil))
            #expect(next.user == caller.user && next.claims.root["email"] == nil)
            #expect(tests.addresses(next.claims.root) == [])
        }
    }

    @Test func `a session that begins after its account lost the address does not state it`() async throws {
        let accounts = AddressLoss()
        let rig = try await AccountsRig(parts: { $0.firebase = accounts })
        let (user, google) = (UserKey("firebase"), IdentityLink.google("1"))
        let corp = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        for link in [google, corp] { _ = try await rig.store.claim(link, for: user) }
        let isSet = try await rig.store.setEmail(
            AddressLoss.address, verified: true, from: google, of: user, claimsEmail: true)
        #expect(isSet)
        accounts.store.withLock { $0 = rig.store }
        let session = try await rig.session(.oidc("corp"), .grace.withEmail(nil))
        #expect(session.user == user && addresses(session.claims.root) == [])
        #expect(try await rig.store.account(user)?.email == nil, "lost after the sign-in read the account")
        #expect(await rig.code(.account, by: session) == "ok")
    }

    @Test func `a session of an identity that was revoked does not continue`() async throws {
        let caller = try await session(isChosen: true)
        let link = try #require(caller.origin?.link)
        let lost = try await rig.store.release(provider: "google.com", of: caller.user, keeping: caller.startedAt)
        guard case .released(_, _, _, let address?) = lost else {
            Issue.record("the account had an address")
            return
        }
        try await rig.store.revoke(UserKey(link), at: rig.now, .everything)
        let call = AccountCall(
            endpoint: .unlink, body: [], contentType: "application/json", caller: caller, network: .version4(1),
            requestID: "request-1")
        let rotation = try #require(SessionRotation(caller, call, rig.parts))
        await #expect(throws: AccountDenial.self) {
            _ = try await rotation.rotate(restarted: address.restarted, without: address.email)
        }
    }
}

/// Removes the address of an account while its status is looked up.
private final class AddressLoss: FirebaseAccountLookup {
    static let address = "ada@example.com"
    let store = Mutex<SQLiteStore?>(nil)

    func lookUp(_ user: UserKey, notBefore: UInt64, completion: @escaping @Sendable (AccountStatus) -> Void) {
        let store = store.withLock { $0 }
        Task {
            try? await store?.removeEmail(Self.address, of: user)
            completion(AccountStatus(state: .account(validSince: nil, disabled: false), queriedAt: notBefore))
        }
    }
}
