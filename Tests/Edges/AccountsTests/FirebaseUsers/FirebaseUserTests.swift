import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Sign-ins at a provider by users who have a Firebase account.
@Suite(.timeLimit(.minutes(5))) struct FirebaseUserTests {
    private let directory = FirebaseDirectory()
    private let rig: AccountsRig
    private let link = IdentityLink(provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"))

    init() async throws { rig = try await directory.rig() }

    private func signIn(_ user: DevelopmentUser = .ada, at rig: AccountsRig? = nil) async throws -> CallAnswer {
        let rig = rig ?? self.rig
        rig.time.advance(seconds: 1)
        return await rig.call(.signIn, try await rig.proof(.google, user))
    }

    @Test func `one person with Firebase and with a provider's sign-in has one uid`() async throws {
        directory.set(.google("ada", .ada))
        let token = FirebaseToken.idToken(for: .ada, now: rig.now).signedIn(at: rig.now)
        let firebase = await rig.call(.session, ["id_token": .string(try token.signed(by: TokenDraft.key))])
        let answer = try await signIn()
        #expect(firebase.uid == "ada" && answer.uid == "ada" && answer.isNew == false, "\(rig.log.text)")
        let caller = try rig.caller(answer)
        #expect(caller.user == "ada" && caller.facts.isFirebase && caller.facts.evidence != nil)
        #expect(answer.claims?["sub"]?.equals("ada") == true && answer.claims?["user_id"]?.equals("ada") == true)
        let name = FirebaseName.identity(provider: "google.com", id: link.subject)
        let evidence = FirebaseEvidence(project: FirebaseToken.demoProject, name: name)
        #expect(try await rig.store.account("ada")?.evidence == ["google.com": evidence])
        #expect(try await rig.store.owner(of: link) == "ada")
        #expect(try await signIn().uid == "ada")
        #expect(rig.log.text.contains(#""event": resolve"#))
    }

    @Test func `an identity that Firebase does not know gets an account`() async throws {
        directory.set(.google("grace", .grace))
        let answer = try await signIn()
        #expect(answer.isNew == true && answer.uid?.utf8.count == 32)
        #expect(try rig.caller(answer).facts.evidence == nil)
    }

    @Test func `concurrent first sign-ins find one user`() async throws {
        directory.set(.google("ada", .ada))
        var proofs: [JSONObject] = []
        for _ in 0..<20 { proofs.append(try await rig.proof(.google, .ada)) }
        let answers = await withTaskGroup(of: CallAnswer.self) { group in
            for proof in proofs { group.addTask { await rig.call(.signIn, proof) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.uid == "ada" }, "\(answers.map(\.code))")
        #expect(try await rig.store.account("ada")?.links == ["google.com": link.subject])
    }

    @Test func `a link ends when Firebase does not list the identity any more`() async throws {
        directory.set(.google("ada", .ada))
        let caller = try rig.caller(try await signIn())
        directory.change("ada") { $0.identities = [] }
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.exportAccount, by: caller) == "auth/session-cookie-revoked", "the session ends")
        #expect(try await signIn().code == "auth/requires-recent-login")
        #expect(try await rig.store.owner(of: link) == nil && rig.log.text.contains(#""event": evict"#))
        #expect(try await rig.store.account("ada")?.links == [:])
        let other = try await signIn()
        #expect(other.isNew == true && other.uid != "ada", "the identity is that of another user")
    }

    @Test func `the address of an evicted identity does not link it again`() async throws {
        let rig = try await directory.rig(usesAddresses: true)
        directory.set(.google("ada", .ada, email: "ada@example.com"))
        #expect(try await signIn(at: rig).uid == "ada")
        directory.change("ada") { $0.identities = [] }
        #expect(try await signIn(at: rig).code == "auth/requires-recent-login")
        #expect(try await signIn(at: rig).code == "auth/account-exists-with-different-credential")
        directory.set(.google("ada", .ada, email: "ada@example.com"))
        #expect(try await signIn(at: rig).uid == "ada", "Firebase lists it again")
    }

    @Test func `an identity that moved to another Firebase user follows`() async throws {
        directory.set(.google("ada", .ada))
        #expect(try await signIn().uid == "ada")
        directory.set(FirebaseDirectory.User(uid: "ada"))
        directory.set(.google("second", .ada))
        #expect(try await signIn().code == "auth/requires-recent-login")
        #expect(try await signIn().uid == "second")
    }

    @Test func `another identity of the provider replaces one that Firebase does not list`() async throws {
        directory.set(.google("ada", .ada))
        #expect(try await signIn().uid == "ada")
        directory.set(.google("ada", .grace))
        #expect(try await signIn(.grace).uid == "ada")
        #expect(try await rig.store.owner(of: link) == nil)
    }

    @Test(arguments: [true, false])
    func `a disabled user is refused, and a deleted one`(isDisabled: Bool) async throws {
        directory.set(.google("ada", .ada))
        directory.set(.google("grace", .grace))
        #expect(try await signIn().uid == "ada")
        for uid in ["ada", "grace"] {
            if isDisabled { directory.change(uid) { $0.isDisabled = true } } else { directory.delete(uid) }
        }
        #expect(try await signIn().code == (isDisabled ? "auth/user-disabled" : "auth/requires-recent-login"))
        #expect(try await rig.store.owner(of: link) == (isDisabled ? "ada" : nil))
        let first = try await signIn(.grace)
        #expect(isDisabled ? first.code == "auth/user-disabled" : first.isNew == true)
    }

    @Test func `a failed lookup creates no account`() async throws {
        directory.set(.google("ada", .ada))
        directory.setDown(true)
        #expect(try await signIn().code == "auth/store-unavailable")
        #expect(try await rig.store.owner(of: link) == nil)
        directory.setDown(false)
        rig.time.advance(seconds: 10)
        #expect(try await signIn().uid == "ada")
        directory.setDown(true)
        #expect(try await signIn().code == "auth/store-unavailable")
        #expect(try await rig.store.owner(of: link) == "ada", "an outage removes no link")
    }

    @Test func `an account and a different Firebase user have their own error`() async throws {
        let account = try #require(try await signIn().uid)
        directory.set(.google("ada", .ada))
        #expect(try await signIn().uid == account, "cached")
        rig.time.advance(seconds: FirebaseDirectory.staleness)
        for _ in 0..<2 { #expect(try await signIn().code == "auth/firebase-user-mismatch") }
        directory.delete("ada")
        rig.time.advance(seconds: FirebaseDirectory.staleness)
        #expect(try await signIn().uid == account)
    }

    @Test func `a link from Firebase is not valid after the resolution was turned off`() async throws {
        directory.set(.google("ada", .ada))
        _ = try await signIn()
        var parts = rig.parts
        parts.firebaseUsers = nil
        let caller = try rig.caller(try await signIn())
        let accounts = Accounts(parts)
        let call = AccountCall(
            endpoint: .signIn, body: Array(try await rig.proof(.google, .ada).text.utf8),
            contentType: "application/json", caller: nil, network: .version4(1), requestID: "r")
        let refused = CallAnswer(reply: await accounts.reply(to: call))
        #expect(refused.code == "auth/firebase-user-mismatch")
        parts.firebase = nil
        let export = AccountCall(
            endpoint: .exportAccount, body: [], contentType: "", caller: caller, network: .version4(1), requestID: "r")
        #expect(CallAnswer(reply: await Accounts(parts).reply(to: export)).code == "auth/session-cookie-revoked")
    }
}

/// Users who are found by a verified address.
@Suite(.timeLimit(.minutes(5))) struct FirebaseAddressTests {
    private let directory = FirebaseDirectory()
    private let rig: AccountsRig

    init() async throws { rig = try await directory.rig(usesAddresses: true) }

    private func signIn(_ user: DevelopmentUser, at rig: AccountsRig? = nil) async throws -> CallAnswer {
        let rig = rig ?? self.rig
        rig.time.advance(seconds: 1)
        return await rig.call(.signIn, try await rig.proof(.google, user))
    }

    @Test func `a verified address determines the user if the policy permits it`() async throws {
        directory.set(FirebaseDirectory.User(uid: "ada", email: "ada@example.com"))
        #expect(try await signIn(.ada).uid == "ada")
        #expect(try await rig.store.account("ada")?.evidence["google.com"]?.name == .email("ada@example.com"))
        #expect(try await signIn(.ada).uid == "ada")
        directory.change("ada") { $0.email = "other@example.com" }
        #expect(try await signIn(.ada).code == "auth/requires-recent-login")
        let strict = try await directory.rig()
        directory.change("ada") { $0.email = "ada@example.com" }
        #expect(try await signIn(.ada, at: strict).isNew == true)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `an address that one side has not verified finds no user`(atProvider: Bool, atFirebase: Bool) async throws {
        directory.set(
            FirebaseDirectory.User(uid: "ada", email: "ada@example.com", isVerified: atFirebase))
        #expect(try await signIn(.ada.withEmail("ada@example.com", verified: atProvider)).isNew == true)
    }

    @Test func `O-25: a change to the address of a Firebase user is refused, after its proof only`() async throws {
        rig.store.outbox.set(.init(destinations: ["webhook"], limit: 9, reserve: 0, added: { _ in }))
        let caller = try await rig.session()
        let new = "new@example.com"
        directory.set(FirebaseDirectory.User(uid: "grace", email: new))
        let calls = directory.calls.count
        #expect(await rig.code(.changeEmail, ["email": .string(new)], by: caller) == "ok")
        #expect(directory.calls.count == calls, "a request reveals no user")
        let poll = try await rig.store.pollOutbox(of: "webhook", by: "a", lease: 60, limit: 9)
        let message = try #require(poll.messages.last)
        let token = try #require(try JSONDocument(Array(message.body.utf8), limits: .token).root["token"]?.string)
        func redeem() async -> String { await rig.code(.changeEmail, ["token": .string(token)], by: caller) }
        #expect(await redeem() == "auth/firebase-user-mismatch")
        let proof = try await rig.proof(.google, DevelopmentUser.ada.withEmail(new))
        #expect(await rig.code(.changeEmail, proof, by: caller) == "auth/firebase-user-mismatch")
        directory.setDown(true)
        rig.time.advance(seconds: 2)
        #expect(await redeem() == "auth/store-unavailable")
        #expect(try await rig.store.account(caller.user)?.email == "ada@example.com")
        directory.setDown(false)
        directory.change("grace") { $0.isVerified = false }
        rig.time.advance(seconds: FirebaseDirectory.staleness)
        #expect(await redeem() == "ok", "an address that Firebase has not verified determines no user")
    }

    @Test func `an account with an unverified address does not split the uid silently`() async throws {
        let unverified = DevelopmentUser.ada.withEmail("ada@example.com", verified: false)
        let account = try #require(try await signIn(unverified).uid)
        directory.set(FirebaseDirectory.User(uid: "ada", email: "ada@example.com"))
        rig.time.advance(seconds: FirebaseDirectory.staleness)
        #expect(try await signIn(unverified).uid == account, "nobody proved the address")
        #expect(try await signIn(.ada).code == "auth/firebase-user-mismatch")
    }

    @Test func `two Firebase users with one address have their own error`() async throws {
        for uid in ["one", "two"] { directory.set(FirebaseDirectory.User(uid: uid, email: "ada@example.com")) }
        for _ in 0..<2 { #expect(try await signIn(.ada).code == "auth/firebase-user-mismatch") }
    }
}
