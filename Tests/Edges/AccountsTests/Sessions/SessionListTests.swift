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
@testable import StoreFixtures

/// `GET account/sessions` and `POST account/sessions/ID/revoke`.
@Suite(.timeLimit(.minutes(5))) struct SessionListTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    /// A session that begins with a `User-Agent`.
    private func session(
        _ agent: String, _ provider: IdentityProvider = .google, _ user: DevelopmentUser = .ada, cookie: String? = nil
    ) async throws -> (caller: Principal, token: String) {
        let jti = "\(agent)\(provider.id)"
        let body = try await rig.proof(provider, user) { $0.setting("jti", to: .string(jti)) }
        let answer = await rig.call(.signIn, body, agent: agent, cookie: cookie)
        return (try rig.caller(answer), try #require(answer.token))
    }

    private func sessions(_ caller: Principal) async throws -> [JSONValue] {
        let answer = await rig.call(.sessions, by: caller)
        try #require(answer.code == "ok", "\(answer.code)")
        return answer.json?["sessions"]?.elements.map { $0 } ?? []
    }

    private func agents(_ caller: Principal) async throws -> [String] {
        try await sessions(caller).compactMap { $0["user_agent"]?.string }
    }

    private func id(_ agent: String, _ caller: Principal) async throws -> String {
        try #require(try await sessions(caller).first { $0["user_agent"]?.string == agent }?["id"]?.string)
    }

    private func revoke(_ id: String, by caller: Principal) async -> CallAnswer {
        await rig.call(.revokeSession, by: caller, session: id)
    }

    @Test func `a user sees the own sessions and which one is calling`() async throws {
        let (first, _) = try await session("Phone")
        let began = rig.now
        rig.time.advance(seconds: 100)
        let (second, _) = try await session("Desk")
        _ = try await session("Elsewhere", .apple, .alan)
        let listed = try await sessions(second)
        #expect(listed.map { $0["user_agent"]?.string } == ["Desk", "Phone"], "the latest use comes first")
        #expect(listed.map { $0["current"]?.bool } == [true, false])
        #expect(try await sessions(first).map { $0["current"]?.bool } == [false, true])
        let phone = listed[1]
        #expect(
            phone.members.map(\.name) == [
                "id", "started_at", "last_used_at", "ends_at", "provider", "proof", "user_agent", "current",
            ])
        #expect(phone["started_at"]?.integer == began && phone["last_used_at"]?.integer == began)
        #expect(phone["ends_at"]?.integer == began + 432_000)
        #expect(phone["provider"]?.string == "google.com" && phone["proof"]?.string == "confirmed")
        // The name of the session is not shown, and does not follow from the ID.
        let text = await rig.call(.sessions, by: second).text
        #expect(!text.contains(try #require(first.session)) && phone["id"]?.string?.utf8.count == 32)
    }

    @Test func `a session without a proof, and one of Firebase`() async throws {
        let answer = await rig.call(.signIn, rig.gitHub(), agent: "A")
        let minted = try await sessions(try rig.caller(answer))
        #expect(minted.first?["proof"]?.kind == .null && minted.first?["provider"]?.string == "github.com")
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        let firebase = await rig.call(.session, ["id_token": .string(try token.signed(by: TokenDraft.key))])
        let listed = try await sessions(try rig.caller(firebase))
        #expect(listed.first?["provider"]?.string == "firebase" && listed.first?["proof"]?.string == "authenticated")
        #expect(listed.first?["user_agent"]?.kind == .null)
        // An ID token of the same user sees the sessions, and none of them is its own.
        let bearer = try await sessions(try rig.caller(firebase: token))
        #expect(bearer.map { $0["current"]?.bool } == [false])
    }

    @Test func `a long or hostile User-Agent is cut`() async throws {
        let (caller, _) = try await session("<b>\u{1}\u{7F}ü" + String(repeating: "x", count: 5000))
        let agent = try #require(try await agents(caller).first)
        #expect(agent == "<b>" + String(repeating: "x", count: 253))
    }

    @Test func `a user ends another session, and the calling one`() async throws {
        let (phone, _) = try await session("Phone")
        let (desk, _) = try await session("Desk")
        let ended = await revoke(try await id("Phone", desk), by: desk)
        #expect(ended.code == "ok" && ended.cookie == nil)
        #expect(try await agents(desk) == ["Desk"])
        #expect(await rig.code(.sessions, by: phone) == "auth/session-cookie-revoked")
        #expect(await revoke(try await id("Desk", desk), by: desk).cookie == .clear)
        #expect(await rig.code(.sessions, by: desk) == "auth/session-cookie-revoked")
    }

    @Test func `ending another session needs a recent sign-in, ending the own one does not`() async throws {
        _ = try await session("Phone")
        let (desk, _) = try await session("Desk")
        rig.time.advance(seconds: 301)
        #expect(await revoke(try await id("Phone", desk), by: desk).code == "auth/requires-recent-login")
        #expect(await revoke(try await id("Desk", desk), by: desk).code == "ok")
    }

    @Test func `the ID of another user's session is unknown`() async throws {
        let (ada, _) = try await session("Phone")
        let (alan, _) = try await session("Desk", .apple, .alan)
        let other = try await id("Phone", ada)
        for id in [other, String(repeating: "0", count: 32), "", "x"] {
            #expect(await revoke(id, by: alan).denial?.code == .routeNotFound)
        }
        #expect(try await agents(ada) == ["Phone"])
    }

    @Test func `sessions that are not valid any more are not listed`() async throws {
        let (ada, _) = try await session("Old")
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: ada) == "ok")
        _ = try await session("Corp", .oidc("corp"), .grace)
        let (current, _) = try await session("Current")
        #expect(try await Set(agents(current)) == ["Corp", "Current"], "link changed the name of the calling session")
        // The session of an identity that is disabled, then unlinked.
        let corp = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        try await rig.store.setDisabled(UserKey(corp), true)
        #expect(try await agents(current) == ["Current"])
        try await rig.store.setDisabled(UserKey(corp), false)
        #expect(try await agents(current).count == 2)
        let unlinked = await rig.call(.unlink, ["provider": "oidc.corp"], by: current, agent: "Current")
        #expect(try await agents(try rig.caller(unlinked)) == ["Current"])
        // A revocation of the session by its name, then of the user.
        let (last, _) = try await session("Last")
        try await rig.store.revokeSession(last.user, try #require(rig.caller(unlinked).session), expires: nil)
        #expect(try await agents(last) == ["Last"])
        try await rig.store.revoke(last.user, at: rig.now, .everything)
        let (after, _) = try await session("After")
        #expect(try await agents(after) == ["After"])
    }

    @Test func `the session with the least recent use ends for the hundred and first`() async throws {
        let (first, _) = try await session("First")
        var entry = try #require(try await rig.store.listedSessions(of: first.user, now: rig.now).first)
        for number in 0..<99 {
            entry.id = String(repeating: "0", count: 30) + String(number + 16, radix: 16)
            entry.session = "s\(number)"
            entry.lastUsed = UnixTime(clamping: rig.now + Int64(number) + 1)
            #expect(try await rig.store.list(entry, of: first.user, now: rig.now))
        }
        #expect(try await sessions(first).count == 100)
        let (second, _) = try await session("Second")
        #expect(await rig.code(.sessions, by: first) == "auth/session-cookie-revoked")
        #expect(try await sessions(second).count == 100)
        // Entries of sessions that are not valid any more make room first.
        try await rig.store.revokeSession(first.user, "s50", expires: nil)
        try await rig.store.revokeSession(first.user, "s60", expires: nil)
        let (third, _) = try await session("Third")
        #expect(try await sessions(third).count == 99)
        #expect(try await !rig.store.session(first.user, "s0").revoked)
    }

    @Test func `a session of a disabled identity keeps its place in a full list`() async throws {
        let (first, _) = try await session("First")
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: first) == "ok")
        var entry = try #require(try await rig.store.listedSessions(of: first.user, now: rig.now).first)
        rig.time.advance(seconds: 10)
        let (corp, _) = try await session("Corp", .oidc("corp"), .grace)
        let identity = IdentityLink(provider: "oidc.corp", subject: DevelopmentUser.grace.subject(at: "oidc.corp"))
        try await rig.store.setDisabled(UserKey(identity), true)
        for number in 0..<98 {
            entry.id = String(repeating: "0", count: 30) + String(number + 16, radix: 16)
            entry.session = "s\(number)"
            entry.lastUsed = UnixTime(clamping: rig.now + Int64(number) + 1)
            #expect(try await rig.store.list(entry, of: first.user, now: rig.now))
        }
        let (second, _) = try await session("Second")
        #expect(await rig.code(.sessions, by: first) == "auth/session-cookie-revoked", "the least recent use")
        #expect(try await sessions(second).count == 99, "the suspended one is not valid now")
        try await rig.store.setDisabled(UserKey(identity), false)
        #expect(try await agents(corp).contains("Corp"))
    }

    @Test func `a sign-out removes the session from the list`() async throws {
        let (phone, _) = try await session("Phone")
        let (desk, _) = try await session("Desk")
        #expect(await rig.code(.signOut, by: phone) == "ok")
        #expect(try await rig.store.listedSessions(of: desk.user, now: rig.now).count == 1)
    }

    @Test func `an operator ends a session by its ID or its name, and nothing by an old ID`() async throws {
        let (phone, _) = try await session("Phone")
        let (desk, _) = try await session("Desk")
        let catalog = SessionCatalog(store: rig.store, clock: rig.time.clock)
        let (phoneID, deskID) = (try await id("Phone", desk), try await id("Desk", desk))
        // A link continues the session under another name and ID.
        #expect(await rig.code(.link, try await rig.proof(.oidc("corp"), .grace), by: desk) == "ok")
        #expect(try await catalog.end(deskID, of: desk.user) == nil)
        #expect(try await catalog.end(String(repeating: "a", count: 32), of: desk.user) == nil)
        #expect(try await catalog.sessions(of: desk.user).count == 2)
        // The ID of another user's session.
        #expect(try await catalog.end(phoneID, of: "eve") == nil)
        let name = try #require(phone.session)
        for session in [phoneID, name, phoneID] {
            #expect(try await catalog.end(session, of: phone.user)?.revoked == true, "a repetition is safe")
            #expect(try await catalog.record(of: session, of: phone.user).revoked)
        }
        #expect(await rig.code(.sessions, by: phone) == "auth/session-cookie-revoked")
        #expect(try await catalog.sessions(of: desk.user).count == 1)
        // The sign-in time of a token is no ID.
        #expect(try await catalog.end("1700000000", of: desk.user)?.revoked == true)
    }

    @Test func `a provider's token alone has no sessions`() async throws {
        let derived = try await rig.session(.google, .ada)
        #expect(derived.link == nil)
        for call in [AccountEndpoint.sessions, .revokeSession] {
            #expect(await rig.code(call) == "auth/missing-credential")
        }
    }
}

