import GatewayConfiguration
import GatewayCore
import HTTPWire
import OperatorConsole
import Revocation
import Synchronization
import Testing

@testable import AdminAPI
@testable import GatewayFixtures
@testable import StoreFixtures

/// The rules of the access to the console, with given times.
struct ConsoleAccessTests {
    private static let origin = "http://127.0.0.1:9901"
    private static let minute: UInt64 = 60_000_000_000

    private final class Time: Sendable {
        let now = Mutex<UInt64>(ConsoleAccessTests.minute)
        func advance(minutes: UInt64) { now.withLock { $0 += minutes * ConsoleAccessTests.minute } }
    }

    private let backend = FakeBackend()
    private let time = Time()
    private let api: AdminAPI
    private let proxied: AdminAPI

    init() {
        var settings = Configuration.Admin()
        (settings.token, settings.viewerToken, settings.console) = (Secret("s3cret"), Secret("l00k"), true)
        let clock = GatewayClock(now: { 0 }, monotonic: { [time] in time.now.withLock { $0 } })
        api = AdminAPI(settings, backend: backend, clock: clock)
        settings.publicURL = "https://ops.example"
        proxied = AdminAPI(settings, backend: backend, clock: clock)
    }

    /// A browser with the cookie and the CSRF token of its last sign-in.
    private struct Client {
        var cookie = ""
        var csrf = ""
    }

    private func send(
        _ method: String, _ target: String, _ client: Client = Client(), body: String = "",
        host: String = "127.0.0.1:9901", to api: AdminAPI? = nil, network: UInt32 = 1,
        change: (inout [(name: String, value: String)]) -> Void = { _ in }
    ) async -> AdminResponse {
        let api = api ?? self.api
        var headers = [(name: "Host", value: host)]
        if !["GET", "HEAD"].contains(method) { headers.append(("Origin", Self.origin)) }
        if !client.cookie.isEmpty { headers.append(("Cookie", client.cookie)) }
        if !client.csrf.isEmpty { headers.append(("X-CSRF-Token", client.csrf)) }
        change(&headers)
        let request = AdminRequest(
            method: method, target: target, headers: headers, body: Array(body.utf8), localAddress: "127.0.0.1",
            peer: PeerAddress(.version4(network), isSecure: false, through: []))
        switch api.admit(request) {
        case .response(let response): return response
        case .stream: return .text("a stream")
        case .flow(let perform): return await perform()
        case .call(let call, let caller): return await api.respond(to: call, body: Array(body.utf8), by: caller)
        }
    }

    private func signIn(_ token: String = "s3cret", to api: AdminAPI? = nil) async throws -> Client {
        let response = await send(
            "POST", "/console/session", body: #"{"token":"\#(token)","name":"Ada"}"#, to: api
        ) { headers in
            if api != nil { headers.removeAll { $0.name == "Origin" } }
            if api != nil { headers.append(("Origin", "https://ops.example")) }
        }
        try #require(response.status == 200, "\(response.text)")
        let cookie = try #require(response.extra["Set-Cookie"]?.split(separator: ";").first)
        let csrf = try #require(response.text.firstMatch(of: /"csrf_token":"([^"]+)"/)?.1)
        return Client(cookie: String(cookie), csrf: String(csrf))
    }

    // MARK: - Files

    @Test func `the console does not exist unless it is configured`() async {
        var settings = Configuration.Admin()
        settings.token = Secret("s3cret")
        let api = AdminAPI(settings, backend: backend, clock: .system)
        for path in ["/console", "/console/", "/console/assets/console.js", "/console/session"] {
            #expect(await send("GET", path, to: api).status == 401)
        }
        settings.console = true
        settings.token = nil
        let tokenless = AdminAPI(settings, backend: backend, clock: .system)
        #expect(await send("GET", "/console/", to: tokenless).status == 404)
    }

