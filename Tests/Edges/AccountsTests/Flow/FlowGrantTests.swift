import DevelopmentIdentity
import GatewayConfiguration
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
@testable import OutboundHTTP
@testable import StoreFixtures

/// The results of a completed flow: sign-ins at each provider, links and reauthentications.
@Suite(.timeLimit(.minutes(5))) struct FlowGrantTests {
    private let flow: FlowRig

    init() async throws { flow = try await FlowRig() }

    /// A session that a flow at Google began, as cookie and as caller.
    private func session(_ user: DevelopmentUser = .ada) async throws -> (cookie: String, caller: Principal) {
        let answer = await flow.finish(try await flow.begin(), "google.com", as: user)
        return (try #require(answer.token), try flow.rig.caller(answer))
    }

    // MARK: - GitHub

    @Test func `O-22: GitHub's primary verified address becomes the account's, but proves no ownership`() async throws {
        let user = DevelopmentUser.linus.withEmail("linus@example.com")
        let answer = await flow.finish(try await flow.begin("github.com"), "github.com", as: user)
        let claims = try #require(answer.claims, "\(flow.rig.log.text)")
        #expect(claims["email"]?.equals("linus@example.com") == true && claims["email_verified"]?.bool == true)
        let uid = try #require(claims["sub"]?.string)
        let account = try #require(try await flow.rig.store.account(uid))
        #expect(account.email == "linus@example.com" && !account.emailVerified)
        let calls = flow.transport.calls.map(\.request)
        #expect(
            calls.map(\.url).suffix(2) == ["https://api.github.example/user", "https://api.github.example/user/emails"])
        #expect(calls.suffix(2).allSatisfy { $0.field("authorization") == "Bearer gho_1" })
    }

    @Test(arguments: [
        #"[{"email":"a@x.example","primary":true,"verified":false},{"email":"b@x.example","primary":false,"verified":true}]"#,
        "[]", #"[{"email":"a@x.example","primary":"true","verified":true}]"#,
        #"[{"email":7,"primary":true,"verified":true}]"#, "{}",
    ])
    func `O-22: any other address of GitHub is none`(emails: String) async throws {
        let begun = try await flow.begin("github.com")
        flow.prepare(begun, "github.com", .linus)
        flow.replies.set("/user/emails", 200, emails)
        let answer = await flow.callback("github.com", "state=\(begun.state)&code=c", bindings: [begun.binding])
        let claims = try #require(answer.claims)
        #expect(claims["email"] == nil && claims["email_verified"] == nil)
    }

    @Test(arguments: [#"{"id":"7"}"#, #"{"id":0}"#, "{}", "[]"])
    func `a profile without a numeric id is no identity`(profile: String) async throws {
        let begun = try await flow.begin("github.com")
        flow.prepare(begun, "github.com", .linus)
        flow.replies.set("/user", 200, profile)
        let answer = await flow.callback("github.com", "state=\(begun.state)&code=c", bindings: [begun.binding])
        #expect(answer.location == "https://app.example/?error=provider_unavailable" && answer.cookie == nil)
    }

    @Test func `a flow at GitHub is a confirmed sign-in`() async throws {
        let answer = await flow.finish(try await flow.begin("github.com"), "github.com", as: .linus)
        #expect(answer.claims?["auth_time"]?.integer == flow.rig.now)
        let caller = try flow.rig.caller(answer)
        try await flow.rig.parts.authorizer.require(caller, isRecent: true)
    }

    @Test func `O-22: the owner of an address takes over the account that GitHub's address opened`() async throws {
        let shared = "shared@example.com"
        let begun = try await flow.begin("github.com")
        let squatter = await flow.finish(begun, "github.com", as: DevelopmentUser.linus.withEmail(shared))
        let caller = try flow.rig.caller(squatter)
        flow.rig.time.advance(seconds: 10)
        let owner = DevelopmentUser.ada.withEmail(shared)
        let first = await flow.finish(try await flow.begin(), "google.com", as: owner)
        #expect(first.location == "https://app.example/?error=auth%2Frequires-recent-login")
        flow.rig.time.advance(seconds: 2)
        #expect(await flow.finish(try await flow.begin(), "google.com", as: owner).token != nil)
        let links = try await flow.rig.store.account(caller.user)?.links.keys.sorted()
        #expect(links == ["google.com"], "GitHub's user was removed")
        await #expect(throws: AccountDenial.self) {
            try await flow.rig.parts.authorizer.require(caller, isRecent: false)
        }
    }

    // MARK: - An account with a different credential

    @Test(arguments: ["github.com", "microsoft.com"])
    func `an account with a different credential is linked with the pending token of the result`(
        provider: String
    ) async throws {
        let flow = try await FlowRig(settings: { $0.hideAccountExistence = false })
        let shared = "shared@example.com"
        let google = await flow.finish(
            try await flow.begin(), "google.com", as: DevelopmentUser.ada.withEmail(shared))
        let caller = try flow.rig.caller(google)
        let user = DevelopmentUser.barbara.withEmail(shared)
        let begun = try await flow.begin(provider, query: "return_to=/welcome")
        let answer = await flow.finish(begun, provider, as: user)
        let location = try #require(answer.location)
        let code = "auth/account-exists-with-different-credential"
        #expect(location.hasPrefix("https://app.example/welcome?error=auth%2Faccount-exists"), "\(location)")
        #expect(answer.cookie == nil)
        let parameters = FlowRig.parameters(location.drop { $0 != "?" }.dropFirst())
        #expect(parameters["error"] == code)
        let handle = try #require(parameters["result"])
        let other = String(repeating: "1", count: 32)
        for bindings in [[], [other]] {
            #expect(await flow.result(handle, bindings: bindings).code == "request/malformed", "another browser")
        }
        let result = await flow.result(handle, bindings: [begun.binding])
        #expect(result.code == code && result.string("email") == shared)
        #expect(result.json?["providers"]?.elements.map(\.string) == ["google.com"])
        #expect(await flow.result(handle, bindings: [begun.binding]).code == "request/malformed", "once")
        let pending: JSONObject = ["pending_token": .string(try #require(result.pending))]
        let linked = await flow.rig.call(.link, pending, by: caller)
        #expect(linked.providers == ["google.com", provider].sorted(), "\(flow.rig.log.text)")
        let later = await flow.finish(try await flow.begin(provider), provider, as: user)
        #expect(later.claims?["sub"]?.equals(caller.uid) == true, "now either provider signs in")
    }

    @Test func `O-23: a pending token of a flow links its own identity only`() async throws {
        let shared = "shared@example.com"
        let google = await flow.finish(try await flow.begin(), "google.com", as: DevelopmentUser.ada.withEmail(shared))
        let begun = try await flow.begin("microsoft.com")
        let answer = await flow.finish(begun, "microsoft.com", as: DevelopmentUser.barbara.withEmail(shared))
        let location = try #require(answer.location)
        let handle = try #require(FlowRig.parameters(location.drop { $0 != "?" }.dropFirst())["result"])
        let pending = try #require(await flow.result(handle, bindings: [begun.binding]).pending)
        let other = await flow.finish(try await flow.begin(), "google.com", as: .dennis)
        let body: JSONObject = ["pending_token": .string(pending)]
        #expect(await flow.rig.call(.link, body, by: try flow.rig.caller(other)).code == "auth/user-mismatch")
        #expect(await flow.rig.call(.link, body, by: try flow.rig.caller(google)).code == "ok")
        let links = try await flow.rig.store.account(try #require(google.claims?["sub"]?.string))?.links
        #expect(links?["microsoft.com"]?.hasSuffix(DevelopmentUser.barbara.microsoftObjectID) == true)
    }

    // MARK: - Apple

    @Test func `Apple's form is parked, and the browser finishes with GET`() async throws {
        let begun = try await flow.begin("apple.com", query: "return_to=/home")
        flow.prepare(begun, "apple.com", .alan)
        let user = #"{"name":{"firstName":"Alan","lastName":"Turing"},"email":"evil@example.com"}"#
        let name = String(decoding: user.utf8.map { $0 == UInt8(ascii: "&") ? 0x20 : $0 }, as: UTF8.self)
        let parked = await flow.post(
            "apple.com", "state=\(begun.state)&code=c&user=\(name)", origin: "https://apple.com.example")
        let location = try #require(parked.location)
        #expect(location.hasPrefix("https://app.example/.gatehouse/callback/apple.com?h=") && parked.cookie == nil)
        #expect(!location.contains("code=") && flow.transport.count == 0)
        let query = String(location.drop { $0 != "?" }.dropFirst())
        let foreign = await flow.callback("apple.com", query, bindings: [])
        #expect(foreign.page != nil, "O-01: another browser")
        let again = await flow.post("apple.com", "state=\(begun.state)&code=c&user=\(name)")
        let second = String(try #require(again.location).drop { $0 != "?" }.dropFirst())
        let answer = await flow.callback("apple.com", second, bindings: [begun.binding])
        #expect(answer.location == "https://app.example/home", "\(flow.rig.log.text)")
        let uid = try #require(answer.claims?["sub"]?.string)
        let account = try #require(try await flow.rig.store.account(uid))
        #expect(account.name == "Alan Turing" && account.email != "evil@example.com", "O-22: the form is not signed")
        #expect(await flow.callback("apple.com", second, bindings: [begun.binding]).page != nil, "once")
    }

    @Test func `Apple's client secret is signed for each request`() async throws {
        let begun = try await flow.begin("apple.com")
        flow.prepare(begun, "apple.com", .alan)
        let parked = await flow.post("apple.com", "state=\(begun.state)&code=c")
        let query = String(try #require(parked.location).drop { $0 != "?" }.dropFirst())
        _ = await flow.callback("apple.com", query, bindings: [begun.binding])
        let call = try #require(flow.transport.calls.map(\.request).first { $0.url.hasSuffix("/token") })
        let form = FlowRig.parameters(call.bodyText)
        let secret = try UnverifiedJWS(try #require(form["client_secret"]))
        #expect(secret.keyID == "KEY" && secret.algorithm == .es256)
        let claims = secret.payload.root
        #expect(claims["iss"]?.equals("TEAM") == true && claims["aud"]?.equals("https://appleid.apple.com") == true)
        #expect(claims["sub"]?.equals(IdentityProvider.apple.demoAudience) == true)
        #expect(claims["exp"]?.integer == flow.rig.now + 300)
        let keys = TokenDraft.keySet([FlowRig.appleKey])
        #expect(secret.verify(with: try #require(keys.key(id: FlowRig.appleKey.keyID)), algorithm: .es256) != nil)
    }

    @Test(arguments: ["https://evil.example", "https://apple.com.example.evil", "https://apple.com", ""])
    func `O-14: a form of another origin, or with a target in its state, leads nowhere`(origin: String) async throws {
        let begun = try await flow.begin("apple.com")
        let foreign = await flow.post("apple.com", "state=\(begun.state)&code=c", origin: origin)
        #expect(foreign.code == "request/cross-site")
        let state = "eyJyZWRpcmVjdCI6Imh0dHBzOi8vZXZpbC5leGFtcGxlIn0"
        #expect(await flow.post("apple.com", "state=\(state)&code=c").page != nil)
        let long = String(repeating: "c", count: 4_097)
        #expect(await flow.post("apple.com", "state=\(begun.state)&code=\(long)").page != nil, "not stored")
    }

    // MARK: - Links and reauthentications

    @Test func `a link ends at the session that started it`() async throws {
        let (cookie, caller) = try await session()
        let begun = try await flow.begin(.startLink, "github.com", ["return_to": "/settings"], by: caller)
        let answer = await flow.finish(begun, "github.com", as: .linus, session: cookie)
        #expect(answer.location == "https://app.example/settings", "\(flow.rig.log.text)")
        let after = try flow.rig.caller(answer)
        #expect(after.session != caller.session && after.startedAt == caller.startedAt)
        #expect(try await flow.rig.store.account(caller.user)?.links["github.com"] == "583231")
    }

    @Test(arguments: [false, true])
    func `O-10: a link that another user finishes links nothing`(hasOtherSession: Bool) async throws {
        let (_, attacker) = try await session(.dennis)
        let begun = try await flow.begin(.startLink, "github.com", ["return_to": "/x"], by: attacker)
        let victim = hasOtherSession ? try await session(.ada).cookie : nil
        // Even if the victim's browser had the attacker's binding.
        let answer = await flow.finish(begun, "github.com", as: .linus, session: victim)
        #expect(answer.location == "https://app.example/x?error=session_changed")
        let link = IdentityLink(provider: "github.com", subject: "583231")
        #expect(try await flow.rig.store.owner(of: link) == nil)
    }

    @Test func `O-10: the session that started a link must not have ended`() async throws {
        let (cookie, caller) = try await session()
        let begun = try await flow.begin(.startLink, "github.com", by: caller)
        try await flow.rig.store.revokeSession(caller.user, try #require(caller.session))
        let answer = await flow.finish(begun, "github.com", as: .linus, session: cookie)
        #expect(answer.location == "https://app.example/?error=auth%2Fsession-cookie-revoked")
        #expect(try await flow.rig.store.owner(of: IdentityLink(provider: "github.com", subject: "583231")) == nil)
    }

    @Test func `a reauthentication makes the session recent`() async throws {
        let (cookie, caller) = try await session()
        flow.rig.time.advance(seconds: 1_000)
        let begun = try await flow.begin(.startReauthenticate, "google.com", by: caller)
        let answer = await flow.finish(begun, "google.com", session: cookie)
        #expect(answer.location == "https://app.example/", "\(flow.rig.log.text)")
        let after = try flow.rig.caller(answer)
        #expect(after.authTime?.seconds == flow.rig.now && after.session != caller.session)
        #expect(try await flow.rig.store.session(caller.user, try #require(caller.session)).revoked)
        let other = try await flow.begin(.startReauthenticate, "google.com", by: after)
        let mismatch = await flow.finish(other, "google.com", as: .dennis, session: answer.token)
        #expect(mismatch.location == "https://app.example/?error=auth%2Fuser-mismatch")
    }

    /// Two tabs: the first one to end changes the name of the session, not its start.
    @Test func `two flows of one session both end`() async throws {
        let (cookie, caller) = try await session()
        let first = try await flow.begin(.startReauthenticate, "google.com", by: caller)
        let second = try await flow.begin(.startLink, "github.com", by: caller)
        let answer = await flow.finish(first, "google.com", session: cookie)
        let done = await flow.finish(second, "github.com", as: .linus, session: answer.token)
        #expect(done.location == "https://app.example/" && done.token != nil, "\(flow.rig.log.text)")
        #expect(try await flow.rig.store.account(caller.user)?.links["github.com"] == "583231")
    }

    @Test func `O-29: a sign-in without the user's part proves none`() async throws {
        let silent = try await flow.begin("google.com", query: "prompt=none")
        let answer = await flow.finish(silent) { $0.removing("auth_time") }
        let caller = try flow.rig.caller(answer)
        await #expect(throws: AccountDenial.self) {
            try await flow.rig.parts.authorizer.require(caller, isRecent: true)
        }
    }

    @Test func `another session cookie beside the one of the flow does not matter`() async throws {
        let (cookie, caller) = try await session()
        let other = try await session(.dennis).cookie
        let begun = try await flow.begin(.startLink, "github.com", by: caller)
        flow.prepare(begun, "github.com", .linus)
        var browser = BrowserRequest()
        browser.provider = "github.com"
        browser.query = Array("state=\(begun.state)&code=c".utf8)
        (browser.bindings, browser.sessions) = ([begun.binding], [other, cookie])
        #expect(await flow.call(.callback, browser).location == "https://app.example/", "\(flow.rig.log.text)")
    }

    @Test func `O-29: a Microsoft token that is 300 seconds old at birth is accepted`() async throws {
        let begun = try await flow.begin("microsoft.com")
        let start = flow.rig.now
        let answer = await flow.finish(begun, "microsoft.com", as: .barbara) {
            $0.setting("iat", to: .integer(start - 300)).setting("nbf", to: .integer(start - 300))
        }
        #expect(answer.token != nil, "\(flow.rig.log.text)")
    }

    @Test func `O-29: a session outlives an earlier revocation, whatever auth_time Google sends`() async throws {
        let (_, caller) = try await session()
        try await flow.rig.store.revoke(caller.user, at: flow.rig.now, .everything)
        flow.rig.time.advance(seconds: 1)
        let month = flow.rig.now - 30 * 86_400
        let answer = await flow.finish(try await flow.begin(), "google.com") {
            $0.setting("auth_time", to: .integer(month))
        }
        try await flow.rig.parts.authorizer.require(try flow.rig.caller(answer), isRecent: true)
    }

    @Test(arguments: [
        "1000000000000", "1e300", "-1", "\"1700000000\"", "99999999999", "1.5",
    ])
    func `O-29: an impossible auth_time is no proof`(time: String) async throws {
        let answer = await flow.finish(try await flow.begin(), "google.com") { $0.setting("auth_time", to: .raw(time)) }
        #expect(answer.cookie == nil && answer.location?.contains("error=auth") == true)
    }

    @Test(arguments: ["oidc.corp", "microsoft.com"], [nil, 301, 299] as [Int64?])
    func `O-29: a provider that is asked for a new sign-in must state it`(provider: String, age: Int64?) async throws {
        flow.replies.set(".well-known", 200, FlowDiscoveryTests.document())
        let answer = await flow.finish(try await flow.begin(provider), provider)
        let (cookie, caller) = (try #require(answer.token), try flow.rig.caller(answer))
        flow.rig.time.advance(seconds: 1_000)
        let begun = try await flow.begin(.startReauthenticate, provider, by: caller)
        let now = flow.rig.now
        let done = await flow.finish(begun, provider, session: cookie) { token in
            age.map { token.setting("auth_time", to: .integer(now - $0)) } ?? token.removing("auth_time")
        }
        #expect((done.location == "https://app.example/") == (age == 299), "\(done.location ?? "")")
    }
}

extension FlowRig {
    /// Fetches the result of a flow.
    func result(_ handle: String, bindings: [String]) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.isPost = true
        browser.bindings = bindings
        let body: JSONObject = ["result": .string(handle)]
        return await send(
            AccountCall(
                endpoint: .result, body: Array(body.text.utf8), contentType: "application/json", caller: nil,
                network: .version4(1), requestID: "request-1", browser: browser))
    }
}
