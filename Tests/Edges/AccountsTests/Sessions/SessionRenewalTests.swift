import Authentication
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures

/// The lifetime of sessions, and the renewal of their cookies.
@Suite(.timeLimit(.minutes(5))) struct SessionRenewalTests {
    private static func rig(idle: Int64? = 1000, lifetime: Int64? = 10_000) async throws -> AccountsRig {
        try await AccountsRig(settings: {
            $0.sessionIdle = idle.map { .seconds($0) }
            $0.sessionLifetime = lifetime.map { .seconds($0) }
        })
    }

    private func renewal(_ rig: AccountsRig) throws -> SessionRenewal {
        try #require(SessionRenewal(SessionTerms(rig.parts.settings)))
    }

    /// The principal of the renewed cookie.
    private func renewed(_ caller: Principal, _ rig: AccountsRig) throws -> Principal {
        let cookie = try #require(try renewal(rig).cookie(caller, keys: SessionDraft.keys(), now: rig.now))
        return try rig.caller(CallAnswer(reply: .done(cookie: cookie)))
    }

    @Test func `without an idle time a session lasts for its lifetime`() async throws {
        let rig = try await Self.rig(idle: nil, lifetime: nil)
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let caller = try rig.caller(answer)
        #expect(caller.expiresAt.seconds == rig.now + 432_000 && caller.endsAt == caller.expiresAt)
        #expect(answer.json?["expires_in"]?.integer == 432_000)
        #expect(SessionRenewal(SessionTerms(rig.parts.settings)) == nil)
        let most = await rig.call(.signIn, try await rig.proof(.google, .ada, ["expires_in": .integer(1_209_601)]))
        #expect(most.code == "auth/invalid-session-cookie-duration")
    }

    @Test func `session_lifetime is the default and the maximum of expires_in`() async throws {
        let rig = try await Self.rig(idle: nil)
        #expect(try await rig.session().endsAt.seconds == rig.now + 10_000)
        let less = await rig.call(.signIn, try await rig.proof(.google, .ada, ["expires_in": 9999]))
        #expect(try rig.caller(less).endsAt.seconds == rig.now + 9999)
        let more = await rig.call(.signIn, try await rig.proof(.google, .ada, ["expires_in": .integer(10_001)]))
        #expect(more.code == "auth/invalid-session-cookie-duration")
    }

    @Test func `with an idle time the cookie expires first`() async throws {
        let rig = try await Self.rig()
        let answer = try await rig.signIn(try await rig.proof(.google, .ada))
        let caller = try rig.caller(answer)
        #expect(caller.expiresAt.seconds == rig.now + 1000 && caller.endsAt.seconds == rig.now + 10_000)
        #expect(answer.cookie == .set(token: try #require(answer.token), maximumAge: 1000))
        #expect(answer.json?["expires_in"]?.integer == 1000)
        let short = await rig.call(.signIn, try await rig.proof(.google, .ada, ["expires_in": 900]))
        #expect(try rig.caller(short).expiresAt == rig.caller(short).endsAt)
    }

    @Test func `a cookie is due after a tenth of the idle time, and never if it lasts until the end`() async throws {
        let rig = try await Self.rig()
        let caller = try await rig.session()
        #expect(try renewal(rig).due(caller).seconds == rig.now + 100)
        #expect(try renewal(rig).next(after: rig.now).seconds == rig.now + 100)
        let short = await rig.call(.signIn, try await rig.proof(.google, .ada, ["expires_in": 900]))
        #expect(try renewal(rig).due(try rig.caller(short)) == .latest)
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        #expect(try renewal(rig).due(try rig.caller(firebase: token)) == .latest)
    }

    @Test func `a renewal changes nothing but iat and exp`() async throws {
        let rig = try await Self.rig()
        let first = try await rig.session()
        rig.time.advance(seconds: 300)
        let second = try renewed(first, rig)
        #expect(second.issuedAt?.seconds == rig.now && second.expiresAt.seconds == rig.now + 1000)
        #expect(second.endsAt == first.endsAt && second.session == first.session && second.user == first.user)
        #expect(second.startedAt == first.startedAt && second.facts.validityTime == first.facts.validityTime)
        #expect(second.origin?.link == first.origin?.link && second.sessionKey == first.sessionKey)
        func others(_ principal: Principal) -> [String] {
            principal.claims.root.members.filter { !["iat", "exp"].contains($0.name) }
                .map { "\($0.name): \(String(decoding: $0.value.compact, as: UTF8.self))" }
        }
        #expect(others(first) == others(second))
    }

    @Test func `a renewed session has no more recent sign-in`() async throws {
        let rig = try await Self.rig()
        let first = try await rig.session()
        rig.time.advance(seconds: 301)
        let second = try renewed(first, rig)
        #expect(second.authTime == first.authTime && second.facts.authenticatedAt == first.facts.authenticatedAt)
        #expect(await rig.code(.exportAccount, by: second) == "auth/requires-recent-login")
    }

    @Test func `renewals end with the session`() async throws {
        let rig = try await Self.rig()
        var caller = try await rig.session()
        let end = caller.endsAt
        var count = 0
        while try renewal(rig).due(caller) != .latest {
            rig.time.advance(seconds: 900)
            caller = try renewed(caller, rig)
            #expect(caller.endsAt == end && caller.expiresAt <= end)
            count += 1
        }
        #expect(count == 10 && caller.expiresAt == end)
    }

    @Test func `a shortened lifetime also bounds the sessions that began before`() async throws {
        let rig = try await Self.rig()
        let first = try await rig.session()
        var settings = rig.parts.settings
        settings.sessionLifetime = .seconds(1500)
        let renewal = try #require(SessionRenewal(SessionTerms(settings)))
        rig.time.advance(seconds: 900)
        let cookie = try #require(renewal.cookie(first, keys: SessionDraft.keys(), now: rig.now))
        let second = try rig.caller(CallAnswer(reply: .done(cookie: cookie)))
        #expect(second.endsAt.seconds == rig.now + 600 && second.expiresAt == second.endsAt)
        #expect(renewal.due(first) != .latest && renewal.due(second) == .latest)
        // A cookie that lasts longer is not renewed.
        settings.sessionLifetime = .seconds(1000)
        #expect(try #require(SessionRenewal(SessionTerms(settings))).due(first) == .latest)
    }

    @Test func `a new name of a session does not extend it beyond a shortened lifetime`() async throws {
        let rig = try await Self.rig()
        let caller = try await rig.session()
        var parts = rig.parts
        parts.settings.sessionLifetime = .seconds(1500)
        rig.time.advance(seconds: 900)
        let call = AccountCall(
            endpoint: .link, body: [], contentType: "", caller: caller, network: .version4(1), requestID: "request-1",
            browser: BrowserRequest())
        let cookie = try await #require(SessionRotation(caller, call, parts)).rotate().cookie
        let after = try rig.caller(CallAnswer(reply: .done(cookie: cookie)))
        #expect(after.endsAt.seconds == rig.now + 600 && after.session != caller.session)
        rig.time.advance(seconds: 600)
        let late = try #require(SessionRotation(after, call, parts))
        await #expect(throws: AccountDenial.self) { try await late.rotate() }
    }

    @Test func `an identity is not linked if the session cannot change its name`() async throws {
        let rig = try await Self.rig(idle: nil)
        let first = try await rig.session()
        rig.time.advance(seconds: 2000)
        let proof = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        let caller = try rig.caller(await rig.call(.reauthenticate, proof, by: first))
        var parts = rig.parts
        // The session has lasted longer since a reload, although its cookie is still valid.
        parts.settings.sessionLifetime = .seconds(1500)
        let body = try await rig.proof(.oidc("corp"), .grace)
        let call = AccountCall(
            endpoint: .link, body: Array(body.text.utf8), contentType: "application/json", caller: caller,
            network: .version4(1), requestID: "request-1")
        let answer = CallAnswer(reply: await Accounts(parts).reply(to: call))
        #expect(answer.code == "auth/session-cookie-revoked")
        let corp = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        #expect(try await rig.store.owner(of: corp) == nil)
    }

    @Test func `a link that fails after the session changed its name returns the new cookie`() async throws {
        let rig = try await Self.rig()
        let caller = try await rig.session()
        for number in 1..<StoreBounds.maximumLinks {
            let link = IdentityLink(provider: "oidc.\(number)", subject: "s")
            _ = try await rig.store.claim(link, for: caller.user, unlessUnlinked: false)
        }
        let answer = await rig.call(.link, rig.gitHub(), by: caller)
        #expect(answer.code == "auth/operation-not-allowed")
        let next = try rig.caller(answer)
        #expect(next.session != caller.session)
        #expect(await rig.code(.sessions, by: caller, isExact: true) == "auth/session-cookie-revoked")
        #expect(await rig.code(.sessions, by: next, isExact: true) == "ok")
        // A conflict that is found before does not change the name.
        let conflict = await rig.call(.link, try await rig.proof(.google, .dennis), by: next)
        #expect(conflict.code == "auth/provider-already-linked" && conflict.cookie == nil)
    }

    @Test func `a revocation outlasts the cookies that may follow`() async throws {
        let rig = try await Self.rig()
        let first = try await rig.session()
        // Another copy of the cookie was renewed before the sign-out with the first one.
        rig.time.advance(seconds: 500)
        let second = try renewed(first, rig)
        #expect(await rig.code(.signOut, by: first) == "ok")
        #expect(first.endedUntil == first.endsAt.seconds && first.end == first.endsAt.seconds)
        rig.time.advance(seconds: 900)
        try await rig.store.purge(now: rig.now)
        #expect(await rig.code(.link, rig.gitHub(), by: second) == "auth/session-cookie-revoked")
    }

    @Test func `a sign-out everywhere ends a renewed session`() async throws {
        let rig = try await Self.rig()
        let (first, other) = (try await rig.session(), try await rig.session())
        let second = try renewed(first, rig)
        #expect(await rig.code(.signOut, ["everywhere": true], by: other) == "ok")
        #expect(await rig.code(.link, rig.gitHub(), by: second) == "auth/session-cookie-revoked")
        // A cookie that is issued after the revocation belongs to the session that began before it.
        let third = try renewed(second, rig)
        #expect(await rig.code(.link, rig.gitHub(), by: third) == "auth/session-cookie-revoked")
    }

    @Test func `a reauthentication with another identity keeps the end of the session`() async throws {
        let rig = try await Self.rig()
        let caller = try await rig.session()
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: caller) == "ok")
        rig.time.advance(seconds: 100)
        let proof = try await rig.proof(.oidc("corp"), .grace) { $0.setting("jti", to: "2") }
        let answer = await rig.call(.reauthenticate, proof, by: caller)
        let after = try rig.caller(answer)
        #expect(after.endsAt == caller.endsAt && after.expiresAt.seconds == rig.now + 1000)
    }
}
