import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import Synchronization
import TextCoding

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import OutboundHTTP

/// The account service with authorization-code flows. A fake transport takes the place of the providers.
struct FlowRig: Sendable {
    static let origin = "https://app.example"
    static let otherOrigin = "https://spa.example"

    let rig: AccountsRig
    let transport = FakeTransport()
    /// The responses of the providers, by URL. The default responses are valid.
    let replies = FlowReplies()

    /// - Parameters:
    ///   - store: A store in place of the one in memory.
    ///   - tokens: The keys that seal kept tokens. `nil` if none are kept.
    init(
        store: (any GatewayStore)? = nil, keysAreKnown: Bool = true, tokens: TokenSealing? = nil,
        settings change: (inout Configuration.Accounts) -> Void = { _ in },
        parts changeParts: (inout AccountParts) -> Void = { _ in }
    ) async throws {
        let (transport, replies) = (transport, replies)
        transport.always { replies.reply(to: $0) }
        rig = try await AccountsRig(
            keysAreKnown: keysAreKnown,
            settings: {
                $0.publicURL = Self.origin
                $0.returnTo = [Self.otherOrigin]
                change(&$0)
            },
            parts: { parts in
                if let store { parts.store = store }
                changeParts(&parts)
                parts.flows = CodeFlows(
                    parts.settings, Self.providers, transport: transport, tokens: tokens, clock: parts.clock)
            })
    }

    /// The key of Apple's client secret.
    static let appleKey = SessionDraft.previousKey

    static var providers: [FlowProvider] {
        AccountsRig.identity.providers.compactMap { provider in
            var provider = provider
            let client = provider.idTokens?.audiences.first ?? "gw"
            let endpoints = Configuration.CodeFlow.Endpoints.urls(
                authorization: "https://\(provider.id).example/authorize", token: "https://\(provider.id).example/token"
            )
            let isApple = provider.kind == .apple
            var flow = Configuration.CodeFlow(
                clientID: client,
                credential: isApple ? .signed(team: "TEAM", keyID: "KEY", file: "k") : .secret(Secret("secret")),
                endpoints: endpoints,
                scopes: provider.kind == .github ? ["read:user", "user:email"] : ["openid", "email"])
            if provider.kind == .oidc {
                flow.endpoints = .discovery(url: "https://corp.example/.well-known", issuer: "https://corp.example")
            }
            flow.userURL = "https://api.github.example/user"
            flow.revokesTokens = true
            flow.revocationURL = provider.kind == .oidc ? nil : "https://\(provider.id).example/revoke"
            flow.parameters = provider.kind == .google ? [.init(name: "access_type", value: "offline")] : []
            guard provider.kind != .facebook, provider.id != "oauth.legacy" else { return nil }
            provider.codeFlow = flow
            return FlowProvider(provider, key: isApple ? appleKey : nil)
        }
    }

    // MARK: - Calls

    /// A flow that has begun: the parameters of the authorization URL, and the browser's binding.
    struct Begun {
        let url: String
        let parameters: [String: String]
        let binding: String
        var state: String { parameters["state"] ?? "" }

        /// The query of the provider's response, with further parameters.
        func response(_ more: String = "") -> String { "state=\(state)&code=code-1\(more)" }
    }

    func call(_ endpoint: AccountEndpoint, _ browser: BrowserRequest, by caller: Principal? = nil) async -> CallAnswer {
        await send(
            AccountCall(
                endpoint: endpoint, body: [], contentType: "", caller: caller, network: .version4(1),
                requestID: "request-1", browser: browser))
    }

    func send(_ call: AccountCall) async -> CallAnswer {
        await withCheckedContinuation { continuation in
            rig.accounts.serve(call) { continuation.resume(returning: CallAnswer(reply: $0)) }
        }
    }

    func begin(
        _ provider: String = "google.com", query: String = "", binding: String? = nil
    ) async throws -> Begun {
        var browser = BrowserRequest()
        browser.provider = provider
        browser.query = Array(query.utf8)
        browser.bindings = binding.map { [$0] } ?? []
        return try Self.begun(await call(.startSignIn, browser))
    }

    /// Starts a link or a reauthentication with JSON.
    func begin(
        _ endpoint: AccountEndpoint, _ provider: String, _ body: JSONObject = [:], by caller: Principal
    ) async throws -> Begun {
        try Self.begun(await answer(endpoint, provider, body, by: caller))
    }

