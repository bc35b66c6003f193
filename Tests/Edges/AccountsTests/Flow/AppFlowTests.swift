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

/// Flows that apps start in the system browser: their start, their way back, and the calls that end them.
@Suite(.timeLimit(.minutes(5))) struct AppFlowTests {
    private static let start = "return_to=\(FlowRig.App.url)"
    private static let challenge = String(repeating: "A", count: 43)
    private static let gitHub = IdentityLink(provider: "github.com", subject: "583231")

    private let flow: FlowRig
    private let app = FlowRig.App()

    init() async throws { flow = try await FlowRig.withApps() }

    @Test func `a sign-in ends with a code, and the app gets the session`() async throws {
        let begun = try await flow.begin(app)
        #expect(begun.parameters["code_challenge"] != app.challenge, "the challenge at the provider is the gateway's")
        #expect(begun.parameters["redirect_uri"] == "https://app.example/.gatehouse/callback/google.com")
        let code = try flow.code(in: await flow.finish(begun))
        #expect(RandomText.isNonce(code), "192 random bits")
        let answer = await flow.redeem(.signIn, code, app.verifier, ["expires_in": 300])
        #expect(answer.isNew == true && answer.json?["expires_in"]?.integer == 300, "\(flow.rig.log.text)")
        #expect(answer.claims?["firebase"]?["sign_in_provider"]?.equals("google.com") == true)
        let caller = try flow.rig.caller(answer)
        try await flow.rig.parts.authorizer.require(caller, isRecent: true)
        let again = try await flow.appSession()
        #expect(again.user == caller.user && again.session != caller.session, "O-11: each session is a new one")
    }

    @Test func `Apple's name reaches the account by the code`() async throws {
        let begun = try await flow.begin(app, "apple.com")
        flow.prepare(begun, "apple.com", .alan)
        let user = #"{"name":{"firstName":"Alan","lastName":"Turing"}}"#
        let parked = await flow.post("apple.com", "state=\(begun.state)&code=c&user=\(user)")
        let query = String(try #require(parked.location).drop { $0 != "?" }.dropFirst())
        let code = try flow.code(in: await flow.callback("apple.com", query, bindings: [begun.binding]))
        let answer = await flow.redeem(.signIn, code, app.verifier)
        let account = try await flow.rig.store.account(try flow.rig.caller(answer).user)
        #expect(account?.name == "Alan Turing")
    }

    @Test func `an account with another credential is linked with the pending token of the app's call`() async throws {
        let shared = "shared@example.com"
        let caller = try await flow.appSession(.ada.withEmail(shared))
        let user = DevelopmentUser.barbara.withEmail(shared)
        let code = try await flow.code(of: app, "microsoft.com", as: user)
        let refused = await flow.redeem(.signIn, code, app.verifier)
        #expect(refused.code == "auth/account-exists-with-different-credential")
        let pending: JSONObject = ["pending_token": .string(try #require(refused.pending))]
        let linked = await flow.rig.call(.link, pending, by: caller)
        #expect(linked.providers == ["google.com", "microsoft.com"], "\(flow.rig.log.text)")
    }

    // MARK: - The start

    @Test(arguments: [
        "", "&code_challenge=\(challenge)", "&code_challenge_method=S256",
        "&code_challenge=\(challenge)&code_challenge_method=plain",
        "&code_challenge=\(challenge)&code_challenge_method=s256",
        "&code_challenge=\(challenge)&code_challenge_method=", "&code_challenge=&code_challenge_method=S256",
        "&code_challenge=\(challenge)A&code_challenge_method=S256",
        "&code_challenge=\(challenge.dropLast())&code_challenge_method=S256",
        "&code_challenge=\(challenge.dropLast())B&code_challenge_method=S256",
        "&code_challenge=\(challenge.dropLast())=&code_challenge_method=S256",
        "&code_challenge=\(challenge.dropLast())/&code_challenge_method=S256",
    ])
    func `O-30: an app must send a challenge by S256`(rest: String) async {
        let refused = await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin(query: Self.start + rest) }
        #expect(refused?.code == "request/malformed")
    }

    @Test(arguments: [
        "&purpose=delete", "&purpose=", "&purpose=link&purpose=link", "&code_challenge=\(challenge)",
        "&code_challenge_method=S256", "&return_to=/", "&state=x", "&code=x", "&redirect_uri=x",
    ])
    func `O-16 O-18: an app sends each parameter once and no others`(rest: String) async {
        let refused = await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin(query: app.query() + rest) }
        #expect(refused?.code == "request/malformed")
    }

    @Test(arguments: [
        "com.example.app:/callback/", "com.example.app:/callback/x", "com.example.app:/Callback",
        "COM.example.app:/callback", "com.example.app://callback", "com.example.app:callback", "com.example.app:/",
        "com.example.app:/callback%23", "com.example.app:/callback%3Fx=1", "com.example.app:/x/../callback",
        "com.example.evil:/callback", "javascript:alert(1)", "http://127.0.0.1:0/callback",
        "http://127.0.0.1:65536/callback", "http://127.0.0.1:080/callback", "http://127.0.0.1:/callback",
        "http://127.0.0.1:99999999999999999999/callback", "http://127.0.0.1:80/other", "http://127.0.0.1:80",
        "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1.evil.example/callback",
        "http://127.0.0.1:80%2fcallback/", "http://127.0.0.2:80/callback", "http://localhost:80/callback",
        "http://[::1]:x/callback", "https://127.0.0.1:80/callback", "https://app.example:443/native/callback",
        "https://evil.example/native/callback", "//evil.example", "/native/callback", "/",
        "https://app.example/native/callback/", "https://spa.example/",
    ])
    func `O-12 O-30: only a configured URL of an app receives a code`(url: String) async {
        let query = app.query(returnTo: url)
        let refused = await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin(query: query) }
        #expect(refused?.code == "request/malformed", "\(url)")
    }

    @Test(
        arguments: FlowRig.App.urls + [
            "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://[::1]:49152/callback",
        ])
    func `each configured URL receives codes and errors, and a loopback URL with any port`(url: String) async throws {
        let answer = await flow.finish(try await flow.begin(app, returnTo: url))
        let location = try #require(answer.location)
        #expect(location.hasPrefix("\(url)?code=") && answer.cookie == nil, "\(location)")
        let refused = try await flow.begin(app, returnTo: url)
        let query = "state=\(refused.state)&error=access_denied&error_description=evil"
        let back = await flow.callback("google.com", query, bindings: [refused.binding])
        #expect(back.location == "\(url)?error=cancelled" && back.cookie == nil)
    }

    @Test func `a flow that fails returns to the app with a word and no code`() async throws {
        let failed = try await flow.begin(app)
        flow.replies.set("/token", 500, "{}")
        let answer = await flow.callback("google.com", "state=\(failed.state)&code=c", bindings: [failed.binding])
        #expect(answer.location == "\(FlowRig.App.url)?error=provider_unavailable")
        let forged = await flow.finish(try await flow.begin(app)) { $0.setting("nonce", to: "other") }
        #expect(forged.location == "\(FlowRig.App.url)?error=auth%2Fmissing-or-invalid-nonce")
    }

    @Test func `O-27: a flow of an app that is not configured any more ends without a code`() async throws {
        let begun = try await flow.begin(app)
        let later = try await FlowRig.withApps(["com.example.other:/callback"], store: flow.rig.store)
        #expect(await later.finish(begun).code == "gateway/internal")
    }

    // MARK: - Links and reauthentications

    @Test func `a link of an app counts when its session presents the code`() async throws {
        let caller = try await flow.appSession()
        let code = try await flow.code(of: app, "github.com", as: .linus, purpose: "link")
        #expect(try await flow.rig.store.owner(of: Self.gitHub) == nil, "not before")
        #expect(await flow.redeem(.link, code, app.verifier).code == "auth/missing-credential")
        let linked = await flow.redeem(.link, code, app.verifier, by: caller)
        #expect(linked.providers == ["github.com", "google.com"], "\(linked.code) \(flow.rig.log.text)")
    }

    @Test func `a link needs a recent sign-in, and the code survives the denial`() async throws {
        let caller = try await flow.appSession()
        flow.rig.time.advance(seconds: 1_000)
        let code = try await flow.code(of: app, "github.com", as: .linus, purpose: "link")
        #expect(await flow.redeem(.link, code, app.verifier, by: caller).code == "auth/requires-recent-login")
        let again = FlowRig.App()
        let proof = try await flow.code(of: again, purpose: "reauthenticate")
        let proven = await flow.redeem(.reauthenticate, proof, again.verifier, by: caller)
        #expect(proven.json?["signed_in_at"]?.integer == flow.rig.now, "\(proven.code) \(flow.rig.log.text)")
        #expect(await flow.redeem(.link, code, app.verifier, by: caller).code == "ok")
    }

    @Test func `O-29: a reauthentication of an app asks for a new sign-in of the same user`() async throws {
        let caller = try await flow.appSession()
        let begun = try await flow.begin(app, purpose: "reauthenticate")
        #expect(begun.parameters["prompt"] == "select_account")
        #expect(begun.parameters["login_hint"] == nil, "the browser has no session that names the user")
        let other = try flow.code(in: await flow.finish(begun, as: .dennis))
        #expect(await flow.redeem(.reauthenticate, other, app.verifier, by: caller).code == "auth/user-mismatch")
        let microsoft = try await flow.begin(app, "microsoft.com", purpose: "reauthenticate")
        #expect(microsoft.parameters["max_age"] == "300")
        let stale = await flow.finish(microsoft, "microsoft.com", as: .barbara) { $0.removing("auth_time") }
        #expect(stale.location == "\(FlowRig.App.url)?error=auth%2Frequires-recent-login")
    }

    @Test(arguments: ["link", "reauthenticate"])
    func `O-10: the address of an attacker's flow gives the attacker nothing of the user who opens it`(
        purpose: String
    ) async throws {
        let endpoint: AccountEndpoint = purpose == "link" ? .link : .reauthenticate
        let attacker = try await flow.appSession(.dennis)
        let provider = purpose == "link" ? "github.com" : "google.com"
        let user = purpose == "link" ? DevelopmentUser.linus : .dennis
        // The user opens the address with the attacker's challenge, and agrees at the provider.
        let begun = try await flow.begin(app, provider, purpose: purpose)
        let code = try flow.code(in: await flow.finish(begun, provider, as: user))
        // The code is at the user's app, whose own flow has another verifier.
        let victim = try await flow.appSession(.ada)
        let owned = await flow.redeem(endpoint, code, FlowRig.App().verifier, by: victim)
        #expect(owned.code == "auth/invalid-credential")
        // The attacker has the verifier, and everything else about the flow.
        let known = [begun.state, begun.binding, begun.parameters["nonce"], app.challenge, app.verifier]
        for guess in known.compactMap(\.self) {
            let stolen = await flow.redeem(endpoint, guess, app.verifier, by: attacker)
            #expect(stolen.code == "auth/invalid-credential")
        }
        #expect(try await flow.rig.store.owner(of: Self.gitHub) == nil)
    }

    @Test func `O-10: the attacker's own session finishes no flow in the browser of another user`() async throws {
        let answer = await flow.finish(try await flow.begin())
        let session = try #require(answer.token)
        let begun = try await flow.begin(app, "github.com", purpose: "link")
        let linked = await flow.finish(begun, "github.com", as: .linus, session: session)
        _ = try flow.code(in: linked)
        #expect(try await flow.rig.store.owner(of: Self.gitHub) == nil, "a session of the browser links nothing")
    }
}
