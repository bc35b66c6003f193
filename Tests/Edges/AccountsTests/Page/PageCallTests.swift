import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Revocation
import RevocationStores
import Synchronization
import Testing
import TextCoding

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// `GET /.gatehouse/`: what the page shows of a request and its session.
@Suite(.timeLimit(.minutes(5))) struct PageCallTests {
    private let flow: FlowRig

    init() async throws { flow = try await FlowRig { $0.page = Configuration.Accounts.Page() } }

    private func open(
        _ query: String = "", session: String? = nil, bindings: [String] = []
    ) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.bindings = bindings
        browser.query = Array(query.utf8)
        browser.sessions = session.map { [$0] } ?? []
        browser.acceptLanguage = "de"
        return await flow.call(.page, browser)
    }

    private func content(
        _ query: String = "", session: String? = nil, bindings: [String] = []
    ) async throws -> SignInPage.Content {
        let answer = await open(query, session: session, bindings: bindings)
        guard case .signInPage(let content) = answer.reply else { throw NoPage(code: answer.code) }
        return content
    }

    private struct NoPage: Error { let code: String }

    private func session() async throws -> String {
        try #require(await flow.finish(try await flow.begin(), as: .ada).token)
    }

    @Test func `without a session the page leads back to itself, with the page that follows`() async throws {
        let plain = try await content()
        #expect(plain.account == nil && plain.address == "/.gatehouse/" && plain.languages == "de")
        let leading = try await content("return_to=/home%3Fx=1&error=cancelled")
        #expect(leading.target == "https://app.example/home?x=1" && leading.error == nil)
        #expect(leading.address == "/.gatehouse/?return_to=https%3A%2F%2Fapp.example%2Fhome%3Fx%3D1")
    }

    @Test func `a sign-in returns to the page, with its error or its session`() async throws {
        let address = "/.gatehouse/?return_to=%2Fhome"
        let begun = try await flow.begin(query: "return_to=%2F.gatehouse%2F%3Freturn_to%3D%252Fhome")
        let done = await flow.finish(begun)
        #expect(done.location == FlowRig.origin + address)
        let token = try #require(done.token)
        #expect(await open("return_to=%2Fhome", session: token).location == "https://app.example/home")
        let (query, binding) = try await refuse(address)
        let failed = try await content(query, session: token, bindings: [binding])
        #expect(failed.account != nil && failed.error == "cancelled", "an error is shown first")
        #expect(failed.target == "https://app.example/home")
    }

    /// Refuses a sign-in at the provider. Returns the query of the page to which the flow returns, and the binding.
    private func refuse(_ address: String = "/.gatehouse/") async throws -> (query: String, binding: String) {
        var parameter = Array("".utf8)
        FormEncoding.append("return_to", address.utf8, to: &parameter)
        let refused = try await flow.begin(query: String(decoding: parameter, as: UTF8.self))
        let back = await flow.callback(
            "google.com", "state=\(refused.state)&error=access_denied", bindings: [refused.binding])
        let location = try #require(back.location)
        #expect(location.hasPrefix("https://app.example/.gatehouse/?"), "\(location)")
        return (String(location.drop { $0 != "?" }.dropFirst()), refused.binding)
    }

    @Test func `O-32: an error is shown only to the browser whose flow ended with it, for five minutes`()
        async throws
    {
        let (query, binding) = try await refuse()
        let other = try await refuse()
        #expect(query.hasPrefix("error=cancelled&error_mark="))
        #expect(try await content(query, bindings: [other.binding, binding]).error == "cancelled")
        #expect(try await content(query).error == nil)
        #expect(try await content(query, bindings: [other.binding]).error == nil)
        let changed = query.replacing("error=cancelled", with: "error=auth/user-disabled")
        #expect(try await content(changed, bindings: [binding]).error == nil)
        #expect(try await content("error=cancelled", bindings: [binding]).error == nil)
        for mark in ["", "!", "AAAA", String(repeating: "A", count: 4_000)] {
            #expect(try await content("error=cancelled&error_mark=\(mark)", bindings: [binding]).error == nil)
        }
        let token = try await session()
        let spoofed = await open("return_to=%2Fhome&error=auth/user-disabled", session: token)
        #expect(spoofed.location == "https://app.example/home", "an error of another site stops nobody")
        flow.rig.time.advance(seconds: 299)
        #expect(try await content(query, bindings: [binding]).error == "cancelled")
        flow.rig.time.advance(seconds: 1)
        #expect(try await content(query, bindings: [binding]).error == nil)
    }

    @Test func `the address of another page has no mark`() async throws {
        let refused = try await flow.begin(query: "return_to=%2Fhome")
        let back = await flow.callback(
            "google.com", "state=\(refused.state)&error=access_denied", bindings: [refused.binding])
        #expect(back.location == "https://app.example/home?error=cancelled")
    }

    @Test func `images and frames of other sites do not use up the calls of an address`() async throws {
        let rates = CountedCalls()
        let flow = try await FlowRig(
            settings: { $0.page = Configuration.Accounts.Page() }, parts: { $0.rating = rates })
        let loads: [(mode: String, destination: String, isAhead: Bool)] = [
            ("no-cors", "image", false), ("navigate", "iframe", false), ("cors", "empty", false),
            ("navigate", "document", true),
        ]
        for endpoint in [AccountEndpoint.page, .startSignIn, .callback] {
            var browser = BrowserRequest()
            browser.provider = "google.com"
            for load in loads {
                (browser.fetchMode, browser.fetchDestination, browser.isAhead) =
                    (load.mode, load.destination, load.isAhead)
                #expect(await flow.call(endpoint, browser).denial?.code == .crossSite)
            }
            #expect(rates.count == 0)
            (browser.fetchMode, browser.fetchDestination, browser.isAhead) = ("navigate", "document", false)
            _ = await flow.call(endpoint, browser)
            #expect(rates.take() == 1)
        }
    }

    /// Counts the calls of all addresses.
    private final class CountedCalls: CallRating {
        private let calls = Mutex(0)

        var count: Int { calls.withLock { $0 } }

        func take() -> Int {
            calls.withLock { calls in
                defer { calls = 0 }
                return calls
            }
        }

        func allow(network _: PeerNetwork, now _: UInt64) -> Int? {
            calls.withLock { $0 += 1 }
            return nil
        }

        func allow(user _: UserKey, now _: UInt64) -> Int? { nil }
    }

    @Test(arguments: [
        "return_to=//evil.example", "return_to=javascript:alert(1)", "return_to=https://evil.example/",
        "return_to=/.gatehouse/sign-in/google.com", "return_to=/a&return_to=/b", "return_to=%ff", "return_to=",
        "error=%zz", "max_age=29", "max_age=31536001", "max_age=-60", "max_age=+60", "max_age=", "max_age=1e3",
        "max_age=60&max_age=60", "return_to=/\(String(repeating: "a", count: 2_000))",
    ])
    func `O-12 O-32: another target and a malformed address are refused`(query: String) async throws {
        #expect(await open(query).code == "request/malformed")
        #expect(await open(query, session: try await session()).code == "request/malformed")
    }

    @Test func `with max_age a user with an older sign-in signs in again before the target follows`() async throws {
        let query = "max_age=300&return_to=%2Fhome"
        let signedOut = try await content(query)
        #expect(signedOut.address == "/.gatehouse/?max_age=300&return_to=https%3A%2F%2Fapp.example%2Fhome")
        let answer = await flow.finish(try await flow.begin(), as: .ada)
        let (token, caller) = (try #require(answer.token), try flow.rig.caller(answer))
        flow.rig.time.advance(seconds: 300)
        #expect(await open(query, session: token).location == "https://app.example/home")
        flow.rig.time.advance(seconds: 1)
        let old = try await content(query, session: token)
        #expect(old.account != nil && old.needsSignIn && old.target == "https://app.example/home")
        #expect(await open("return_to=%2Fhome", session: token).location == "https://app.example/home")

        let back: JSONObject = ["return_to": "/.gatehouse/?\(query)"]
        let again = try await flow.begin(.startReauthenticate, "google.com", back, by: caller)
        let done = await flow.finish(again, as: .ada, session: token)
        #expect(done.location == "https://app.example/.gatehouse/?\(query)")
        #expect(await open(query, session: done.token ?? token).location == "https://app.example/home")
    }

    @Test func `a signed-in user is shown with the linked providers`() async throws {
        let token = try await session()
        let account = try #require(try await content(session: token).account)
        #expect(account.uid.utf8.count == 32 && account.email == DevelopmentUser.ada.email)
        #expect(account.providers == ["google.com"] && account.reauthenticatesAt == "google.com")
        #expect(account.isDeletable)
    }

    @Test func `the calling session is the first, also among sessions of the same second`() async throws {
        let tokens = [try await session(), try await session(), try await session()]
        for token in tokens {
            let sessions = try #require(try await content(session: token).account).sessions
            #expect(sessions.map(\.isCurrent) == [true, false, false])
        }
    }

    @Test func `a session that has ended, and a disabled user, see the page for signing in`() async throws {
        let token = try await session()
        let uid = try #require(try await content(session: token).account).uid
        try await flow.rig.store.setDisabled(uid, true)
        #expect(try await content(session: token).account == nil)
        #expect(try await content(session: "e30.e30.e30").account == nil)
        #expect(await open("return_to=/home", session: token).location == nil, "no redirect without a valid session")
    }

    @Test func `two session cookies that differ are no session`() async throws {
        var browser = BrowserRequest()
        browser.sessions = [try await session(), try await session()]
        guard case .signInPage(let content) = await flow.call(.page, browser).reply else { throw NoPage(code: "") }
        #expect(content.account == nil)
    }

    @Test func `without the session keys only a request with a session is refused`() async throws {
        let flow = try await FlowRig(keysAreKnown: false) { $0.page = Configuration.Accounts.Page() }
        var browser = BrowserRequest()
        #expect(await flow.call(.page, browser).code == "ok")
        browser.sessions = ["e30.e30.e30"]
        #expect(await flow.call(.page, browser).denial?.code == .storeUnavailable)
    }

    @Test func `without pages the page is no target`() async throws {
        let plain = try await FlowRig()
        await #expect(throws: FlowRig.NotBegun.self) { try await plain.begin(query: "return_to=%2F.gatehouse%2F") }
    }
}
