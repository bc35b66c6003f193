import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The start of authorization-code flows.
@Suite(.timeLimit(.minutes(5))) struct FlowStartTests {
    private let flow: FlowRig

    init() async throws { flow = try await FlowRig() }

    @Test func `the authorization URL has each parameter of the protocol once`() async throws {
        let begun = try await flow.begin(query: "return_to=/home&prompt=consent&hl=de")
        #expect(begun.url.hasPrefix("https://google.com.example/authorize?"))
        let query = begun.url.drop { $0 != "?" }.dropFirst()
        #expect(query.split(separator: "&").count == begun.parameters.count, "no parameter is sent twice")
        #expect(begun.parameters["response_type"] == "code")
        #expect(begun.parameters["client_id"] == IdentityProvider.google.demoAudience)
        #expect(begun.parameters["redirect_uri"] == "https://app.example/.gatehouse/callback/google.com")
        #expect(begun.parameters["scope"] == "openid email")
        #expect(begun.parameters["code_challenge_method"] == "S256")
        #expect(begun.parameters["code_challenge"]?.utf8.count == 43)
        #expect(begun.parameters["prompt"] == "consent" && begun.parameters["hl"] == "de")
        #expect(begun.parameters["access_type"] == "offline", "a configured parameter")
        #expect(begun.binding.utf8.count == 32)
    }

    @Test func `O-02: each start has its own state, nonce, challenge and binding`() async throws {
        var seen: [Set<String>] = Array(repeating: [], count: 4)
        for _ in 0..<20 {
            let begun = try await flow.begin()
            let values = [
                begun.state, begun.parameters["nonce"] ?? "", begun.parameters["code_challenge"] ?? "", begun.binding,
            ]
            for (place, value) in values.enumerated() { seen[place].insert(value) }
        }
        #expect(seen.allSatisfy { $0.count == 20 })
    }

    @Test func `a browser keeps its binding over several starts`() async throws {
        let first = try await flow.begin()
        let second = try await flow.begin(binding: first.binding)
        #expect(second.binding == first.binding && second.state != first.state)
        let foreign = try await flow.begin(binding: "not a binding")
        #expect(foreign.binding.utf8.count == 32)
    }

    @Test(arguments: [
        ("cors", "empty", false), ("no-cors", "image", false), ("navigate", "iframe", false),
        ("navigate", "document", true), ("", "", false),
    ])
    func `O-09: images, frames, scripts and prefetches start nothing`(
        mode: String, destination: String, isAhead: Bool
    ) async throws {
        var browser = BrowserRequest()
        browser.provider = "google.com"
        (browser.fetchMode, browser.fetchDestination, browser.isAhead) = (mode, destination, isAhead)
        let answer = await flow.call(.startSignIn, browser)
        #expect(answer.code == "request/cross-site" && answer.location == nil)
        (browser.fetchMode, browser.fetchDestination, browser.isAhead) = ("navigate", "document", false)
        #expect(await flow.call(.startSignIn, browser).location != nil)
    }

    @Test(arguments: [
        "redirect_uri=https://evil.example", "Client_Id=x", "STATE=x", "scope=admin", "request_uri=x",
        "response_mode=fragment", "login_hint=a@b.example", "nonce=x", "code_challenge=x", "x=y",
        "prompt=a&prompt=b", "return_to=/a&return_to=/b", "hl=\u{7f}", "hl=%0d%0aSet-Cookie:x", "hl=%ff", "hl=",
    ])
    func `O-18: a caller cannot set or repeat a parameter of the gateway`(query: String) async {
        await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin(query: query) }
    }

    @Test func `an unknown provider has no flow`() async {
        for provider in ["evil.example", "facebook.com", "oauth.legacy", ""] {
            await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin(provider) }
        }
    }

    @Test func `a link and a reauthentication start from a session of the gateway only`() async throws {
        let caller = try await flow.rig.session()
        let link = try await flow.begin(.startLink, "github.com", ["return_to": "/settings"], by: caller)
        #expect(link.url.hasPrefix("https://github.com.example/authorize?"))
        let again = try await flow.begin(.startReauthenticate, "google.com", by: caller)
        #expect(again.parameters["prompt"] == "select_account")
        #expect(again.parameters["login_hint"] == DevelopmentUser.ada.subject(at: "google.com"))
        #expect(await flow.answer(.startLink, "github.com", by: nil).code == "auth/missing-credential")
        let firebase = try flow.rig.caller(firebase: .idToken(for: .ada, now: flow.rig.now))
        #expect(await flow.answer(.startLink, "github.com", by: firebase).code == "auth/operation-not-allowed")
    }

    @Test func `a link needs a recent sign-in at its start`() async throws {
        let caller = try await flow.rig.session()
        flow.rig.time.advance(seconds: 301)
        #expect(await flow.answer(.startLink, "github.com", by: caller).code == "auth/requires-recent-login")
        #expect(await flow.answer(.startReauthenticate, "google.com", by: caller).location != nil)
    }

    @Test(arguments: [
        ("google.com", ["prompt": "select_account"]), ("microsoft.com", ["prompt": "login", "max_age": "300"]),
        ("github.com", ["prompt": "select_account"]), ("oidc.corp", ["max_age": "300"]), ("apple.com", [:]),
    ])
    func `O-29: a reauthentication asks the provider for a new sign-in`(
        provider: String, expected: [String: String]
    ) async throws {
        flow.replies.set(".well-known", 200, FlowDiscoveryTests.document())
        let caller = try await flow.rig.session()
        let begun = try await flow.begin(.startReauthenticate, provider, by: caller)
        for (name, value) in expected { #expect(begun.parameters[name] == value) }
        if expected["max_age"] == nil { #expect(begun.parameters["max_age"] == nil) }
    }

    @Test func `Apple's flow asks for a posted form, and its state is in the form`() async throws {
        let begun = try await flow.begin("apple.com")
        #expect(begun.parameters["response_mode"] == "form_post" && begun.parameters["code_challenge"] != nil)
        #expect(try await flow.begin().parameters["response_mode"] == nil)
    }
}

/// Discovery documents of providers with authorization-code flows.
@Suite(.timeLimit(.minutes(5))) struct FlowDiscoveryTests {
    static func document(
        issuer: String = "https://corp.example", token: String = "https://corp.example/token",
        authorization: String = "https://corp.example/authorize", more: String = ""
    ) -> String {
        #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(authorization)","token_endpoint":"\#(token)"\#(more)}"#
    }

    @Test(arguments: [
        document(issuer: "https://evil.example"), document(issuer: "https://corp.example/"),
        document(token: "http://corp.example/token"), document(token: "javascript:x"), document(authorization: ""),
        "[]", "<html>", "", "{}", document(token: "https://user@corp.example/token"),
        document(token: "https://127.0.0.1/token"), document(token: "https://10.1.2.3/token"),
        document(token: "https://169.254.169.254/token"), document(token: "https://[::1]/token"),
        document(token: "https://[fd00::1]/token"), document(authorization: "https://localhost/authorize"),
    ])
    func `O-20: a document that is not the provider's starts no flow`(document: String) async throws {
        let flow = try await FlowRig()
        flow.replies.set(".well-known", 200, document)
        await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin("oidc.corp") }
        #expect(flow.transport.count == 1)
        await #expect(throws: FlowRig.NotBegun.self) { try await flow.begin("oidc.corp") }
        #expect(flow.transport.count == 1, "a failure is not repeated at once")
        flow.replies.set(".well-known", 200, Self.document())
        flow.rig.time.advance(seconds: 11)
        #expect(try await flow.begin("oidc.corp").url.hasPrefix("https://corp.example/authorize?"))
        #expect(try await flow.begin("google.com").url.hasPrefix("https://google.com.example/"), "O-28: others work")
    }

    @Test func `O-05: a provider that promises iss must send it`() async throws {
        let flow = try await FlowRig()
        let more = #","authorization_response_iss_parameter_supported":true"#
        flow.replies.set(".well-known", 200, Self.document(more: more))
        let silent = try await flow.begin("oidc.corp", query: "return_to=/x")
        let answer = await flow.finish(silent, "oidc.corp")
        #expect(answer.location == "https://app.example/x?error=failed")
        #expect(flow.transport.calls.allSatisfy { !$0.request.url.hasSuffix("/token") }, "the code is sent nowhere")
        let named = try await flow.begin("oidc.corp", query: "return_to=/x")
        #expect(
            await flow.finish(named, "oidc.corp", more: "&iss=https://corp.example").location == "https://app.example/x"
        )
    }

    @Test func `O-19: endpoints in a record that are not the provider's get no secret`() async throws {
        let flow = try await FlowRig()
        let binding = BrowserBinding()
        let state = RandomText.nonce()
        let record = FlowRecord(
            purpose: .signIn, provider: "google.com",
            endpoints: FlowEndpoints(authorization: "https://evil.example/a", token: "https://evil.example/token"),
            redirectURI: "https://app.example/.gatehouse/callback/google.com",
            clientID: try #require(FlowRig.providers.first { $0.id == "google.com" }?.clientID), nonce: "n",
            verifier: nil, returnTo: "https://app.example/x", started: UnixTime(clamping: flow.rig.now))
        let shelf = try flow.rig.parts.shelf(for: "request-1")
        try await shelf.put(record.text, as: .state, named: state, of: binding, lifetime: 600)
        let answer = await flow.callback("google.com", "state=\(state)&code=c", bindings: [binding.value])
        #expect(answer.location == "https://app.example/x?error=failed")
        #expect(flow.transport.count == 0)
    }

    @Test func `O-19: the token endpoint is the one that was known at the start`() async throws {
        let flow = try await FlowRig()
        flow.replies.set(".well-known", 200, Self.document())
        let begun = try await flow.begin("oidc.corp")
        flow.replies.set(".well-known", 200, Self.document(token: "https://evil.example/token"))
        flow.rig.time.advance(seconds: 120)
        _ = await flow.finish(begun, "oidc.corp")
        let sent = flow.transport.calls.map(\.request.url).filter { $0.hasSuffix("/token") }
        #expect(sent == ["https://corp.example/token"])
    }
}