    @Test func `the page and its files need no session, and have a policy`() async {
        let page = await send("GET", "/console/")
        #expect(page.status == 200 && page.contentType == "text/html; charset=utf-8")
        #expect(page.extra["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        for file in ConsoleFile.allCases {
            let response = await send("GET", "/console/assets/\(file.rawValue)")
            #expect(response.status == 200 && response.contentType == file.contentType)
            #expect(response.extra["Content-Security-Policy"]?.contains("sandbox") == true)
        }
        // A link of another site leads to the page, which has no data.
        #expect(await send("GET", "/console/") { $0.append(("Sec-Fetch-Site", "cross-site")) }.status == 200)
        let home = await send("GET", "/console")
        #expect(home.status == 308 && home.extra["Location"] == "console/")
        for path in ["/console/assets/", "/console/assets/../session", "/console/x", "/console//", "/Console/"] {
            #expect(await [401, 404].contains(send("GET", path).status), "\(path)")
        }
        #expect(await send("POST", "/console/").extra["Allow"] == "GET, HEAD")
        #expect(await send("GET", "/console/", host: "evil.example").status == 421)
    }

    // MARK: - Sign-in

    @Test func `the token is exchanged for a cookie that scripts cannot read`() async throws {
        let response = await send("POST", "/console/session", body: #"{"token":"s3cret"}"#)
        let cookie = try #require(response.extra["Set-Cookie"])
        #expect(cookie.contains(/^gatehouse-console-9901=[^;]{32}; Path=\/console\/; HttpOnly; SameSite=Strict$/))
        #expect(response.text.contains(#"{"role":"operator","name":null,"csrf_token":"#))
        #expect(!response.text.contains("s3cret"))
        let secure = try await signIn(to: proxied)
        #expect(secure.cookie.hasPrefix("__Host-gatehouse-console="))
        let name = await send("POST", "/console/session", body: #"{"token":"l00k"}"#, to: proxied) { headers in
            headers.removeAll { $0.name == "Origin" }
            headers.append(("Origin", "https://ops.example"))
        }
        #expect(name.extra["Set-Cookie"]?.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure") == true)
        #expect(name.text.contains(#""role":"viewer""#))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"token":1}"#, #"{"token":"s3cret","name":""}"#, #"{"token":"s3cret","x":1}"#,
        #"{"token":"s3cret","name":"a\u0000b"}"#, #"{"token":"s3cret","name":"a\u202Eb"}"#,
        #"{"token":"s3cret","name":"\#(String(repeating: "a", count: 65))"}"#,
    ])
    func `a malformed sign-in is rejected`(body: String) async {
        let response = await send("POST", "/console/session", body: body)
        #expect(response.status == 400 && response.extra["Set-Cookie"] == nil)
    }

    @Test func `a wrong token begins no session, and too many of them delay the network`() async throws {
        for _ in 0..<SignInLimits.perMinute {
            let response = await send("POST", "/console/session", body: #"{"token":"guess"}"#)
            #expect(response.status == 401 && response.extra["Set-Cookie"] == nil)
        }
        let limited = await send("POST", "/console/session", body: #"{"token":"s3cret"}"#)
        #expect(limited.status == 429 && limited.extra["Retry-After"] == "6")
        #expect(await send("POST", "/console/session", body: #"{"token":"s3cret"}"#, network: 2).status == 200)
        time.advance(minutes: 1)
        _ = try await signIn()
    }

    @Test func `too many sign-ins as viewer delay viewers of the network, and no operator`() async throws {
        let viewer = #"{"token":"l00k"}"#
        for _ in 0..<SignInLimits.perMinute {
            #expect(await send("POST", "/console/session", body: viewer).status == 200)
        }
        let limited = await send("POST", "/console/session", body: viewer)
        #expect(limited.status == 429 && limited.extra["Retry-After"] == "6" && limited.extra["Set-Cookie"] == nil)
        #expect(await send("POST", "/console/session", body: viewer, network: 2).status == 200)
        #expect(await send("POST", "/console/session", body: #"{"token":"s3cret"}"#).status == 200)
        time.advance(minutes: 1)
        #expect(await send("POST", "/console/session", body: viewer).status == 200)
    }

    // MARK: - Sessions

    @Test func `a call needs a session, which ends with the sign-out`() async throws {
        let client = try await signIn()
        #expect(await send("GET", "/console/api/v1/keys").status == 401)
        #expect(await send("GET", "/console/api/v1/keys", client).status == 200)
        #expect(await send("HEAD", "/console/session", client).status == 200)
        let ended = await send("DELETE", "/console/session", client)
        #expect(ended.extra["Set-Cookie"]?.hasPrefix("gatehouse-console-9901=; ") == true)
        #expect(ended.extra["Set-Cookie"]?.hasSuffix("; Max-Age=0") == true)
        for target in ["/console/api/v1/keys", "/console/session"] {
            #expect(await send("GET", target, client).status == 401)
        }
    }

    @Test func `a session ends without activity, and in any case after eight hours`() async throws {
        let idle = try await signIn()
        time.advance(minutes: 31)
        #expect(await send("GET", "/console/api/v1/keys", idle).status == 401)
        let watching = try await signIn()
        for _ in 0..<2 {
            time.advance(minutes: 20)
            _ = await send("GET", "/console/api/v1/keys", watching) { $0.append(("X-Console-Background", "1")) }
        }
        #expect(await send("GET", "/console/api/v1/keys", watching).status == 401)
        let active = try await signIn()
        for _ in 0..<24 {
            #expect(await send("GET", "/console/api/v1/keys", active).status == 200)
            time.advance(minutes: 20)
        }
        #expect(await send("GET", "/console/api/v1/keys", active).status == 200)
        time.advance(minutes: 1)
        #expect(await send("GET", "/console/api/v1/keys", active).status == 401)
    }

    @Test func `a new sign-in ends the browser's previous session`() async throws {
        let old = try await signIn()
        let response = await send("POST", "/console/session", old, body: #"{"token":"l00k"}"#)
        #expect(response.status == 200)
        #expect(await send("GET", "/console/session", old).status == 401)
    }

    @Test func `two cookies, the token as a cookie, and a bearer token are no session`() async throws {
        let client = try await signIn()
        let other = try await signIn()
        for cookie in [
            "\(client.cookie); \(other.cookie)", "gatehouse-console-9901=s3cret", "gatehouse-console-9901",
            client.cookie.replacing("9901", with: "9902"), client.cookie.replacing("=", with: "=\""),
        ] {
            #expect(await send("GET", "/console/session", Client(cookie: cookie)).status == 401, "\(cookie)")
        }
        #expect(await send("GET", "/console/session", Client(cookie: "a=b; \(client.cookie)")).status == 200)
        let bearer = await send("GET", "/console/api/v1/keys") { $0.append(("Authorization", "Bearer s3cret")) }
        #expect(bearer.status == 401)
        // The session is no credential outside the console.
        #expect(await send("GET", "/v1/keys", client).status == 401)
    }

    // MARK: - Changes

    @Test func `a change needs the CSRF token of its own session`() async throws {
        let (client, other) = (try await signIn(), try await signIn())
        let target = "/console/api/v1/users/ann/disable"
        for csrf in ["", "x", other.csrf, client.csrf + "x"] {
            let response = await send("POST", target, Client(cookie: client.cookie, csrf: csrf))
            #expect(response.status == 403 && response.text.contains("request/cross-site"), "\(csrf)")
            #expect(await send("DELETE", "/console/session", Client(cookie: client.cookie, csrf: csrf)).status == 403)
        }
        let twice = await send("POST", target, client) { $0.append(("X-CSRF-Token", client.csrf)) }
        #expect(twice.status == 403)
        #expect(await backend.calls.isEmpty)
        #expect(await send("POST", target, client).status == 200)
    }

    @Test func `O-38: a stream ends with its session`() async throws {
        let client = try await signIn()
        let headers = [(name: "Host", value: "127.0.0.1:9901"), (name: "Cookie", value: client.cookie)]
        let request = AdminRequest(
            method: "GET", target: "/console/api/v1/decisions", headers: headers, localAddress: "127.0.0.1",
            peer: PeerAddress(.version4(1), isSecure: false, through: []))
        guard case .stream(let viewer) = api.admit(request) else {
            Issue.record("no stream")
            return
        }
        viewer.checkPermission()
        #expect(!viewer.take(at: 0).isLast)
        #expect(await send("DELETE", "/console/session", client).status == 200)
        viewer.checkPermission()
        #expect(viewer.take(at: 0).isLast)
    }

    @Test func `O-38: a link opens no unmasked stream, which needs the CSRF token`() async throws {
        var client = try await signIn()
        let target = "/console/api/v1/decisions?unmask=true"
        #expect(await send("GET", target, client).text == "a stream")
        client.csrf = ""
        let lines = backend.actions.count
        let link = await send("GET", target, client) { $0.append(("Sec-Fetch-Site", "none")) }
        #expect(link.status == 403 && link.extra["Set-Cookie"] == nil)
        #expect(backend.actions.count == lines)
        #expect(await send("GET", "/console/api/v1/decisions", client).text == "a stream")
    }

    @Test(
        arguments: [
            [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://127.0.0.1:9902")],
            [("Origin", origin), ("Origin", origin)], [], [("Origin", origin), ("Sec-Fetch-Site", "same-site")],
            [("Origin", origin), ("Sec-Fetch-Site", "cross-site")], [("Origin", origin), ("Sec-Fetch-Site", "none")],
        ] as [[(String, String)]])
    func `a change must come from a page of the console`(fields: [(String, String)]) async throws {
        let client = try await signIn()
        for target in ["/console/api/v1/users/ann/disable", "/console/session"] {
            let response = await send("POST", target, client, body: #"{"token":"s3cret"}"#) { headers in
                headers.removeAll { $0.name == "Origin" }
                headers += fields.map { (name: $0.0, value: $0.1) }
            }
            #expect(response.status == 403 && response.extra["Set-Cookie"] == nil, "\(target)")
        }
        #expect(await backend.calls.isEmpty)
    }

    @Test func `data is not read by pages of other sites`() async throws {
        let client = try await signIn()
        for field in [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")] {
            for target in ["/console/api/v1/keys", "/console/session"] {
                #expect(await send("GET", target, client) { $0.append(field) }.status == 403)
            }
        }
        let own = await send("GET", "/console/session", client) { $0.append(("Sec-Fetch-Site", "same-origin")) }
        #expect(own.status == 200)
    }

    @Test func `behind a proxy, the origin is the configured one, and its host is accepted`() async throws {
        let client = try await signIn(to: proxied)
        let target = "/console/api/v1/users/ann/disable"
        #expect(await send("POST", target, client, host: "127.0.0.1:9901", to: proxied).status == 403)
        for host in ["127.0.0.1:9901", "ops.example"] {
            let response = await send("POST", target, client, host: host, to: proxied) { headers in
                headers.removeAll { $0.name == "Origin" }
                headers.append(("Origin", "https://ops.example"))
            }
            #expect(response.status == 200)
        }
        #expect(await send("GET", "/livez", host: "evil.example", to: proxied).status == 421)
    }

    @Test func `a viewer's session changes nothing`() async throws {
        let viewer = try await signIn("l00k")
        for path in AdminPath.allCases {
            let call = try #require(AdminCall(target: path.rawValue))
            let query = path == .findAccount ? "?email=a" : ""
            let response = await send(call.methods[0], "/console/api\(path.rawValue)\(query)", viewer)
            #expect(response.status == (call.methods[0] == "GET" ? 200 : 403), "\(path)")
        }
        #expect(Set(backend.actions.map(\.event)) == ["sign_in", "find_account", "show_account"])
    }

    @Test func `O-38: a link lists no accounts, which needs the CSRF token`() async throws {
        var client = try await signIn()
        let target = "/console/api/v1/accounts"
        #expect(await send("GET", target, client).status == 200)
        client.csrf = ""
        #expect(await send("GET", target, client).status == 403)
        #expect(backend.actions.map(\.event) == ["sign_in", "list_accounts"])
    }

    @Test func `a call of the console is the call of the admin API`() async throws {
        let client = try await signIn()
        for (method, target) in [
            ("GET", "/v1/users/a%2Fb"), ("GET", "/v1/nothing"), ("POST", "/v1/keys"), ("GET", "/v1/users/ann/revoke"),
            ("GET", "/v1/status"), ("POST", "/v1/users/ann/revoke"), ("GET", "/v1//keys"), ("GET", "/console/"),
        ] {
            let ours = await send(method, "/console/api\(target)", client)
            let theirs = await send(method, target) { headers in
                headers.removeAll { $0.name == "Origin" }
                headers.append(("Authorization", "Bearer s3cret"))
            }
            if target == "/console/" { #expect(ours.status == 404) } else { #expect(ours == theirs, "\(target)") }
        }
    }

    @Test func `the audit log has the operator, the session, the address and the result`() async throws {
        let client = try await signIn()
        _ = await send("POST", "/console/api/v1/users/ann/revoke", client, body: #"{"at":1}"#)
        _ = await send("GET", "/console/api/v1/users/ann", client)
        _ = await send("DELETE", "/console/session", client)
        _ = await send("POST", "/console/session", body: #"{"token":"guess","name":"Eve"}"#)
        let actions = backend.actions
        #expect(actions.map(\.event) == ["sign_in", "revoke", "sign_out", "sign_in"])
        #expect(actions.map(\.status) == [200, 200, 200, 401])
        #expect(actions.map(\.caller.name) == ["Ada", "Ada", "Ada", "Eve"])
        #expect(actions.allSatisfy { $0.caller.isConsole && $0.caller.address == "0.0.0.1" })
        #expect(actions.map(\.caller.role) == [.operator, .operator, .operator, nil])
        #expect(Set(actions.prefix(3).map(\.caller.session)).count == 1)
        #expect(actions[1].user == UserKey("ann") && actions[3].caller.session == nil)
        #expect(actions.allSatisfy { !client.cookie.contains($0.caller.session ?? "=") || $0.caller.session == nil })
    }
}

extension AdminResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
