import TextCoding
import DevelopmentIdentity
import GatewayConfiguration
import GatewayCore
import JOSE
import RequestPipeline
import Synchronization
import Testing

@testable import Accounts
@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

extension AccountsRig {
    /// Makes a call as a browser does: with the latest cookie of the caller's session.
    ///
    /// - Parameters:
    ///   - isExact: Whether the caller presents its own cookie, even if the session continues with another one.
    ///   - agent: The `User-Agent`.
    ///   - cookie: The session cookie of the request, which the call may examine itself.
    ///   - session: The public ID of a session in the path.
    func call(
        _ endpoint: AccountEndpoint, _ body: JSONObject? = nil, by caller: Principal? = nil,
        contentType: String = "application/json", from network: UInt32 = 1, agent: String = "", cookie: String? = nil,
        session: String = "", isExact: Bool = false
    ) async -> CallAnswer {
        var browser = BrowserRequest()
        browser.userAgent = Array(agent.utf8)
        browser.sessions = cookie.map { [$0] } ?? []
        browser.session = session
        browser.isPatch = endpoint == .account && body != nil
        return await call(
            endpoint, text: body?.text ?? "", by: caller, contentType: contentType, from: network, browser: browser,
            isExact: isExact)
    }

    func call(
        _ endpoint: AccountEndpoint, text: String, by caller: Principal? = nil,
        contentType: String = "application/json", from network: UInt32 = 1, browser: BrowserRequest = BrowserRequest(),
        isExact: Bool = false
    ) async -> CallAnswer {
        let caller = isExact ? caller : jar.latest(of: caller)
        let call = AccountCall(
            endpoint: endpoint, body: Array(text.utf8), contentType: contentType,
            caller: caller, network: .version4(network), requestID: "request-1", browser: browser)
        let answer = await withCheckedContinuation { continuation in
            accounts.serve(call) { continuation.resume(returning: CallAnswer(reply: $0)) }
        }
        if let caller, answer.token != nil, let next = try? self.caller(answer) { jar.keep(next, after: caller) }
        return answer
    }

    /// Makes a call and returns `ok`, or the code of the denial.
    func code(
        _ endpoint: AccountEndpoint, _ body: JSONObject? = nil, by caller: Principal? = nil,
        contentType: String = "application/json", isExact: Bool = false
    ) async -> String {
        await call(endpoint, body, by: caller, contentType: contentType, isExact: isExact).code
    }

    /// The user of the session cookie that a response sets.
    func caller(_ answer: CallAnswer) throws -> Principal {
        let token = try UnverifiedJWS(try #require(answer.token))
        let (table, _) = VerifierTable.make(of: Self.identity)
        let origins = SessionOrigins(table.verifiers, opaque: Self.identity.providers.filter { $0.opaqueTokens != nil })
        let verifier = SessionVerifier(clockSkew: 5, keySet: 0, origins: origins)
        let view = try SessionDraft.keys().view
        let kid = try verifier.checkBeforeSignature(token, view)
        return try verifier.verify(
            token, key: try #require(view.keys?.key(id: kid)), view, now: now, hasher: try SHA256Hasher.required())
    }

    /// The caller with a Firebase ID token.
    func caller(firebase token: FirebaseToken) throws -> Principal {
        let jws = try UnverifiedJWS(try token.signed(by: TokenDraft.key))
        let verifier = FirebaseVerifier(
            kind: .idToken, issuer: "https://securetoken.google.com/\(FirebaseToken.demoProject)",
            project: FirebaseToken.demoProject, tenant: .none, clockSkew: 5, insecureEmulator: false, keySet: 0)
        return try verifier.verify(jws, key: TokenDraft.keys.key(id: "key-1"), now: now, hasher: try .required())
    }

    /// A nonce of the gateway.
    func nonce(_ purpose: String? = nil) async throws -> String {
        let answer = await call(.nonce, purpose.map { ["purpose": .string($0)] })
        return try #require(answer.string("nonce"), "\(answer.code)")
    }

    /// An ID token of a provider, with the hash of a raw nonce.
    func idToken(
        _ provider: IdentityProvider, _ user: DevelopmentUser, nonce: String? = nil,
        _ change: (ProviderToken) -> ProviderToken = { $0 }
    ) throws -> String {
        let token = ProviderToken.idToken(of: provider, for: user, nonce: try nonce.map(sha256Text), now: now)
        return try change(token).signed(by: TokenDraft.key)
    }

    /// The members of a call with a fresh ID token and a nonce.
    func proof(
        _ provider: IdentityProvider, _ user: DevelopmentUser, _ more: JSONObject = [:],
        _ change: (ProviderToken) -> ProviderToken = { $0 }
    ) async throws -> JSONObject {
        let nonce = try await nonce()
        var body: JSONObject = [
            "provider": .string(provider.id), "id_token": .string(try idToken(provider, user, nonce: nonce, change)),
            "nonce": .string(nonce),
        ]
        body.merge(more)
        return body
    }

    /// The members of a call with a fresh GitHub token, which has no nonce.
    func gitHub(_ user: DevelopmentUser = .linus, issuedAt: Int64? = nil, email: String? = nil) -> JSONObject {
        var token = DevelopmentIdentity.OpaqueToken.gitHub(for: user, clientID: "gw", now: issuedAt ?? now)
        if let email { token = token.setting("user", "email", to: .string(email)) }
        opaque.add(token)
        return ["provider": "github.com", "access_token": .string(token.text)]
    }

    /// Signs in, and records a failure if the sign-in fails.
    func signIn(_ body: JSONObject) async throws -> CallAnswer {
        let answer = await call(.signIn, body)
        try #require(answer.code == "ok", "\(log.text)")
        return answer
    }

    /// A session of a user who signed in just now.
    func session(_ provider: IdentityProvider = .google, _ user: DevelopmentUser = .ada) async throws -> Principal {
        try caller(try await signIn(try await proof(provider, user)))
    }
}

/// The latest cookies of sessions whose names changed.
final class CookieJar: Sendable {
    private let next = Mutex<[String: Principal]>([:])

    func keep(_ principal: Principal, after caller: Principal) {
        guard let session = caller.session, caller.origin != nil, session != principal.session else { return }
        next.withLock { $0[session] = principal }
    }

    /// The principal of the latest cookie of the session.
    func latest(of caller: Principal?) -> Principal? {
        next.withLock { next in
            var latest = caller
            while let session = latest?.session, let following = next[session] { latest = following }
            return latest
        }
    }
}

/// The lower-case hexadecimal SHA-256 of a text.
func sha256Text(_ text: String) throws -> String { HexDigits.text(of: try AccountDenial.hash(Array(text.utf8)).bytes) }

extension DevelopmentUser {
    /// Grace with a verified address.
    static let verifiedGrace = DevelopmentUser.grace.withEmail("grace@example.com")

    /// The same user with another address.
    func withEmail(_ email: String?, verified: Bool = true) -> DevelopmentUser {
        var copy = self
        copy.email = email
        copy.isEmailVerified = verified
        return copy
    }
}
