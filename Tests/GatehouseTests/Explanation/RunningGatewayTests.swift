import DevelopmentIdentity
import Logging
import Testing

@testable import Gatehouse

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
        ]
    }()

    @Test func anAccountEndsAsTheGatewayAnswers() async throws {
        let provider = try await DevelopmentProvider.start()
        let echo = try await EchoUpstream.start()
        let configuration = try Self.configuration(provider, echo)
        let gateway = try await Gateway.start(
            configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let address = try #require(gateway.listenAddresses.first)
        try await gateway.store.revoke("grace", at: gateway.clock.now() + 60)
        try await gateway.store.setDisabled("alan", true)
        let explainer = try Explainer(
            configuration, keys: .live(clock: .system), records: Self.records(of: gateway), clock: .system)
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

    private static func configuration(_ provider: DevelopmentProvider, _ echo: EchoUpstream) throws -> Configuration {
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
              keys: { unknown_key_cooldown: 100ms }
            upstreams: { echo: { servers: ["\(echo.url)"] } }
            routes:
              - { path: /public/**, auth: none, upstream: echo }
              - { path: /any, auth: optional, upstream: echo }
              - { path: /users, upstream: echo }
              - { path: /recent, methods: [GET], recent_sign_in: 5m, upstream: echo }
              - { path: /apple, providers: [apple.com], upstream: echo }
              - { path: /strong, second_factor: required, upstream: echo }
            """
        return try Configuration.load(bytes: Array(text.utf8), file: "test.yaml", environment: [:])
    }

    private static func records(of gateway: Gateway) -> RecordSource {
        RecordSource { uid, session in
            do {
                return .recorded(try await gateway.store.user(uid), try await gateway.store.session(uid, session))
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
