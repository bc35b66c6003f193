import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The end of authorization-code flows: each check of the callback, in order.
@Suite(.timeLimit(.minutes(5))) struct FlowCallbackTests {
    private let flow: FlowRig

    init() async throws { flow = try await FlowRig() }

    private var tokenCalls: [OutboundRequest] {
        flow.transport.calls.map(\.request).filter { $0.url.hasSuffix("/token") }
    }

    @Test func `a sign-in ends with a new session and the way back`() async throws {
        let begun = try await flow.begin(query: "return_to=/home?a=b%23c")
        let answer = await flow.finish(begun)
        #expect(answer.location == "https://app.example/home?a=b#c")
        let claims = try #require(answer.claims)
        #expect(claims["firebase"]?["sign_in_provider"]?.equals("google.com") == true)
        #expect(claims["auth_time"]?.integer == flow.rig.now)
        let form = FlowRig.parameters(try #require(tokenCalls.first).bodyText)
        #expect(form["grant_type"] == "authorization_code" && form["code"] == "code-1")
        #expect(form["redirect_uri"] == begun.parameters["redirect_uri"] && form["client_secret"] == "secret")
        let verifier = try #require(form["code_verifier"])
        let challenge = Base64URL.encode(try AccountDenial.hash(Array(verifier.utf8)).bytes)
        #expect(challenge == begun.parameters["code_challenge"])
    }

    @Test func `O-01: another browser neither uses nor finds a flow`() async throws {
        let attacker = try await flow.begin()
        flow.prepare(attacker, "google.com", .ada)
        let response = attacker.response()
        let victim = try await flow.begin()
        for bindings in [[], [victim.binding], [String(repeating: "0", count: 32)]] {
            let answer = await flow.callback("google.com", response, bindings: bindings)
            #expect(answer.page != nil && answer.cookie == nil)
        }
        #expect(tokenCalls.isEmpty)
        #expect(await flow.callback("google.com", response, bindings: [attacker.binding]).token != nil, "not spent")
    }

    @Test(arguments: [
        "", "state=", "state=x", "state=\(String(repeating: "A", count: 32))", "code=code-1",
    ])
    func `O-02: a made-up state is unknown`(query: String) async throws {
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        #expect(await flow.callback("google.com", query, bindings: [begun.binding]).page != nil)
        #expect(tokenCalls.isEmpty)
    }

    @Test(arguments: [(599, true), (601, false)])
    func `O-02: a flow lasts ten minutes`(age: Int64, isCurrent: Bool) async throws {
        let begun = try await flow.begin()
        flow.rig.time.advance(seconds: Double(age))
        #expect((await flow.finish(begun).token != nil) == isCurrent)
    }

    @Test func `O-03: a callback counts once, also with 50 at once`() async throws {
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        let query = begun.response()
        let answers = await withTaskGroup(of: CallAnswer.self) { group in
            for _ in 0..<50 { group.addTask { await flow.callback("google.com", query, bindings: [begun.binding]) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.token != nil } == 1 && tokenCalls.count == 1)
    }

    @Test func `O-04: a response to one provider's flow is none at another's callback`() async throws {
        flow.replies.set(".well-known", 200, FlowDiscoveryTests.document())
        let begun = try await flow.begin("google.com", query: "return_to=/x")
        flow.prepare(begun, "google.com", .ada)
        let query = begun.response()
        let crossed = await flow.callback("microsoft.com", query, bindings: [begun.binding])
        #expect(crossed.location == "https://app.example/x?error=failed" && crossed.cookie == nil)
        #expect(tokenCalls.isEmpty)
    }

    @Test(arguments: [
        "https://evil.example", "https://accounts.google.com/", "HTTPS://accounts.google.com", "",
        "https://accounts.google.com\u{0}",
    ])
    func `O-05: another issuer ends the flow, also with an error`(issuer: String) async throws {
        let encoded = String(decoding: Array(issuer.utf8).map { $0 == 0 ? UInt8(ascii: "~") : $0 }, as: UTF8.self)
        for rest in ["code=code-1", "error=access_denied"] {
            let begun = try await flow.begin()
            flow.prepare(begun, "google.com", .ada)
            let query = "state=\(begun.state)&\(rest)&iss=\(encoded)"
            let answer = await flow.callback("google.com", query, bindings: [begun.binding])
            #expect(answer.location == "https://app.example/?error=failed")
        }
        #expect(tokenCalls.isEmpty)
    }

    @Test func `O-06: responses with the right issuer pass`() async throws {
        let google = try await flow.begin()
        #expect(await flow.finish(google, more: "&iss=https://accounts.google.com").token != nil)
        let gitHub = try await flow.begin("github.com")
        let answer = await flow.finish(gitHub, "github.com", as: .linus, more: "&iss=https://github.com/login/oauth")
        #expect(answer.token != nil, "\(flow.rig.log.text)")
        let tenant = DevelopmentUser.microsoftTenant
        let microsoft = try await flow.begin("microsoft.com")
        let issuer = "&iss=https://login.microsoftonline.com/\(tenant)/v2.0"
        #expect(await flow.finish(microsoft, "microsoft.com", as: .barbara, more: issuer).token != nil)
    }

    @Test(arguments: [JSON.string("other"), JSON.null, JSON.array(["x"]), JSON.integer(1)])
    func `O-07: an ID token with another nonce, or none, is refused`(nonce: JSON) async throws {
        let begun = try await flow.begin()
        let answer = await flow.finish(begun) { token in
            nonce == .null ? token.removing("nonce") : token.setting("nonce", to: nonce)
        }
        #expect(answer.cookie == nil)
        #expect(answer.location?.contains("?error=auth") == true, "\(answer.location ?? "")")
    }

    @Test func `O-07: a token of before the flow, for another client, or with another at_hash is refused`() async throws
    {
        let changes: [@Sendable (ProviderToken) -> ProviderToken] = [
            { $0.setting("iat", to: .integer(ManualClock.start - 100)) },
            { $0.setting("aud", to: "another-client") },
            { $0.setting("azp", to: "another-client") },
            // O-21
            { $0.setting("iss", to: "https://evil.example") },
            { $0.setting("iss", to: "https://appleid.apple.com") },
            { $0.setting("at_hash", to: "AAAAAAAAAAAAAAAAAAAAAA") },
        ]
        for (place, change) in changes.enumerated() {
            let answer = await flow.finish(try await flow.begin(), "google.com", change)
            #expect(answer.cookie == nil, "change \(place)")
        }
    }

    @Test func `O-08: values of flows and sessions do not stand in for each other`() async throws {
        let begun = try await flow.begin()
        let other = try await flow.begin()
        let session = try #require(await flow.finish(other).token)
        for value in [
            begun.state, begun.binding, begun.parameters["nonce"] ?? "", begun.parameters["code_challenge"] ?? "",
        ] {
            let answer = await flow.callback("google.com", "state=x", bindings: [], session: value)
            #expect(answer.page != nil, "not a session")
        }
        #expect(await flow.callback("google.com", "state=\(session)", bindings: [session]).page != nil)
    }

    @Test func `O-11: a sign-in never continues another session`() async throws {
        let begun = try await flow.begin()
        let first = try #require(await flow.finish(begun).token)
        let second = await flow.finish(try await flow.begin(), "google.com", as: .dennis, session: first)
        let claims = try #require(second.claims)
        let before = try UnverifiedJWS(first).payload.root
        #expect(claims["sid"]?.string != before["sid"]?.string && claims["sub"]?.string != before["sub"]?.string)
    }

    @Test(arguments: [
        ("access_denied", "cancelled"), ("user_cancelled_authorize", "cancelled"), ("login_required", "login_required"),
        ("temporarily_unavailable", "provider_unavailable"), ("<script>", "failed"), ("", "failed"),
        (String(repeating: "x", count: 9_000), "failed"), ("a%0d%0aSet-Cookie:+x", "failed"),
    ])
    func `O-15: an error of the provider becomes a word of the gateway`(error: String, word: String) async throws {
        let begun = try await flow.begin(query: "return_to=/back?x=1")
        let query = "state=\(begun.state)&error=\(error)&error_description=%3Cb%3Eevil&error_uri=https://evil.example"
        let answer = await flow.callback("google.com", query, bindings: [begun.binding])
        #expect(answer.location == "https://app.example/back?x=1&error=\(word)")
        #expect(!flow.rig.log.text.contains("evil") && !flow.rig.log.text.contains("\r"))
        #expect(flow.rig.log.text.utf8.count < 4_000)
    }

    @Test(arguments: [
        "state=A&state=B&code=c", "state=A&code=c&code=d", "state=A&code=c&iss=a&iss=b", "state=A&error=a&error=b",
        "state=%zz", "state=%ff", "%73tate=A&state=B&code=c",
    ])
    func `O-16: a repeated or malformed field is an error`(query: String) async throws {
        #expect(await flow.callback("google.com", query, bindings: []).code == "request/malformed")
    }

    @Test func `O-16: each provider has one form of response`() async throws {
        let apple = try await flow.begin("apple.com")
        let asQuery = await flow.callback("apple.com", "state=\(apple.state)&code=c", bindings: [apple.binding])
        #expect(asQuery.code == "request/malformed")
        let google = try await flow.begin()
        for (provider, type, query) in [
            ("google.com", "application/x-www-form-urlencoded", ""), ("apple.com", "application/json", ""),
            ("apple.com", "application/x-www-form-urlencoded", "state=x"),
        ] {
            let answer = await flow.post(provider, "state=\(google.state)&code=c", type: type, query: query)
            #expect(answer.code == "request/malformed")
        }
    }

    @Test func `O-17: many starts of one browser keep 16 flows, and the last works`() async throws {
        let first = try await flow.begin()
        flow.rig.time.advance(seconds: 1)
        // Concurrent, because each start waits several times for its turn beside other tests.
        let others = try await withThrowingTaskGroup(of: FlowRig.Begun.self) { group in
            for _ in 0..<15 { group.addTask { try await flow.begin(binding: first.binding) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        flow.rig.time.advance(seconds: 1)
        let last = try await flow.begin(binding: first.binding)
        #expect(await flow.finish(first).page != nil, "the oldest was replaced")
        #expect(await flow.finish(last).token != nil)
        #expect(await flow.finish(others[0]).token != nil, "the others are there")
    }

    @Test func `O-17: junk cookies are ignored`() async throws {
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        let junk = [String(repeating: "x", count: 8_192), "", "="] + Array(repeating: "a", count: 200)
        let answer = await flow.callback(
            "google.com", "state=\(begun.state)&code=c", bindings: junk + [begun.binding])
        #expect(answer.token != nil)
    }

    @Test func `two tabs finish in either order`() async throws {
        for isReversed in [false, true] {
            let first = try await flow.begin(query: "return_to=/one")
            let second = try await flow.begin(query: "return_to=/two", binding: first.binding)
            let tabs = isReversed ? [second, first] : [first, second]
            for tab in tabs { #expect(await flow.finish(tab).token != nil) }
        }
    }

    @Test func `a reload after the sign-in goes on, and without a session asks to sign in again`() async throws {
        let begun = try await flow.begin(query: "return_to=/x")
        let session = try #require(await flow.finish(begun).token)
        let query = begun.response()
        let again = await flow.callback("google.com", query, bindings: [begun.binding], session: session)
        #expect(again.location == "https://app.example/" && again.cookie == nil)
        let without = await flow.callback("google.com", query, bindings: [begun.binding])
        #expect(without.page?.contains(#"href="/.gatehouse/sign-in/google.com""#) == true)
        #expect(tokenCalls.count == 1)
    }

    @Test(arguments: [
        (200, #"{"error":"invalid_grant"}"#, "failed"), (400, #"{"error":"invalid_grant"}"#, "failed"),
        (401, #"{"error":"invalid_client"}"#, "failed"), (200, "<html>", "provider_unavailable"),
        (200, "[]", "provider_unavailable"), (200, "{}", "provider_unavailable"), (500, "{}", "provider_unavailable"),
        (302, "", "provider_unavailable"), (200, #"{"error":{"a":1}}"#, "failed"),
        (503, #"{"error":"server_error"}"#, "provider_unavailable"), (200, "\u{0}", "provider_unavailable"),
        (200, #"{"id_token":7}"#, "provider_unavailable"),
    ])
    func `each bad response of a token endpoint has its word`(status: Int, body: String, word: String) async throws {
        let begun = try await flow.begin()
        flow.replies.set("/token", status, body)
        let answer = await flow.callback("google.com", "state=\(begun.state)&code=c", bindings: [begun.binding])
        #expect(answer.location == "https://app.example/?error=\(word)" && answer.cookie == nil)
        #expect(tokenCalls.count == 1, "a code is sent once")
    }

    @Test(arguments: [LookupFailure.Kind.timedOut, .tooLarge, .unreachable, .closed])
    func `a token endpoint that fails is not asked again`(kind: LookupFailure.Kind) async throws {
        let begun = try await flow.begin()
        flow.replies.set("/token", .failure(LookupFailure(kind)))
        let answer = await flow.callback("google.com", "state=\(begun.state)&code=c", bindings: [begun.binding])
        #expect(answer.location == "https://app.example/?error=provider_unavailable")
        #expect(tokenCalls.count == 1)
    }

    @Test func `a code of more than 4 KiB is sent nowhere`() async throws {
        let begun = try await flow.begin()
        let query = "state=\(begun.state)&code=\(String(repeating: "c", count: 4_097))"
        #expect(
            await flow.callback("google.com", query, bindings: [begun.binding]).location?.hasSuffix("error=failed")
                == true)
        #expect(tokenCalls.isEmpty)
    }
}

/// The callback with session cookies that browsers do not send after a response of another site.
@Suite(.timeLimit(.minutes(5))) struct StrictCallbackTests {
    private func callback(
        _ flow: FlowRig, _ query: String, _ binding: String, site: String? = "cross-site"
    ) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.provider = "google.com"
        browser.query = Array(query.utf8)
        browser.bindings = [binding]
        browser.fetchSite = site
        return await flow.call(.callback, browser)
    }

    @Test func `a page of this site leads the browser to the callback again`() async throws {
        let flow = try await FlowRig { $0.sessionSameSite = .strict }
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        let query = begun.response()
        let page = try #require(await callback(flow, query, begun.binding).onward)
        let address = "/.gatehouse/callback/google.com?state=\(begun.state)&amp;code=code-1&amp;onward=1"
        #expect(page.contains(#"<meta http-equiv="refresh" content="0;url=\#(address)">"#))
        // The page spends nothing.
        #expect(await callback(flow, query, begun.binding).onward == page)
        let answer = await callback(flow, query + "&onward=1", begun.binding, site: "same-origin")
        #expect(answer.location == "https://app.example/" && answer.token != nil)
    }

    @Test func `the second request is not led on, whatever the browser states`() async throws {
        let flow = try await FlowRig { $0.sessionSameSite = .strict }
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        let answer = await callback(flow, begun.response("&onward=1"), begun.binding)
        #expect(answer.location == "https://app.example/" && answer.token != nil)
    }

    @Test(arguments: ["same-origin", "same-site", "none", nil])
    func `requests that have the session are answered at once`(site: String?) async throws {
        let flow = try await FlowRig { $0.sessionSameSite = .strict }
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        let answer = await callback(flow, begun.response(), begun.binding, site: site)
        #expect(answer.location == "https://app.example/" && answer.onward == nil)
    }

    @Test(arguments: ["\"><script>alert(1)</script>", "a='", "a=\\", "a=\u{7F}", "a=é", "a=<"])
    func `O-15: the page contains no markup of the query`(text: String) async throws {
        let flow = try await FlowRig { $0.sessionSameSite = .strict }
        #expect(await callback(flow, text, "x").onward == nil)
    }

    @Test func `without session_same_site nothing is led on`() async throws {
        let flow = try await FlowRig()
        let begun = try await flow.begin()
        flow.prepare(begun, "google.com", .ada)
        #expect(
            await callback(flow, begun.response(), begun.binding).location == "https://app.example/")
        let refused = await callback(flow, begun.response("&onward=1"), begun.binding)
        #expect(refused.onward == nil)
    }
}

extension FlowRig {
    /// Sends a form to a callback.
    func post(
        _ provider: String, _ form: String, type: String = "application/x-www-form-urlencoded", query: String = "",
        origin: String? = nil
    ) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.provider = provider
        browser.isPost = true
        browser.query = Array(query.utf8)
        browser.origin = origin
        return await send(
            AccountCall(
                endpoint: .callback, body: Array(form.utf8), contentType: type, caller: nil, network: .version4(1),
                requestID: "request-1", browser: browser))
    }
}