/// The name of a session changes with each change of its privilege.
@Suite(.timeLimit(.minutes(5))) struct SessionRotationTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private func isEnded(_ caller: Principal) async throws -> Bool {
        try await rig.store.session(caller.user, try #require(caller.session)).revoked
    }

    /// Checks that a response continues the session of a caller under another name.
    private func expectRotation(_ answer: CallAnswer, of caller: Principal) async throws -> Principal {
        try #require(answer.code == "ok", "\(answer.code) \(rig.log.text)")
        let next = try rig.caller(answer)
        #expect(next.session != caller.session && next.user == caller.user && next.endsAt == caller.endsAt)
        #expect(try await isEnded(caller))
        #expect(try await !isEnded(next))
        #expect(await rig.code(.sessions, by: caller, isExact: true) == "auth/session-cookie-revoked")
        let listed = try await rig.store.listedSessions(of: caller.user, now: rig.now).map(\.session)
        let names = (before: try #require(caller.session), after: try #require(next.session))
        #expect(listed.contains(names.after) && !listed.contains(names.before))
        return next
    }

    @Test func `O-11: link, unlink and reauthenticate change the name, and other sessions stay`() async throws {
        let first = try await rig.session()
        let other = try rig.caller(
            try await rig.signIn(try await rig.proof(.google, .ada) { $0.setting("jti", to: "other") }))
        let corp = try await rig.proof(.oidc("corp"), .grace)
        let second = try await expectRotation(await rig.call(.link, corp, by: first), of: first)
        #expect(second.authTime == first.authTime && second.startedAt == first.startedAt)
        rig.time.advance(seconds: 10)
        let proof = try await rig.proof(.google, .ada) { $0.setting("jti", to: "again") }
        let third = try await expectRotation(await rig.call(.reauthenticate, proof, by: second), of: second)
        #expect(third.authTime?.seconds == rig.now && third.startedAt == first.startedAt)
        let unlink = await rig.call(.unlink, ["provider": "oidc.corp"], by: third)
        let fourth = try await expectRotation(unlink, of: third)
        #expect(fourth.authTime == third.authTime)
        #expect(try await !isEnded(other))
        #expect(await rig.code(.sessions, by: other) == "ok")
    }

    @Test func `O-11: a sign-in ends the session of the request`() async throws {
        let before = try await rig.signIn(try await rig.proof(.google, .ada))
        let old = try rig.caller(before)
        let body = try await rig.proof(.apple, .alan)
        let answer = await rig.call(.signIn, body, cookie: before.token)
        #expect(answer.code == "ok" && answer.uid != before.uid)
        #expect(try await isEnded(old))
        #expect(try await rig.store.listedSessions(of: old.user, now: rig.now).isEmpty)
        // A failed sign-in ends nothing, and an unreadable cookie prevents none.
        let again = try await rig.signIn(try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") })
        #expect(await rig.call(.signIn, ["provider": "apple.com"], cookie: again.token).code != "ok")
        #expect(try await !isEnded(try rig.caller(again)))
        let other = try await rig.proof(.google, .ada) { $0.setting("jti", to: "3") }
        #expect(await rig.call(.signIn, other, cookie: "eyJ.x.y").code == "ok")
    }

    @Test(arguments: [AccountEndpoint.signOut, .signIn, .session])
    func `the sessions of all cookies of a request end`(endpoint: AccountEndpoint) async throws {
        var sessions: [(caller: Principal, token: String)] = []
        for number in 0..<4 {
            let proof = try await rig.proof(.google, .ada) { $0.setting("jti", to: .string("s\(number)")) }
            let answer = try await rig.signIn(proof)
            sessions.append((try rig.caller(answer), try #require(answer.token)))
        }
        var browser = BrowserRequest()
        browser.sessions = ["eyJ.x.y", sessions[0].token, sessions[1].token]
        browser.replaced = [sessions[2].token, sessions[2].token]
        browser.replaced += Array(repeating: "eyJ.x.y", count: SessionReader.maximumCookies) + [sessions[3].token]
        let body: JSONObject =
            switch endpoint {
            case .signIn: try await rig.proof(.apple, .alan)
            case .session:
                ["id_token": .string(try FirebaseToken.idToken(for: .grace, now: rig.now).signed(by: TokenDraft.key))]
            default: [:]
            }
        let caller = endpoint == .signOut ? sessions[1].caller : nil
        let answer = await rig.call(endpoint, text: body.text, by: caller, browser: browser)
        #expect(answer.code == "ok", "\(rig.log.text)")
        for session in sessions.prefix(3) { #expect(try await isEnded(session.caller)) }
        #expect(try await !isEnded(sessions[3].caller), "the number is bounded")
    }

    @Test func `a sign-in that the store recorded for the session goes with it`() async throws {
        let first = try await rig.session()
        rig.time.advance(seconds: 200)
        try await rig.store.recordSignIn(
            first.user, try #require(first.session), at: rig.now, isAuthenticated: true, expires: first.end)
        rig.time.advance(seconds: 200)
        let linked = await rig.call(.link, try await rig.proof(.oidc("corp"), .grace), by: first)
        let second = try await expectRotation(linked, of: first)
        #expect(second.authTime?.seconds == rig.now - 200)
        #expect(second.facts.authenticatedAt.known?.seconds == rig.now - 200)
    }

    @Test func `two changes of one session at once give one session`() async throws {
        let caller = try await rig.session()
        var bodies: [JSONObject] = []
        for number in 0..<8 {
            bodies.append(try await rig.proof(.google, .ada) { $0.setting("jti", to: .string("\(number)")) })
        }
        let answers = await withTaskGroup(of: CallAnswer.self) { group in
            for body in bodies { group.addTask { await rig.call(.reauthenticate, body, by: caller, isExact: true) } }
            return await group.reduce(into: [CallAnswer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.code == "ok" }.count == 1)
        #expect(answers.allSatisfy { $0.code == "ok" || $0.code == "auth/session-cookie-revoked" })
        #expect(try await rig.store.listedSessions(of: caller.user, now: rig.now).count == 1)
    }

    @Test func `a session that ends meanwhile does not continue under another name`() async throws {
        let caller = try await rig.session()
        let call = AccountCall(
            endpoint: .link, body: [], contentType: "", caller: caller, network: .version4(1), requestID: "r")
        let rotation = try #require(SessionRotation(caller, call, rig.parts))
        try await rig.store.revokeSession(caller.user, try #require(caller.session), expires: nil)
        await #expect(throws: AccountDenial.self) { _ = try await rotation.rotate() }
        #expect(try await rig.store.listedSessions(of: caller.user, now: rig.now).count == 1)
    }

    @Test func `the session of an ID token keeps its name`() async throws {
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        let caller = try rig.caller(firebase: token)
        let answer = await rig.call(.link, try await rig.proof(.google, .ada), by: caller)
        #expect(answer.code == "ok" && answer.cookie == nil)
        #expect(try await !isEnded(caller))
    }
}
