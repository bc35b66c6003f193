import GatewayConfiguration
import GatewayCore
import HTTPWire
import OperatorConsole
import Revocation
import SecurityRules
import Synchronization
import Testing

@testable import AdminAPI
@testable import GatewayFixtures

/// The sign-in to the console at a provider: the requests of the browser, the lists of addresses, and the sessions.
struct ConsoleSignInTests {
    /// A provider that knows one response, and settings that a reload may replace.
    private final class Provider: ConsoleSignIn {
        private let state = Mutex<Configuration.ConsoleSignIn?>(nil)
        private let visited = Mutex<[ConsoleVisit]>([])
        private let result = Mutex<Result<OperatorIdentity, ConsoleSignInFailure>>(.failure(.init(.expired)))

        var settings: Configuration.ConsoleSignIn? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        var visits: [ConsoleVisit] { visited.withLock { $0 } }

        /// The address whose identity was revoked since its sign-in.
        let revoked = Mutex<String?>(nil)

        func isRevoked(_ identity: OperatorIdentity) -> Bool { revoked.withLock { $0 == identity.address } }

        func respond(_ result: Result<OperatorIdentity, ConsoleSignInFailure>) { self.result.withLock { $0 = result } }

        func start(_ visit: ConsoleVisit) async throws(ConsoleSignInFailure) -> (url: String, binding: String) {
            visited.withLock { $0.append(visit) }
            return ("https://provider.example/authorize?state=s", "b1nding")
        }

        func finish(_ visit: ConsoleVisit) async throws(ConsoleSignInFailure) -> OperatorIdentity {
            visited.withLock { $0.append(visit) }
            return try result.withLock { $0 }.get()
        }
    }

    private let backend = FakeBackend()
    private let provider = Provider()
    private let now = ManualTime()
    private let api: AdminAPI

    /// Monotonic nanoseconds.
    private final class ManualTime: Sendable {
        private let value = Mutex<UInt64>(60_000_000_000)
        var current: UInt64 { value.withLock { $0 } }
        func advance(minutes: UInt64) { value.withLock { $0 += minutes * 60_000_000_000 } }
    }

    init() {
        var signIn = Configuration.ConsoleSignIn(provider: "google.com", publicURL: "https://ops.example/gate")
        (signIn.operators, signIn.viewers) = (["ada@example.com"], ["grace@example.com"])
        provider.settings = signIn
        var settings = Configuration.Admin()
        (settings.token, settings.console, settings.signIn) = (Secret("s3cret"), true, signIn)
        let clock = GatewayClock(now: { 0 }, monotonic: { [now] in now.current })
        api = AdminAPI(settings, backend: backend, signIn: provider, clock: clock)
    }

    private func admit(_ target: String, method: String, _ fields: [(String, String)]) -> AdminAPI.Admission {
        let headers = [(name: "Host", value: "ops.example")] + fields.map { (name: $0.0, value: $0.1) }
        return api.admit(
            AdminRequest(
                method: method, target: target, headers: headers, localAddress: "127.0.0.1",
                peer: PeerAddress(.version4(1), isSecure: false, through: [])))
    }

    private func send(
        _ target: String, method: String = "GET", _ fields: (String, String)...
    ) async -> AdminResponse {
        switch admit(target, method: method, fields) {
        case .response(let response): return response
        case .stream: return .text("a stream")
        case .flow(let perform): return await perform()
        case .call(let call, let caller): return await api.respond(to: call, body: [], by: caller)
        }
    }

    private static func identity(
        _ address: String, provider: String = "google.com", groups: [String] = []
    ) -> OperatorIdentity {
        let token: [(key: String, value: RuleValue)] = [
            ("email", .string(address)), ("groups", .list(groups.map(RuleValue.string))),
        ]
        return OperatorIdentity(
            IdentityLink(provider: provider, subject: "1"), address: address,
            auth: .map(RuleMap([("uid", .string("\(provider):1")), ("token", .map(RuleMap(token)))])), account: nil,
            signedInAt: 60)
    }