    func answer(
        _ endpoint: AccountEndpoint, _ provider: String, _ body: JSONObject = [:], by caller: Principal?
    ) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.provider = provider
        browser.isPost = true
        return await send(
            AccountCall(
                endpoint: endpoint, body: Array(body.text.utf8), contentType: "application/json", caller: caller,
                network: .version4(1), requestID: "request-1", browser: browser))
    }

    struct NotBegun: Error { let code: String }

    private static func begun(_ answer: CallAnswer) throws -> Begun {
        guard let url = answer.location, let binding = answer.binding, let mark = url.firstIndex(of: "?") else {
            throw NotBegun(code: answer.code)
        }
        return Begun(url: url, parameters: parameters(url[mark...].dropFirst()), binding: binding)
    }

    static func parameters(_ query: some StringProtocol) -> [String: String] {
        query.split(separator: "&").reduce(into: [:]) { fields, field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[String(parts[0])] = FormEncoding.decodedText((parts.count > 1 ? parts[1] : "").utf8)
        }
    }

    /// Sends the provider's response, as a query.
    func callback(
        _ provider: String = "google.com", _ query: String, bindings: [String], session: String? = nil
    ) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.provider = provider
        browser.query = Array(query.utf8)
        browser.bindings = bindings
        browser.sessions = session.map { [$0] } ?? []
        return await call(.callback, browser)
    }

    /// Completes a flow at a provider as a user.
    func finish(
        _ begun: Begun, _ provider: String = "google.com", as user: DevelopmentUser = .ada, session: String? = nil,
        more: String = "", _ change: @escaping @Sendable (ProviderToken) -> ProviderToken = { $0 }
    ) async -> CallAnswer {
        prepare(begun, provider, user, change)
        return await callback(
            provider, "state=\(begun.state)&code=code-1\(more)", bindings: [begun.binding], session: session)
    }

    /// Sets the responses of a provider for a flow of a user.
    func prepare(
        _ begun: Begun, _ provider: String, _ user: DevelopmentUser,
        _ change: @escaping @Sendable (ProviderToken) -> ProviderToken = { $0 }
    ) {
        guard let identity = IdentityProvider(id: provider) else { return prepareGitHub(user) }
        let token = change(
            ProviderToken.idToken(of: identity, for: user, nonce: begun.parameters["nonce"], now: rig.now))
        let text = (try? token.signed(by: TokenDraft.key)) ?? ""
        replies.set("/token", 200, #"{"access_token":"at","token_type":"Bearer","id_token":"\#(text)"}"#)
    }

    private func prepareGitHub(_ user: DevelopmentUser) {
        replies.set("/token", 200, #"{"access_token":"gho_1","scope":"read:user,user:email","token_type":"bearer"}"#)
        let subject = Int64(user.subject(at: "github.com")) ?? 0
        replies.set("/user", 200, #"{"id":\#(subject),"login":"\#(user.uid)","name":null,"email":"public@x.example"}"#)
        replies.set("/user/emails", 200, Self.emails(user.email ?? "", verified: user.isEmailVerified))
    }

    /// GitHub's list of addresses: a verified one that is not primary, then the primary one.
    static func emails(_ primary: String, verified: Bool) -> String {
        #"[{"email":"second@x.example","primary":false,"verified":true},"#
            + #"{"email":"\#(primary)","primary":true,"verified":\#(verified)}]"#
    }
}

/// The responses of providers by the ends of URLs.
final class FlowReplies: Sendable {
    private let known = Mutex<[String: FakeTransport.Reply]>([:])

    func set(_ suffix: String, _ status: Int, _ body: String) {
        set(suffix, .success(OutboundResponse(status: status, body: Array(body.utf8))))
    }

    func set(_ suffix: String, _ reply: FakeTransport.Reply) { known.withLock { $0[suffix] = reply } }

    func reply(to request: OutboundRequest) -> FakeTransport.Reply {
        known.withLock { replies in
            replies.first { request.url.hasSuffix($0.key) }?.value
                ?? .success(OutboundResponse(status: 404, body: []))
        }
    }

    /// The response to URLs with this end.
    func reply(ending suffix: String) -> FakeTransport.Reply? {
        reply(to: OutboundRequest(method: .get, url: "https://x\(suffix)", fields: []))
    }
}
