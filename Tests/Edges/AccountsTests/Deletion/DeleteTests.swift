import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import Logging
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures

@Suite(.timeLimit(.minutes(5))) struct DeleteTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private func link(_ provider: String, _ user: DevelopmentUser) -> IdentityLink {
        IdentityLink(provider: provider, subject: user.subject(at: provider))
    }

    @Test func `a deletion removes the account, and the next sign-in creates another one`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
        rig.time.advance(seconds: 1)
        let answer = await rig.call(.deleteAccount, by: caller)
        guard case .done(.clear?) = answer.reply else {
            Issue.record("\(answer.code): \(rig.log.text)")
            return
        }
        #expect(try await rig.store.account(caller.user) == nil)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
        #expect(try await rig.store.user(caller.user).disabled)
        rig.time.advance(seconds: 1)
        let next = try await rig.signIn(try await rig.proof(.google, .ada))
        #expect(next.isNew == true && next.uid != caller.uid)
        let other = try await rig.signIn(rig.gitHub())
        #expect(other.isNew == true && other.uid != caller.uid && other.uid != next.uid)
    }

    @Test func `a deletion is one audit line without an address and a subject`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
        let lines = rig.log.all.filter { $0.level == .notice }.map(\.text)
        #expect(lines.count == 1 && lines[0].contains("\"event\": delete"))
        #expect(lines[0].contains(caller.uid) && lines[0].contains("request-1"))
        #expect(!lines[0].contains("example.com"))
    }

    @Test func `I-01: a deletion needs a recent sign-in`() async throws {
        let caller = try await rig.session()
        rig.time.advance(seconds: 301)
        let answer = await rig.call(.deleteAccount, by: caller)
        #expect(answer.code == "auth/requires-recent-login" && answer.denial?.maxAge == 300)
        #expect(try await rig.store.account(caller.user) != nil)
        #expect(await rig.code(.reauthenticate, try await rig.proof(.google, .ada), by: caller) == "ok")
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
    }

    @Test func `only the holder of an account of the gateway deletes one`() async throws {
        #expect(await rig.code(.deleteAccount) == "auth/missing-credential")
        let identity = try ProviderIdentity.made(authTime: rig.now)
        let stranger = try #require(Principal(identity, hasher: try .required()))
        #expect(await rig.code(.deleteAccount, by: stranger) == "auth/operation-not-allowed")
        let firebase = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.code(.link, rig.gitHub(), by: firebase) == "ok")
        let answer = await rig.call(.deleteAccount, by: firebase)
        #expect(answer.code == "auth/operation-not-allowed")
        #expect(answer.denial?.detail?.contains("Another system") == true)
        #expect(try await rig.store.owner(of: link("github.com", .linus)) == firebase.user)
    }

    @Test func `H-03: a caller who was revoked or disabled deletes nothing`() async throws {
        let caller = try await rig.session()
        try await rig.store.revoke(caller.user, at: rig.now, .everything)
        #expect(await rig.code(.deleteAccount, by: caller) == "auth/session-cookie-revoked")
        try await rig.store.setDisabled(caller.user, true)
        #expect(await rig.code(.deleteAccount, by: caller) == "auth/user-disabled")
        #expect(try await rig.store.account(caller.user) != nil)
    }

    // MARK: - O-26

    @Test func `O-26: no call accepts the session of a deleted account`() async throws {
        let caller = try await rig.session()
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
        rig.time.advance(seconds: 1)
        let calls: [(AccountEndpoint, JSONObject?)] = [
            (.deleteAccount, nil), (.link, rig.gitHub()), (.unlink, ["provider": "google.com"]),
            (.reauthenticate, try await rig.proof(.google, .ada)), (.signOut, ["everywhere": true]),
        ]
        for (endpoint, body) in calls {
            #expect(await rig.code(endpoint, body, by: caller) == "auth/session-cookie-revoked", "\(endpoint)")
        }
        #expect(try await rig.store.account(caller.user) == nil)
        // The identity belongs to a new account by now, which the old session does not open.
        _ = try await rig.signIn(try await rig.proof(.google, .ada))
        #expect(await rig.code(.unlink, ["provider": "google.com"], by: caller) == "auth/session-cookie-revoked")
    }

    @Test(arguments: [0, 1])
    func `O-26: a credential from the second of the deletion or before creates no account`(_ age: Double) async throws {
        let caller = try await rig.session()
        let before = try await rig.proof(.google, .ada)
        rig.time.advance(seconds: age)
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
        #expect(await rig.code(.signIn, before) == "auth/id-token-revoked")
        #expect(try await rig.store.owner(of: link("google.com", .ada)) == nil)
    }

    @Test func `O-26: a pending token from before the deletion creates no account`() async throws {
        let ada = try await rig.session(.google, .ada)
        let dennis = try await rig.session(.facebook, .dennis)
        let refused = await rig.call(.link, try await rig.proof(.facebook, .dennis), by: ada)
        let pending: JSONObject = ["pending_token": .string(try #require(refused.pending))]
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.deleteAccount, by: dennis) == "ok")
        #expect(await rig.code(.signIn, pending) == "auth/id-token-revoked")
        #expect(try await rig.store.owner(of: link("facebook.com", .dennis)) == nil)
    }

    @Test func `O-26: a pending link to a deleted account links nothing`() async throws {
        let caller = try await rig.session(.google, .ada.withEmail("linus@example.com"))
        let gitHub = DevelopmentUser.linus.withEmail("linus@example.com")
        let refused = await rig.call(.signIn, rig.gitHub(gitHub, email: "linus@example.com"))
        let pending: JSONObject = ["pending_token": .string(try #require(refused.pending, "\(refused.code)"))]
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.deleteAccount, by: caller) == "ok")
        #expect(await rig.code(.link, pending, by: caller) == "auth/session-cookie-revoked")
        rig.time.advance(seconds: 1)
        let next = try await rig.session(.google, .ada.withEmail("linus@example.com"))
        #expect(await rig.code(.link, pending, by: next) == "auth/user-mismatch")
        #expect(try await rig.store.owner(of: link("github.com", .linus)) == nil)
    }

    @Test(arguments: [AccountEndpoint.startLink, .startReauthenticate])
    func `O-26: a flow of a deleted account ends without an effect`(_ endpoint: AccountEndpoint) async throws {
        let flow = try await FlowRig()
        let answer = await flow.finish(try await flow.begin())
        let cookie = try #require(answer.token)
        let caller = try flow.rig.caller(answer)
        let provider = endpoint == .startLink ? "github.com" : "google.com"
        let user = endpoint == .startLink ? DevelopmentUser.linus : .ada
        let begun = try await flow.begin(endpoint, provider, ["return_to": "/x"], by: caller)
        flow.rig.time.advance(seconds: 1)
        #expect(await flow.rig.code(.deleteAccount, by: caller) == "ok")
        let end = await flow.finish(begun, provider, as: user, session: cookie)
        #expect(end.location?.contains("error=") == true && end.token == nil, "\(end.location ?? end.code)")
        #expect(try await flow.rig.store.owner(of: link(provider, user)) == nil)
        #expect(try await flow.rig.store.account(caller.user) == nil)
    }

    @Test func `O-26: a link at the same time as the deletion leaves the identity free`() async throws {
        for _ in 0..<Thoroughness.rounds(4, full: 20) {
            // A token from before the last deletion is not accepted any more.
            rig.time.advance(seconds: 1)
            let caller = try await rig.session()
            let body = rig.gitHub()
            async let linked = rig.call(.link, body, by: caller)
            async let deleted = rig.code(.deleteAccount, by: caller)
            let (answer, deletion) = await (linked, deleted)
            if deletion == "auth/session-cookie-revoked" {
                // The link came first and replaced the session.
                #expect(answer.code == "ok")
                let next = try rig.caller(answer)
                #expect(await rig.code(.deleteAccount, by: next) == "ok")
            } else {
                #expect(deletion == "ok")
            }
            #expect(try await rig.store.owner(of: link("github.com", .linus)) == nil)
            #expect(try await rig.store.account(caller.user) == nil)
        }
    }

    @Test func `O-26: a sign-in at the same time as the deletion creates no account`() async throws {
        for _ in 0..<Thoroughness.rounds(4, full: 20) {
            rig.time.advance(seconds: 1)
            let caller = try await rig.session()
            let body = try await rig.proof(.google, .ada)
            async let signedIn = rig.call(.signIn, body)
            async let deleted = rig.code(.deleteAccount, by: caller)
            let (answer, code) = await (signedIn, deleted)
            #expect(code == "ok")
            #expect(try await rig.store.owner(of: link("google.com", .ada)) == nil)
            guard answer.code == "ok" else { continue }
            // A session of the deleted account is of no use.
            let session = try rig.caller(answer)
            #expect(session.uid == caller.uid)
            #expect(await rig.code(.deleteAccount, by: session) == "auth/session-cookie-revoked")
        }
    }
}
