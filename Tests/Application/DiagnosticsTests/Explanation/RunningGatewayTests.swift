import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import Logging
import Revocation
import Testing

@testable import Diagnostics
@testable import Gatehouse
@testable import StoreFixtures

/// An account must never say anything else than the gateway does: each request is explained, then sent.
@Suite struct RunningGatewayTests {
    struct Sample: Sendable {
        let method: String
        let path: String
        var token: @Sendable (DevelopmentProvider) throws -> String? = { _ in nil }
        var cookie: @Sendable (DevelopmentProvider) throws -> String? = { _ in nil }
        var fields: [(name: String, value: String)] = []
    }

    static let samples: [Sample] = {
        let ada: @Sendable (DevelopmentProvider) throws -> String? = { try $0.sign($0.idToken()) }
        let session: @Sendable (DevelopmentProvider) throws -> String? = { try $0.sign($0.sessionCookie()) }
        let old: @Sendable (DevelopmentProvider) throws -> String? = {
            try $0.sign($0.idToken().signedIn(at: 1_000_000))
        }
        return [
            Sample(method: "GET", path: "/public/x"), Sample(method: "GET", path: "/public/x", token: { _ in "x" }),
            Sample(method: "GET", path: "/any"), Sample(method: "GET", path: "/any", token: { _ in "a.b.c" }),
            Sample(method: "GET", path: "/users"), Sample(method: "GET", path: "/users", token: ada),
            Sample(method: "GET", path: "/users", cookie: session), Sample(method: "GET", path: "/users", cookie: ada),
            Sample(method: "GET", path: "/users", token: session),
            Sample(method: "GET", path: "/users", token: ada, cookie: session),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken().expiring(at: 5)) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken().settingHeader("kid", to: "x")) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(for: .edsger)) }),
            Sample(method: "GET", path: "/users", token: { Tampering.payload.applied(to: try $0.sign($0.idToken())) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(for: .grace)) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(for: .alan)) }),
            Sample(method: "GET", path: "/users", fields: [("Authorization", "Basic eDp5")]),
            Sample(method: "GET", path: "/recent", token: ada), Sample(method: "GET", path: "/recent", token: old),
            Sample(method: "GET", path: "/apple", token: ada), Sample(method: "GET", path: "/strong", token: ada),
            Sample(method: "PUT", path: "/recent", token: ada), Sample(method: "GET", path: "/none", token: ada),
            Sample(method: "GET", path: "/users", token: opaque()),
            Sample(method: "GET", path: "/scoped", token: opaque()),
            Sample(method: "GET", path: "/scoped", token: opaque("write read")),
            Sample(method: "GET", path: "/scoped", token: ada), Sample(method: "GET", path: "/recent", token: opaque()),
            Sample(method: "GET", path: "/users", token: { _ in "unknown" }),
            Sample(method: "GET", path: "/apple", token: { try $0.sign($0.idToken(of: .apple)) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(of: .apple, audience: "other")) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(of: .google)) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(for: .linus)) }),
            Sample(method: "GET", path: "/users", token: { try $0.sign($0.idToken(for: .barbara)) }),
            Sample(method: "GET", path: "/lax", token: { try $0.sign($0.idToken(for: .barbara)) }),
        ]
    }()

    /// A token that the provider knows.
    private static func opaque(_ scope: String = "read") -> @Sendable (DevelopmentProvider) throws -> String? {
        { provider in
            let token = OpaqueToken.introspected(for: .ada, scope: scope, now: provider.now)
            try provider.add(token)
            return token.text
        }
    }

    @Test func anAccountEndsAsTheGatewayAnswers() async throws {
        let provider = try await DevelopmentProvider.start()
        let echo = try await EchoUpstream.start()
        let folder = try TemporaryFolder()
        let serviceAccount = try provider.makeServiceAccount().write(toDirectory: folder.path("account"))
        let configuration = try Self.configuration(provider, echo, serviceAccount: serviceAccount)
        provider.updateAccount("linus") { $0.isDisabled = true }
        provider.deleteAccount("barbara")
        let gateway = try await Gateway.start(
            configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let address = try #require(gateway.listenAddresses.first)
        try await gateway.store.revoke("grace", at: GatewayClock.system.now() + 60)
        try await gateway.store.setDisabled("alan", true)
        let explainer = try Explainer(
            configuration, keys: .live(clock: .system), records: Self.records(of: gateway),
            opaqueTokens: .live(clockSkew: .seconds(5), clock: .system),
            accounts: .live(configuration, clock: .system), clock: .system)
        for sample in Self.samples {
            let request = ExplainedRequest(
                method: sample.method, url: "http://\(address)\(sample.path)", token: try sample.token(provider),
                sessionCookie: try sample.cookie(provider), fields: sample.fields)
            let told = try await explainer.explain(request)
            let answered = try #require(await Self.send(request))
            #expect(told.code.map { "\($0.wire)" } == answered, "\(sample.method) \(sample.path): \(told.failures)")
        }
        await gateway.stop()
        await echo.stop()
        await provider.stop()
    }

    private static func configuration(
        _ provider: DevelopmentProvider, _ echo: EchoUpstream, serviceAccount: String
    ) throws -> Configuration {
        let client = provider.client(for: .introspected)
        let text = """
            listen: [{ address: "127.0.0.1:0" }]
            workers: 1
            drain: { delay: 0s, timeout: 1s }
            admin: { address: null }
            store: "sqlite::memory:"
            log: { access: "off" }
            identity:
              firebase:
                project: \(provider.project)
                keys_url: \(provider.url(.idTokenJWKSet))
                session_keys_url: \(provider.url(.sessionX509))
              providers:
                apple.com:
                  audiences: [\(IdentityProvider.apple.demoAudience)]
                  keys_url: \(provider.url(.keys(.apple)))
                oauth.legacy:
                  introspection_url: \(provider.url(.introspection))
                  client_id: \(client.id)
                  client_secret: \(client.secret)
                  audiences: [gatehouse]
              keys: { unknown_key_cooldown: 100ms }
            revocation:
              source: firebase
              service_account: \(serviceAccount)
              lookup_url: \(provider.url(.accountsLookup))
            upstreams: { echo: { servers: ["\(echo.url)"] } }
            routes:
              - { path: /public/**, auth: none, upstream: echo }
              - { path: /any, auth: optional, upstream: echo }
              - { path: /users, upstream: echo }
              - { path: /recent, methods: [GET], recent_sign_in: 5m, upstream: echo }
              - { path: /apple, providers: [apple.com], upstream: echo }
              - { path: /strong, second_factor: required, upstream: echo }
              - { path: /scoped, scopes: [write], upstream: echo }
              - { path: /lax, on_store_failure: allow, upstream: echo }
            """
        return try Configuration.load(bytes: Array(text.utf8), file: "test.yaml", environment: [:])
    }

    private static func records(of gateway: Gateway) -> RecordSource {
        RecordSource { uid, session in
            do {
                let user = try await gateway.store.user(uid)
                guard let session else { return .recorded(user) }
                return .recorded(user, try await gateway.store.session(uid, session))
            } catch {
                return .unknown("\(error)")
            }
        }
    }

    /// The code that the gateway answers with; `ok` for an answer of the upstream.
    private static func send(_ request: ExplainedRequest) async throws -> String? {
        var fields = request.fields
        if let token = request.token { fields.append(("Authorization", "Bearer \(token)")) }
        if let cookie = request.sessionCookie { fields.append(("Cookie", "__session=\(cookie)")) }
        let response = try await PlainHTTPClient.send(PlainRequest(request.method, request.url, fields: fields))
        if response.status == 200 { return "ok" }
        guard case .object(let problem)? = JSON(parsing: response.body), case .string(let code)? = problem["code"]
        else {
            return nil
        }
        return code
    }
}
