import Forwarding
import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures

extension TokenDraft {
    static func verifier(
        _ kind: CredentialKind = .idToken, tenant: FirebaseVerifier.Tenant = .none, skew: Int64 = 5,
        emulator: Bool = false, isNamed: Bool = false
    ) -> FirebaseVerifier {
        let host = kind == .idToken ? "securetoken.google.com" : "session.firebase.google.com"
        return FirebaseVerifier(
            kind: kind, issuer: "https://\(host)/\(project)", project: project, tenant: tenant, clockSkew: skew,
            insecureEmulator: emulator, keySet: 0, isNamed: isNamed)
    }

    /// The principal of the claims, without a signature.
    func principal(
        _ kind: CredentialKind = .idToken, now: Int64 = ManualClock.start, isNamed: Bool = false
    ) throws -> Principal {
        let text = Array(withHeader("alg", "\"none\"").withHeader("kid", nil).unsigned.utf8)
        let token = try text.withUnsafeBytes { try UnverifiedJWS($0) }
        let hasher = try SHA256Hasher.required()
        return try Self.verifier(kind, tenant: .any, emulator: true, isNamed: isNamed)
            .verify(token, key: nil, now: now, hasher: hasher)
    }

    /// The principal as stored in the cache.
    func entry(
        _ renderer: IdentityRenderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
    ) throws -> VerifiedTokenCache.Entry {
        let principal = try principal()
        return VerifiedTokenCache.Entry(
            principal: principal, verifier: 0, keySetGeneration: 1, identity: renderer.render(principal))
    }
}

extension ProviderIdentity {
    /// A verified identity of user 104, created without a signature or a call.
    static func made(
        provider: String = "google.com", subject: String = "104", authTime: Int64? = nil,
        issuedAt: Int64? = ManualClock.start - 100, expiresAt: Int64 = ManualClock.start + 1000, scopes: [String] = []
    ) throws -> ProviderIdentity {
        let token = Array(TokenDraft.idToken().withHeader("alg", "\"none\"").withHeader("kid", nil).unsigned.utf8)
        let jws = try token.withUnsafeBytes { try UnverifiedJWS($0) }
        return ProviderIdentity(
            provider: provider, subject: subject, federatedID: subject,
            claims: try #require(AcceptedClaims(unsignedByEmulator: jws)),
            authTime: authTime.map(UnixTime.init(clamping:)), issuedAt: issuedAt.map(UnixTime.init(clamping:)),
            expiresAt: UnixTime(clamping: expiresAt), scopes: scopes)
    }
}
