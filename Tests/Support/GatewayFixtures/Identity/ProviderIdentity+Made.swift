import GatewayCore
import JOSE
import Testing

@testable import Authentication
@testable import CoreFixtures

extension ProviderIdentity {
    /// What a provider would have proven of user 104, without a signature or a call being made.
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
