import GatewayCore
package import JOSE
import Revocation

/// Decides whether a token is a Firebase ID token or session cookie of one project.
///
/// A pure function of the token, a key and now: no clock, network or log inside. Where the Firebase Admin SDKs differ, the stricter holds.
package struct FirebaseVerifier: ClaimChecks {
    /// Which tenants' tokens count (`firebase.tenant`).
    package enum Tenant: Sendable, Equatable {
        /// Only tokens without a tenant.
        case none
        case only(String)
        case any

        /// Whether a token of this tenant, or of none, is valid.
        func isMet(by claimed: String?) -> Bool {
            switch self {
            case .any: claimed.map { UserKey.isTenant($0.utf8) } ?? true
            case .none: claimed == nil
            // Byte for byte: strings compare by canonical equivalence.
            case .only(let expected): claimed?.isExactly(expected) == true
            }
        }

        /// The complete name of a user. The tenant is a part of it where tokens of several are valid.
        func user(uid: String, claimed: String?) -> UserKey {
            UserKey(uid: uid, tenant: self == .any ? claimed : nil)
        }
    }

    package let kind: CredentialKind
    /// The exact `iss`.
    package let issuer: String
    /// The exact `aud`, one string: the project's id.
    package let project: String
    package let tenant: Tenant
    package let clockSkew: Int64
    /// Unsigned tokens of the emulator count, and no others.
    package let insecureEmulator: Bool
    /// Which key set verifies, as numbered by the key coordinator.
    let keySet: Int
    /// What the uids of configured providers' own tokens begin with: `PROVIDER:`.
    var reservedPrefixes: [String] = []

    /// The audience of custom tokens, which prove nothing about a user to anybody but Firebase itself.
    static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// The checks that need no key, cheapest first, so that garbage costs little.
    ///
    /// - Returns: the key's id.
    func checkBeforeSignature(_ token: UnverifiedJWS) throws(VerificationFailure) -> String {
        let claims = token.payload.root
        try refuseCustomToken(token)
        let keyID = try keyID(of: token)
        try checkAlgorithm(of: token)
        try checkType(of: token)
        try checkIssuer(claims)
        try checkAudience(claims)
        try checkNotReserved(try subject(of: claims))
        return keyID
    }

    /// Checks the signature, then what the claims say about time, tenant and user.
    ///
    /// - Parameter key: the key that the token names; nil only for an emulator's token.
    func verify(
        _ token: UnverifiedJWS, key: PublicKey?, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        let accepted = try accept(token, key: key)
        let claims = accepted.payload.root
        let expiresAt = try expiry(of: claims, now: now)
        try checkIssuedAt(claims, now: now)
        try checkNotBefore(claims, now: now)
        let authTime = try authTime(of: claims, now: now)
        let firebase = try firebaseMember(of: claims)
        try checkTenant(firebase)
        let uid = try subject(of: claims)
        try checkUserID(claims, uid: uid)
        let principal = Principal(
            accepted: accepted, kind: kind, user: tenant.user(uid: uid, claimed: firebase.tenant),
            signInProvider: firebase.signInProvider,
            times: Principal.Times(authTime: authTime, expiresAt: expiresAt),
            session: Principal.session(authTime: authTime), isFirebase: true,
            hasSecondFactor: firebase.hasSecondFactor, hasher: hasher)
        guard let principal else { throw VerificationFailure(code: .internalError, reason: .hashing) }
        return principal
    }

    /// The signature's verdict: what makes claims of a token's text.
    package func accept(_ token: UnverifiedJWS, key: PublicKey?) throws(VerificationFailure) -> AcceptedClaims {
        if insecureEmulator {
            guard let accepted = AcceptedClaims(unsignedByEmulator: token) else { throw invalid(.notUnsigned) }
            return accepted
        }
        guard let key, let verified = token.verify(with: key, algorithm: .rs256) else { throw invalid(.signature) }
        return AcceptedClaims(signed: verified)
    }
}
