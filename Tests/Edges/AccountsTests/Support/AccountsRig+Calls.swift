import TextCoding
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

extension AccountsRig {
    /// Makes a call.
    func call(
        _ endpoint: AccountEndpoint, _ body: JSONObject? = nil, by caller: Principal? = nil,
        contentType: String = "application/json", from network: UInt32 = 1
    ) async -> CallAnswer {
        await call(endpoint, text: body?.text ?? "", by: caller, contentType: contentType, from: network)
    }

    func call(
        _ endpoint: AccountEndpoint, text: String, by caller: Principal? = nil,
        contentType: String = "application/json", from network: UInt32 = 1
    ) async -> CallAnswer {
        let call = AccountCall(
            endpoint: endpoint, body: Array(text.utf8), contentType: contentType,
            caller: caller, network: .version4(network), requestID: "request-1")
        return await withCheckedContinuation { continuation in
            accounts.serve(call) { continuation.resume(returning: CallAnswer(reply: $0)) }
        }
    }

    /// Makes a call and returns `ok`, or the code of the denial.
    func code(
        _ endpoint: AccountEndpoint, _ body: JSONObject? = nil, by caller: Principal? = nil,
        contentType: String = "application/json"
    ) async -> String {
        await call(endpoint, body, by: caller, contentType: contentType).code
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

/// The lower-case hexadecimal SHA-256 of a text.
func sha256Text(_ text: String) throws -> String { HexDigits.text(of: try AccountDenial.hash(Array(text.utf8)).bytes) }

extension DevelopmentUser {
    /// The same user with another address.
    func withEmail(_ email: String?, verified: Bool = true) -> DevelopmentUser {
        var copy = self
        copy.email = email
        copy.isEmailVerified = verified
        return copy
    }
}
