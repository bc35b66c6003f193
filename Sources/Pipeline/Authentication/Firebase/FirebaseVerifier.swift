import GatewayCore
package import JOSE
import Revocation

/// A verifier of Firebase ID tokens or session cookies of one project.
///
/// It is a pure function of the token, a key and the current time, without clock, network or log. Where the Firebase
/// Admin SDKs differ, the strictest rule applies.
package struct FirebaseVerifier: ClaimChecks {
    /// The tenants whose tokens are accepted (`firebase.tenant`).
    package enum Tenant: Sendable, Equatable {
        /// Only tokens without a tenant.
        case none
        case only(String)
        /// Only tokens of these tenants.
        case anyOf([String])
        case any

        /// Returns whether a token with this tenant, or without one, is accepted.
        func isMet(by claimed: String?) -> Bool {
            switch self {
            case .any: claimed.map { UserKey.isTenant($0.utf8) } ?? true
            case .none: claimed == nil
            // Compares bytes: `String` equality uses canonical equivalence.
            case .only(let expected): claimed?.isExactly(expected) == true
            case .anyOf(let accepted): claimed.map { claimed in accepted.contains { claimed.isExactly($0) } } ?? false
            }
        }

        /// Returns the complete user key. It includes the tenant only if tokens of several tenants are accepted.
        func user(uid: String, claimed: String?) -> UserKey {
            switch self {
            case .any, .anyOf: UserKey(uid: uid, tenant: claimed)
            case .none, .only: UserKey(uid: uid, tenant: nil)
            }
        }
    }

    package let kind: CredentialKind
    /// The exact `iss`.
    package let issuer: String
    /// The exact `aud`, a single string: the project ID.
    package let project: String
    package let tenant: Tenant
    package let clockSkew: Int64
    /// Whether only unsigned tokens of the emulator are accepted.
    package let insecureEmulator: Bool
    /// The index of the key set in the key coordinator.
    let keySet: Int
    /// The uid prefixes of the configured providers' own tokens: `PROVIDER:`.
    var reservedPrefixes: [String] = []
    /// Whether tokens of several projects are accepted.
    var hasOtherProjects = false
    /// Whether user keys include the project.
    var isNamed = false

    /// The project and the naming of its users.
    var accepted: FirebaseProject { FirebaseProject(id: project, tenant: tenant, isNamed: isNamed) }

    /// The audience of custom tokens. Only Firebase itself accepts a custom token as proof of a user.
    static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// Runs the checks that need no key, cheapest first, so that garbage costs little. Returns the key ID.
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

    /// Verifies the signature with `key`, then checks time, tenant and user. The key is `nil` only for an emulator
    /// token.
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
            accepted: accepted, kind: kind, user: self.accepted.user(uid: uid, claimed: firebase.tenant),
            project: self.accepted.id, signInProvider: firebase.signInProvider,
            times: Principal.Times(authTime: authTime, expiresAt: expiresAt),
            session: Principal.session(authTime: authTime), isFirebase: true,
            hasSecondFactor: firebase.hasSecondFactor, hasher: hasher)
        guard let principal else { throw VerificationFailure(code: .internalError, reason: .hashing) }
        return principal
    }

    /// Verifies the signature and returns the accepted claims.
    package func accept(_ token: UnverifiedJWS, key: PublicKey?) throws(VerificationFailure) -> AcceptedClaims {
        if insecureEmulator {
            guard let accepted = AcceptedClaims(unsignedByEmulator: token) else { throw invalid(.notUnsigned) }
            return accepted
        }
        guard let key, let verified = token.verify(with: key, algorithm: .rs256) else { throw invalid(.signature) }
        return AcceptedClaims(signed: verified)
    }
}