    /// Signs an address in. Returns the cookie of the session.
    private func signIn(_ address: String, groups: [String] = []) async throws -> String {
        provider.respond(.success(Self.identity(address, groups: groups)))
        let response = await send("/console/callback?state=s&code=c", ("Sec-Fetch-Site", "cross-site"))
        try #require(response.status == 303, "\(response.text)")
        return String(try #require(response.extra["Set-Cookie"]?.split(separator: ";").first))
    }

    private func csrf(_ cookie: String) async throws -> String {
        let session = await send("/console/session", ("Cookie", cookie))
        return String(try #require(session.text.firstMatch(of: /"csrf_token":"([^"]+)"/)?.1))
    }

    // MARK: - The way to the provider and back

    @Test func `a navigation leads to the provider, bound to the browser`() async throws {
        let response = await send(
            "/console/sign-in", ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"),
            ("Sec-Fetch-Dest", "document"))
        #expect(response.status == 303 && response.body.isEmpty)
        #expect(response.extra["Location"] == "https://provider.example/authorize?state=s")
        #expect(
            response.extra["Set-Cookie"]
                == "__Host-gatehouse-console-flow=b1nding; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=900")
        let page = await send("/console/")
        #expect(page.text.contains("data-provider=\"google.com\""))
        #expect(page.extra["Content-Security-Policy"]?.contains("form-action 'none'") == true)
    }

    @Test func `a sign-in ends the browser's previous session when it begins`() async throws {
        let cookie = try await signIn("ada@example.com")
        #expect(await send("/console/session", ("Cookie", cookie)).status == 200)
        #expect(await send("/console/sign-in", ("Cookie", cookie), ("Sec-Fetch-Site", "cross-site")).status == 403)
        #expect(await send("/console/session", ("Cookie", cookie)).status == 200)
        #expect(await send("/console/sign-in", ("Cookie", cookie)).status == 303)
        #expect(await send("/console/session", ("Cookie", cookie)).status == 401)
    }

    @Test(arguments: [
        ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "https://evil.example"),
        ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "iframe"), ("Sec-Purpose", "prefetch"),
    ])
    func `O-01: another site starts no sign-in`(field: (String, String)) async {
        let response = await send("/console/sign-in", field)
        #expect(response.status == 403 && response.extra["Set-Cookie"] == nil && provider.visits.isEmpty)
    }

    @Test(arguments: [("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "image"), ("Sec-Purpose", "prefetch")])
    func `a callback is a navigation`(field: (String, String)) async {
        let response = await send("/console/callback?state=s&code=c", field)
        #expect(response.status == 403 && provider.visits.isEmpty)
        #expect(await send("/console/callback?state=s", method: "HEAD").extra["Allow"] == "GET")
        #expect(await send("/console/callback", method: "POST").status == 405)
        #expect(await send("/console/sign-in", method: "POST").status == 405)
    }

    @Test func `a callback passes the query and the bindings of this console only`() async throws {
        let cookies = "__Host-gatehouse-console-flow=one; __Host-gatehouse-flow=two; gatehouse-console-9901-flow=three"
        _ = await send("/console/callback?state=s&code=c%20d?e", ("Cookie", cookies))
        let visit = try #require(provider.visits.first)
        #expect(String(decoding: visit.query, as: UTF8.self) == "state=s&code=c%20d?e" && visit.bindings == ["one"])
        #expect(visit.network == .version4(UInt32(1).bigEndian))
    }

    @Test func `a sign-in leads to the page and nowhere else`() async throws {
        provider.respond(.success(Self.identity("ada@example.com")))
        let response = await send("/console/callback?state=s&code=c&return_to=https://evil.example&iss=//evil.example")
        #expect(response.status == 303 && response.extra["Location"] == "./")
        let cookie = try #require(response.extra["Set-Cookie"])
        #expect(cookie.contains(/^__Host-gatehouse-console=[^;]{32}; Path=\/; HttpOnly; SameSite=Strict; Secure$/))
    }

    // MARK: - The lists

    @Test func `the lists decide the role`() async throws {
        let ada = try await signIn("ada@example.com")
        let session = await send("/console/session", ("Cookie", ada))
        #expect(session.text.contains(#""role":"operator","name":null,"#))
        #expect(session.text.contains(#""email":"ada@example.com"}"#))
        let grace = try await signIn("grace@example.com")
        #expect(await send("/console/session", ("Cookie", grace)).text.contains(#""role":"viewer""#))
        for (cookie, status) in [(ada, 200), (grace, 403)] {
            let token = try await csrf(cookie)
            let response = await send(
                "/console/api/v1/users/ann/disable", method: "POST", ("Cookie", cookie),
                ("Origin", "https://ops.example"), ("X-CSRF-Token", token))
            #expect(response.status == status)
        }
    }

    @Test(arguments: [
        ("google.com", "eve@example.com"), ("google.com", "ada@example.com.evil.example"),
        ("google.com", "xada@example.com"), ("oidc.corp", "ada@example.com"),
    ])
    func `O-22: an address that is not listed is refused, with an audit line`(id: String, address: String) async {
        provider.respond(.success(Self.identity(address, provider: id)))
        let response = await send("/console/callback?state=s&code=c")
        #expect(response.status == 403 && response.extra["Set-Cookie"] == nil)
        #expect(response.text.contains("\(address) may not use this console."))
        #expect(response.extra["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        let action = backend.actions.first
        #expect(action?.event == "sign_in" && action?.status == 403 && action?.provider == "google.com")
        #expect(action?.caller.email == address && action?.caller.role == nil && action?.caller.address == "0.0.0.1")
    }

    @Test func `a reload that removes or moves an address takes effect with the next request`() async throws {
        let (ada, grace) = (try await signIn("ada@example.com"), try await signIn("grace@example.com"))
        provider.settings?.operators = ["grace@example.com"]
        #expect(await send("/console/api/v1/keys", ("Cookie", ada)).status == 401)
        #expect(await send("/console/session", ("Cookie", grace)).text.contains(#""role":"operator""#))
        provider.settings?.operators = ["ada@example.com"]
        #expect(await send("/console/api/v1/keys", ("Cookie", ada)).status == 401, "it does not come back")
        #expect(await send("/console/session", ("Cookie", grace)).text.contains(#""role":"viewer""#))
        provider.settings?.provider = "oidc.corp"
        #expect(await send("/console/session", ("Cookie", grace)).status == 401)
    }

    @Test func `without a sign-in in the configuration, its paths do not exist and its sessions end`() async throws {
        let ada = try await signIn("ada@example.com")
        provider.settings = nil
        #expect(await send("/console/api/v1/keys", ("Cookie", ada)).status == 401)
        for target in ["/console/sign-in", "/console/callback?state=s&code=c"] {
            #expect(await send(target).status == 404)
        }
    }

    @Test func `a session ends after its lifetime`() async throws {
        let cookie = try await signIn("ada@example.com")
        now.advance(minutes: 31)
        #expect(await send("/console/session", ("Cookie", cookie)).status == 401)
    }

    @Test func `a revoked operator is signed out, and the open stream ends`() async throws {
        let (ada, grace) = (try await signIn("ada@example.com"), try await signIn("grace@example.com"))
        let admission = admit("/console/api/v1/decisions", method: "GET", [("Cookie", ada)])
        guard case .stream(let viewer) = admission else { throw FailedAdmission() }
        viewer.checkPermission()
        #expect(!viewer.take(at: 0).isLast)
        provider.revoked.withLock { $0 = "ada@example.com" }
        viewer.checkPermission()
        #expect(viewer.take(at: 1).isLast)
        #expect(await send("/console/api/v1/keys", ("Cookie", ada)).status == 401)
        #expect(await send("/console/session", ("Cookie", grace)).status == 200)
        provider.revoked.withLock { $0 = nil }
        #expect(await send("/console/session", ("Cookie", ada)).status == 401, "it does not come back")
    }

    // MARK: - Conditions

    private static func condition(_ text: String) throws -> Configuration.UserCondition {
        try Configuration.UserCondition(
            Configuration.RulesExpression(text, location: SourceLocation(origin: "test")))
    }

    @Test func `conditions permit users beside the lists, and a list precedes`() async throws {
        provider.settings?.operatorCondition = try Self.condition("'ops' in token.groups")
        provider.settings?.viewerCondition = try Self.condition("token.email.matches('.*@example[.]com')")
        for (address, groups, role) in [
            ("alan@example.com", ["ops"], "operator"), ("alan@example.com", [], "viewer"),
            ("grace@example.com", ["ops"], "operator"), ("ada@example.com", [], "operator"),
        ] {
            let cookie = try await signIn(address, groups: groups)
            #expect(await send("/console/session", ("Cookie", cookie)).text.contains("\"role\":\"\(role)\""))
        }
    }

    @Test(arguments: [
        "token.missing == 'x'", "token.groups[7] == 'x'", "token.email", "token.email.matches(token.email) && false",
        "token.email_verified",
    ])
    func `a condition that fails, or is not true, permits no user`(text: String) async throws {
        provider.settings?.operatorCondition = try Self.condition(text)
        provider.respond(.success(Self.identity("eve@example.com")))
        #expect(await send("/console/callback?state=s&code=c").status == 403)
    }

    @Test func `a condition is evaluated again with each request`() async throws {
        provider.settings?.operatorCondition = try Self.condition("'ops' in token.groups")
        let alan = try await signIn("alan@example.com", groups: ["ops"])
        #expect(await send("/console/session", ("Cookie", alan)).status == 200)
        provider.settings?.operatorCondition = try Self.condition("'admins' in token.groups")
        #expect(await send("/console/session", ("Cookie", alan)).status == 401)
    }

    // MARK: - Failures

    @Test(arguments: [
        (SignInMessage.expired, 400, false), (.cancelled, 400, true), (.rejected, 400, true), (.unverified, 403, true),
        (.unavailable, 503, true),
    ])
    func `a failure is a page, and an audit line if there was a flow`(
        message: SignInMessage, status: Int, isRecorded: Bool
    ) async {
        provider.respond(.failure(ConsoleSignInFailure(message)))
        let response = await send("/console/callback?state=s&code=c")
        #expect(response.status == status && response.contentType == "text/html; charset=utf-8")
        #expect(backend.actions.map(\.status) == (isRecorded ? [status] : []))
        #expect(backend.actions.allSatisfy { $0.caller.email == nil && $0.caller.role == nil })
    }

    @Test func `failed responses delay the network, and no sign-in with a token`() async throws {
        let binding = ("Cookie", "__Host-gatehouse-console-flow=b1nding")
        for _ in 0..<SignInLimits.perMinute {
            let failed = await send("/console/callback?state=s&code=c", binding)
            #expect(failed.status == 400)
        }
        let limited = await send("/console/callback?state=s&code=c", binding)
        #expect(limited.status == 429 && limited.extra["Retry-After"] == "6")
        #expect(provider.visits.count == SignInLimits.perMinute)
        let token = await send("/console/session", method: "POST", ("Origin", "https://ops.example"))
        #expect(token.status == 400, "a body is missing; the request is not limited")
        now.advance(minutes: 1)
        _ = try await signIn("ada@example.com")
    }

    @Test func `identities without permission delay the network, and each has an audit line`() async throws {
        let binding = ("Cookie", "__Host-gatehouse-console-flow=b1nding")
        provider.respond(.failure(ConsoleSignInFailure(.notListed(address: "eve@example.com"))))
        for _ in 0..<SignInLimits.perMinute {
            #expect(await send("/console/callback?state=s&code=c", binding).status == 403)
        }
        #expect(backend.actions.count == SignInLimits.perMinute)
        #expect(backend.actions.allSatisfy { $0.status == 403 && $0.caller.email == "eve@example.com" })
        #expect(await send("/console/callback?state=s&code=c", binding).status == 429)
    }

    @Test func `too many sign-ins as viewer are delayed`() async throws {
        for _ in 0..<SignInLimits.perMinute { _ = try await signIn("grace@example.com") }
        let limited = await send("/console/callback?state=s&code=c")
        #expect(limited.status == 429 && limited.extra["Retry-After"] == "6" && limited.extra["Set-Cookie"] == nil)
        _ = try await signIn("ada@example.com")
        now.advance(minutes: 1)
        _ = try await signIn("grace@example.com")
    }

    @Test func `navigations by other sites' pages, without a flow of the browser, delay no sign-in`() async throws {
        for _ in 0...SignInLimits.perMinute {
            let page = await send("/console/callback?state=s&code=c", ("Sec-Fetch-Site", "cross-site"))
            #expect(page.status == 400)
        }
        let binding = ("Cookie", "__Host-gatehouse-console-flow=b1nding")
        let response = await send("/console/callback?state=s&code=c", binding)
        #expect(response.status == 400, "the response is not limited")
    }

    @Test func `the audit log names the address with each change`() async throws {
        let cookie = try await signIn("ada@example.com")
        let token = try await csrf(cookie)
        _ = await send(
            "/console/api/v1/users/ann/revoke", method: "POST", ("Cookie", cookie), ("Origin", "https://ops.example"),
            ("X-CSRF-Token", token))
        let actions = backend.actions
        #expect(actions.map(\.event) == ["sign_in", "revoke"] && actions.map(\.status) == [303, 200])
        #expect(actions.allSatisfy { $0.caller.email == "ada@example.com" && $0.caller.name == nil })
        #expect(actions.allSatisfy { $0.caller.role == .operator && $0.caller.isConsole })
        #expect(Set(actions.map(\.caller.session)).count == 1)
    }
}

private struct FailedAdmission: Error {}

extension AdminResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
