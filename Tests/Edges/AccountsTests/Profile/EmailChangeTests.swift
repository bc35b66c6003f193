import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// O-25: `POST account/email`.
@Suite(.timeLimit(.minutes(5))) struct EmailChangeTests {
    private static let new = "new@example.com"
    private let rig: AccountsRig

    init() async throws {
        rig = try await AccountsRig()
        Self.switchOn(rig)
    }

    private static func switchOn(_ rig: AccountsRig, limit: Int = 100) {
        rig.store.outbox.set(.init(destinations: ["webhook"], limit: limit, reserve: 0, added: { _ in }))
    }

    private func events(_ rig: AccountsRig? = nil) async throws -> [JSONValue] {
        try await (rig ?? self.rig).store.pollOutbox(of: "webhook", by: "a", lease: 60, limit: 10).messages.map {
            try JSONDocument(Array($0.body.utf8), limits: .token).root
        }
    }

    /// Requests a link and returns its token, which is in the latest event.
    private func token(to email: String = new, by caller: Principal) async throws -> String {
        let answer = await rig.call(.changeEmail, ["email": .string(email)], by: caller)
        try #require(answer.code == "ok", "\(answer.code)")
        let verifications = try await events().filter { $0["type"]?.string == "account.email_verification" }
        return try #require(verifications.last?["token"]?.string)
    }

    private func redeem(_ token: String, by caller: Principal?, isExact: Bool = false) async -> CallAnswer {
        await rig.call(.changeEmail, ["token": .string(token)], by: caller, isExact: isExact)
    }

    private func email(of user: UserKey) async throws -> String? { try await rig.store.account(user)?.email }

    @Test func `O-25: the old address holds until the new one proves, and is told`() async throws {
        let caller = try await rig.session()
        let answer = await rig.call(.changeEmail, ["email": "New@Example.com"], by: caller)
        #expect(answer.text == #"{"email":"new@example.com","expires_in":3600}"# && answer.cookie == nil)
        #expect(try await email(of: caller.user) == "ada@example.com")
        #expect(try await rig.store.uid(ofEmail: Self.new) == nil, "an open change reserves nothing")
        let event = try #require(try await events().last)
        #expect(event["email"]?.string == Self.new && event["previous_email"] == nil && event["url"] == nil)
        #expect(event["expires_at"]?.integer == rig.now + 3_600)
        let token = try #require(event["token"]?.string)
        let changed = await redeem(token, by: caller)
        #expect(changed.text == #"{"uid":"\#(caller.uid)","email":"new@example.com"}"#)
        #expect(try await email(of: caller.user) == Self.new)
        let told = try #require(try await events().last)
        #expect(told["type"]?.string == "account.email_changed")
        #expect(told["previous_email"]?.string == "ada@example.com" && told["email"]?.string == Self.new)
        #expect(!rig.log.text.contains(token) && !rig.log.text.contains(Self.new))
    }

    @Test func `O-25: sessions state the new address, and the other ones end`() async throws {
        let caller = try await rig.session()
        let other = try await rig.session()
        let token = try await token(by: caller)
        let answer = await redeem(token, by: caller)
        let claims = try #require(answer.claims)
        #expect(claims["email"]?.string == Self.new && claims["email_verified"]?.bool == true)
        let identities = claims["firebase"]?["identities"]
        #expect(identities?["email"]?.elements.compactMap(\.string) == [Self.new])
        #expect(identities?["google.com"] != nil && claims["name"]?.string == "Ada Lovelace")
        let next = try rig.caller(answer)
        #expect(next.session != caller.session && next.endsAt == caller.endsAt && next.authTime == caller.authTime)
        for ended in [caller, other] {
            let code = await rig.code(.account, by: ended, isExact: true)
            #expect(code == "auth/session-cookie-revoked")
        }
        let read = await rig.call(.account, by: next)
        #expect(read.string("email") == Self.new && read.cookie == nil)
        // The provider still states the earlier address. It is the same account, which keeps the chosen one.
        let later = try await rig.session()
        #expect(later.user == caller.user && later.claims.root["email"]?.string == Self.new)
        #expect(try await email(of: caller.user) == Self.new)
    }

    @Test func `O-25: a change ends suspended sessions too, and those that the list does not have`() async throws {
        let caller = try await rig.session()
        let user = DevelopmentUser.grace.withEmail(nil)
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), user), by: caller) == "ok")
        let suspended = try await rig.session(.oidc("corp"), user)
        let identity = UserKey(try #require(suspended.origin?.link))
        try await rig.store.setDisabled(identity, true)
        let unlisted = try await rig.session()
        let id = try #require(try SessionCatalog.currentID(of: unlisted))
        try await rig.store.unlist(id, of: caller.user)
        #expect(await redeem(try await token(by: caller), by: caller).code == "ok")
        try await rig.store.setDisabled(identity, false)
        for ended in [suspended, unlisted] {
            let code = await rig.code(.account, by: ended)
            #expect(code == "auth/session-cookie-revoked")
        }
        #expect(await rig.code(.account, by: caller) == "ok")
    }

    @Test func `O-25: an address for which the cookie has no room is refused before the change`() async throws {
        func session(filler: Int) async throws -> CallAnswer {
            let body = try await rig.proof(.google, .ada) {
                $0.setting("filler", to: .string(String(repeating: "f", count: filler)))
            }
            return try await rig.signIn(body)
        }
        let size = try #require(try await session(filler: 0).token).utf8.count
        // About 100 bytes of the cookie are free.
        let caller = try rig.caller(
            try await session(filler: (SessionIssuer.maximumTokenSize - 100 - size) * 3 / 4))
        let long = String(repeating: "a", count: 242) + "@example.com"
        let bodies: [JSONObject] = [
            ["email": .string(long)], try await rig.proof(.google, DevelopmentUser.ada.withEmail(long)),
        ]
        for body in bodies {
            let answer = await rig.call(.changeEmail, body, by: caller)
            #expect(answer.code == "auth/operation-not-allowed")
            #expect(answer.denial?.detail?.contains("no room") == true)
        }
        #expect(try await email(of: caller.user) == "ada@example.com")
        #expect(try await events().isEmpty)
        #expect(await redeem(try await token(by: caller), by: caller).token != nil, "a shorter address fits")
    }

    @Test func `O-25: a link counts once`() async throws {
        let caller = try await rig.session()
        let token = try await token(by: caller)
        #expect(await redeem(token, by: caller).code == "ok")
        #expect(await redeem(token, by: caller).code == "auth/invalid-credential")
    }

    @Test func `O-25: a link counts only for its account and with a recent sign-in`() async throws {
        let caller = try await rig.session()
        let stranger = try await rig.session(.apple, .alan)
        let token = try await token(by: caller)
        #expect(await redeem(token, by: nil).code == "auth/missing-credential", "another browser")
        #expect(await redeem(token, by: stranger).code == "auth/invalid-credential")
        rig.time.advance(seconds: 301)
        #expect(await redeem(token, by: caller).code == "auth/requires-recent-login")
        #expect(await rig.code(.changeEmail, ["email": "a@example.com"], by: caller) == "auth/requires-recent-login")
        #expect(try await email(of: caller.user) == "ada@example.com")
        let again = try await rig.session()
        #expect(await redeem(token, by: again).code == "ok", "the user signed in again, also with another session")
        #expect(try await email(of: stranger.user) != Self.new)
    }

    @Test func `O-25: a link expires after an hour`() async throws {
        for (seconds, code) in [(3_599, "ok"), (3_600, "auth/invalid-credential")] as [(Double, String)] {
            let rig = try await AccountsRig()
            Self.switchOn(rig)
            let caller = try await rig.session()
            #expect(await rig.code(.changeEmail, ["email": .string(Self.new)], by: caller) == "ok")
            let token = try #require(try await events(rig).last?["token"]?.string)
            rig.time.advance(seconds: seconds)
            let later = try await rig.session()
            #expect(await rig.code(.changeEmail, ["token": .string(token)], by: later) == code)
        }
    }

    @Test func `O-25: a later link and each other change of the address end a link`() async throws {
        let caller = try await rig.session()
        let first = try await token(by: caller)
        let second = try await token(to: "second@example.com", by: caller)
        #expect(await redeem(first, by: caller).code == "auth/invalid-credential")
        #expect(await redeem(second, by: caller).code == "ok")
        // Also if the account has the earlier address again.
        let third = try await token(to: "third@example.com", by: caller)
        let back = try await rig.proof(.google, .ada)
        #expect(await rig.call(.changeEmail, back, by: caller).string("email") == "ada@example.com")
        let forth = try await token(to: "second@example.com", by: caller)
        #expect(await redeem(forth, by: caller).code == "ok")
        #expect(await redeem(third, by: caller).code == "auth/invalid-credential")
        #expect(try await email(of: caller.user) == "second@example.com")
    }

    @Test func `O-25: a mailbox gets five links an hour, whoever requests them`() async throws {
        let caller = try await rig.session()
        let stranger = try await rig.session(.apple, .alan)
        func request(_ email: String, _ caller: Principal) async -> CallAnswer {
            await rig.call(.changeEmail, ["email": .string(email)], by: caller)
        }
        for email in [Self.new, "New@example.com", "new+1@example.com", Self.new] {
            #expect(await request(email, caller).code == "ok")
        }
        #expect(await request(Self.new, stranger).code == "ok")
        for (email, caller) in [(Self.new, caller), ("new+2@example.com", stranger)] {
            let denial = await request(email, caller).denial
            #expect(denial?.code == .rateLimited && denial?.retryAfter == 3_600)
        }
        #expect(try await events().count == 5)
        #expect(await request("other@example.com", caller).code == "ok")
        rig.time.advance(seconds: 3_600)
        #expect(await request(Self.new, try await rig.session()).code == "ok")
        for email in ["a.d.a@gmail.com", "ada+1@googlemail.com", "a.da@googlemail.com"] {
            #expect(EmailAddress.mailbox(of: email) == "ada@gmail.com")
        }
        #expect(EmailAddress.mailbox(of: "a.da@b.c") == "a.da@b.c")
        #expect(EmailAddress.mailbox(of: "+a@b.c") == "+a@b.c" && EmailAddress.mailbox(of: "a@b+c") == "a@b+c")
    }

    @Test func `O-25: a revocation and a deletion end a link`() async throws {
        let caller = try await rig.session()
        let token = try await token(by: caller)
        try await rig.store.revoke(caller.user, at: rig.now, .everything)
        rig.time.advance(seconds: 1)
        let next = try await rig.session()
        #expect(next.user == caller.user)
        #expect(await redeem(token, by: next).code == "auth/invalid-credential")
        let last = try await self.token(by: next)
        #expect(await rig.code(.deleteAccount, by: next) == "ok")
        #expect(await redeem(last, by: next).code == "auth/session-cookie-revoked")
        rig.time.advance(seconds: 2)
        let successor = try await rig.session()
        #expect(successor.user != caller.user)
        #expect(await redeem(last, by: successor).code == "auth/invalid-credential")
    }

    @Test(arguments: [true, false])
    func `O-25: a revocation during the lookup of an identity removes the new address, the end of sessions does not`(
        isRevoked: Bool
    ) async throws {
        let directory = FirebaseDirectory()
        let rig = try await directory.rig()
        let caller = try await rig.session()
        // The users of Firebase are looked up again.
        rig.time.advance(seconds: FirebaseDirectory.staleness + 1)
        let body = try await rig.proof(.google, DevelopmentUser.ada.withEmail(Self.new))
        directory.transport.always(nil)
        let place = directory.transport.count
        async let changed = rig.call(.changeEmail, body, by: caller)
        try await eventually("a lookup") { directory.transport.count > place ? true : nil }
        if isRevoked {
            try await rig.store.revoke(caller.user, at: rig.now, .everything)
        } else {
            // As another gateway that completes the change first.
            let link = try #require(caller.origin?.link)
            let same = EmailChange(previous: "ada@example.com", email: "ada@example.com", proof: .identity(link))
            _ = try await rig.store.changeEmail(same, of: caller.user, claimsEmail: true)
        }
        directory.transport.answer(place, 200, #"{"users":[]}"#)
        let code = await changed.code
        #expect(code == "auth/session-cookie-revoked")
        #expect(try await rig.store.account(caller.user)?.email == (isRevoked ? nil : Self.new))
        #expect(try await rig.store.uid(ofEmail: Self.new) == (isRevoked ? nil : caller.user))
    }

    @Test func `O-25: an address of another account is refused, after its proof only`() async throws {
        let caller = try await rig.session()
        let taken = "taken@example.com"
        let holder = try await rig.session(.google, DevelopmentUser.grace.withEmail(taken))
        #expect(try await email(of: holder.user) == taken)
        let token = try await token(to: taken, by: caller)
        #expect(await redeem(token, by: caller).code == "auth/email-already-in-use")
        #expect(try await email(of: caller.user) == "ada@example.com")
        #expect(try await rig.store.uid(ofEmail: taken) == holder.user)
        // The change stays open until the address is free.
        #expect(await rig.code(.deleteAccount, by: holder) == "ok")
        #expect(await redeem(token, by: caller).code == "ok")
    }

    @Test func `O-25: a linked identity with a verified address proves it`() async throws {
        let caller = try await rig.session()
        let moved = DevelopmentUser.ada.withEmail("moved@example.com")
        #expect(await rig.call(.changeEmail, try await rig.proof(.google, moved), by: caller).code == "ok")
        let account = try #require(try await rig.store.account(caller.user))
        #expect(account.email == "moved@example.com" && account.emailFrom == "google.com" && account.emailVerified)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
        #expect(try await events().last?["previous_email"]?.string == "ada@example.com")
    }

    @Test func `O-25: an identity of another user, without a vouched address or a fresh proof, proves nothing`()
        async throws
    {
        let caller = try await rig.session()
        let google = DevelopmentUser.ada
        let rows: [(JSONObject, String)] = [
            (try await rig.proof(.apple, .alan), "auth/user-mismatch"),
            (try await rig.proof(.google, google.withEmail(Self.new, verified: false)), "auth/invalid-credential"),
            (try await rig.proof(.google, google.withEmail(nil)), "auth/invalid-credential"),
            (
                try await rig.proof(.google, google.withEmail("x@privaterelay.appleid.com")), "auth/invalid-credential"
            ),
            (
                ["provider": "google.com", "id_token": .string(try rig.idToken(.google, google.withEmail(Self.new)))],
                "auth/invalid-credential"
            ),
        ]
        for (body, code) in rows {
            let found = await rig.code(.changeEmail, body, by: caller)
            #expect(found == code)
        }
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
        let gitHub = await rig.code(.changeEmail, rig.gitHub(email: Self.new), by: caller)
        #expect(gitHub == "auth/invalid-credential", "an opaque token proves no sign-in, and GitHub no address")
        #expect(try await email(of: caller.user) == "ada@example.com")
    }

    @Test func `O-24, O-25: an address has one form, and look-alike ones are refused`() async throws {
        let caller = try await rig.session()
        let addresses = [
            "", "a", "@example.com", "a@", "a@b@example.com", "a\u{FF20}example.com", "a\u{FE6B}example.com",
            "\u{430}da@example.com", "a b@example.com", "a@example.com.", "\"a\"@example.com", "a\\@example.com",
            "a@example.com\r\nBcc: b@example.com", "a@privaterelay.appleid.com",
            String(repeating: "a", count: 251) + "@b.c",
        ]
        for address in addresses {
            let code = await rig.code(.changeEmail, ["email": .string(address)], by: caller)
            #expect(code == "request/malformed", "\(address)")
        }
        let bodies: [JSONObject] = [
            [:], ["email": 1], ["address": "a@example.com"], ["email": "a@example.com", "token": "t"],
            ["token": "t", "provider": "google.com"], ["return_to": "/x"],
            ["email": "a@example.com", "id_token": "t"], ["provider": "google.com"],
            ["email": "a@example.com", "return_to": "/x"],
        ]
        for body in bodies {
            let code = await rig.code(.changeEmail, body, by: caller)
            #expect(code == "request/malformed", "\(body.text)")
        }
        #expect(await rig.code(.changeEmail, ["email": "ADA@example.com"], by: caller) == "auth/operation-not-allowed")
        #expect(try await events().isEmpty)
    }

    @Test func `O-08: no other token stands in for the token of a link, and it for no other`() async throws {
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let caller = try rig.caller(answer)
        let session = try #require(answer.token)
        #expect(await redeem(session, by: caller).code == "auth/invalid-credential")
        let token = try await token(by: caller)
        for part in [String(token.dropLast(2)) + "AA", token + "A", "x"] {
            #expect(await redeem(part, by: caller).code == "auth/invalid-credential")
        }
        #expect(await rig.code(.signIn, ["pending_token": .string(token)]) == "auth/invalid-credential")
        #expect(await rig.code(.link, ["pending_token": .string(token)], by: caller) == "auth/invalid-credential")
    }

    @Test func `O-12, O-25: a link leads only to a permitted page`() async throws {
        let rig = try await FlowRig().rig
        Self.switchOn(rig)
        let caller = try await rig.session()
        let pages = [
            ("/settings?x=1", "https://app.example/settings?x=1"), ("https://spa.example/a", "https://spa.example/a"),
        ]
        for (target, url) in pages {
            let body: JSONObject = ["email": .string(Self.new), "return_to": .string(target)]
            #expect(await rig.code(.changeEmail, body, by: caller) == "ok")
            let event = try #require(try await events(rig).last)
            let token = try #require(event["token"]?.string)
            #expect(event["url"]?.string == "\(url)#email_token=\(token)")
        }
        let others = [
            "//evil.example", "https://evil.example/", "/.gatehouse/account/delete", "/a#b", "javascript:alert(1)", "a",
        ]
        for target in others {
            let body: JSONObject = ["email": .string(Self.new), "return_to": .string(target)]
            #expect(await rig.code(.changeEmail, body, by: caller) == "request/malformed", "\(target)")
        }
    }

    @Test func `a link needs a webhook with room, and its requests are counted`() async throws {
        let caller = try await rig.session()
        func request(_ number: Int) async -> String {
            await rig.code(.changeEmail, ["email": .string("new\(number)@example.com")], by: caller)
        }
        rig.store.outbox.set(nil)
        #expect(await request(0) == "auth/operation-not-allowed")
        Self.switchOn(rig, limit: 1)
        #expect(await request(1) == "ok")
        #expect(await request(2) == "gateway/overloaded")
        Self.switchOn(rig)
        for _ in 0..<4 { #expect(await request(1) == "ok") }
        #expect(await request(1) == "request/rate-limited", "the mailbox has its links; this one does not count")
        for number in 3..<29 { #expect(await request(number) == "ok") }
        #expect(await request(29) == "request/rate-limited")
    }

    @Test func `only a session of an account of the gateway changes its address`() async throws {
        let body: JSONObject = ["email": .string(Self.new)]
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        let bearer = try rig.caller(firebase: token)
        #expect(await rig.code(.changeEmail, body, by: bearer) == "auth/operation-not-allowed")
        let answer = await rig.call(.session, ["id_token": .string(try token.signed(by: TokenDraft.key))])
        let session = try rig.caller(answer)
        #expect(await rig.code(.changeEmail, body, by: session) == "auth/operation-not-allowed")
        #expect(await rig.code(.changeEmail, body) == "auth/missing-credential")
        #expect(try await events().isEmpty)
    }
}
