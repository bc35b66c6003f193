import JOSE

/// Claims whose origin is proven: by a signature, or by the operator's word that this is an emulator's gateway.
///
/// Only this file makes them, so a `Principal` cannot come from claims that nobody vouched for.
struct AcceptedClaims: Sendable {
    let payload: JSONDocument

    fileprivate init(signed: VerifiedJWS) {
        payload = signed.payload
    }

    fileprivate init(unsignedByEmulator token: UnverifiedJWS) {
        payload = token.payload
    }
}

/// Decides whether a token is a Firebase ID token or session cookie of one project.
///
/// A pure function of the token, a key and now: no clock, network or log inside. Where the Firebase Admin SDKs differ, the stricter holds.
struct FirebaseVerifier: Sendable {
    /// Which tenants' tokens count (`firebase.tenant`).
    enum Tenant: Sendable, Equatable {
        /// Only tokens without a tenant.
        case none
        case only(String)
        case any
    }

    let kind: CredentialKind
    /// The exact `iss`.
    let issuer: String
    /// The exact `aud`, one string: the project's id.
    let project: String
    let tenant: Tenant
    /// How far in the future `iat`, `nbf` and `auth_time` may be, in seconds; never prolongs `exp`.
    let clockSkew: Int64
    /// Unsigned tokens of the emulator count, and no others.
    let insecureEmulator: Bool
    /// Which key set verifies, as numbered by the key coordinator.
    let keySet: Int

    /// The audience of custom tokens, which prove nothing about a user to anybody but Firebase itself.
    static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// The checks that need no key, cheapest first, so that garbage costs little.
    ///
    /// - Returns: the key's id.
    func checkBeforeSignature(_ token: UnverifiedJWS) throws(VerificationFailure) -> String {
        let claims = token.payload.root
        try refuseCustomToken(token, claims)
        if !insecureEmulator {
            guard let keyID = token.keyID, !keyID.isEmpty else { throw invalid(.noKeyID) }
            guard token.algorithm == .rs256 else { throw invalid(.algorithm) }
        }
        // Firebase writes JWT or nothing; another type is another kind of token (RFC 8725 section 3.11).
        if let type = token.type, type != "JWT" { throw invalid(.type) }
        guard claims["iss"]?.equals(issuer) == true else { throw invalid(.issuer) }
        guard claims["aud"]?.equals(project) == true else { throw invalid(.audience) }
        guard let subject = claims["sub"]?.string, (1...128).contains(subject.utf8.count) else {
            throw invalid(.subject)
        }
        return token.keyID ?? ""
    }

    /// Checks the signature, then what the claims say about time, tenant and user.
    ///
    /// - Parameter key: the key that the token names; nil only for an emulator's token.
    func verify(
        _ token: UnverifiedJWS, key: PublicKey?, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        let accepted = try accept(token, key: key)
        let claims = accepted.payload.root
        let expiresAt = try checkTimes(claims, now: now)
        guard let authTime = claims["auth_time"]?.integer else { throw invalid(.authenticationTime) }
        guard authTime <= now + clockSkew, authTime >= 0 else { throw invalid(.authenticatedInFuture) }
        guard let firebase = FirebaseMember(claims["firebase"]) else { throw invalid(.firebaseMember) }
        guard tenantMatches(firebase.tenant) else {
            throw VerificationFailure(code: .tenantMismatch, reason: .tenant)
        }
        guard let uid = claims["sub"]?.string else { throw invalid(.subject) }
        if let userID = claims["user_id"], !userID.equals(uid) { throw invalid(.userID) }
        let principal = Principal(
            accepted: accepted, kind: kind, uid: uid, signInProvider: firebase.signInProvider, authTime: authTime,
            expiresAt: expiresAt, hasSecondFactor: firebase.hasSecondFactor, hasher: hasher)
        guard let principal else { throw VerificationFailure(code: .internalError, reason: .hashing) }
        return principal
    }

    private func refuseCustomToken(_ token: UnverifiedJWS, _ claims: JSONValue) throws(VerificationFailure) {
        if claims["aud"]?.equals(Self.customTokenAudience) == true {
            throw VerificationFailure(code: .argumentError, reason: .customToken)
        }
        if token.algorithmName == "HS256", claims["v"]?.integer == 0, claims["d"]?["uid"] != nil {
            throw VerificationFailure(code: .argumentError, reason: .legacyCustomToken)
        }
    }

    private func accept(_ token: UnverifiedJWS, key: PublicKey?) throws(VerificationFailure) -> AcceptedClaims {
        if insecureEmulator {
            guard token.algorithmName == "none", token.hasEmptySignature else { throw invalid(.notUnsigned) }
            return AcceptedClaims(unsignedByEmulator: token)
        }
        guard let key, let verified = token.verify(with: key, algorithm: .rs256) else { throw invalid(.signature) }
        return AcceptedClaims(signed: verified)
    }

    private func checkTimes(_ claims: JSONValue, now: Int64) throws(VerificationFailure) -> Int64 {
        guard let expiresAt = claims["exp"]?.integer else { throw invalid(.expiryMissing) }
        guard now < expiresAt else { throw VerificationFailure(code: kind.expiredCode, reason: .expired) }
        guard let issuedAt = claims["iat"]?.integer else { throw invalid(.issuedAt) }
        guard issuedAt <= now + clockSkew else { throw invalid(.issuedInFuture) }
        if let notBefore = claims["nbf"] {
            guard let time = notBefore.integer, time <= now + clockSkew else { throw invalid(.notBefore) }
        }
        return expiresAt
    }

    private func tenantMatches(_ tokens: String?) -> Bool {
        switch tenant {
        case .any: true
        case .none: tokens == nil
        case .only(let expected): tokens == expected
        }
    }

    private func invalid(_ reason: VerificationFailure.Reason) -> VerificationFailure {
        VerificationFailure(code: kind.invalidCode, reason: reason)
    }
}

/// What the gateway reads of the `firebase` claim.
private struct FirebaseMember {
    var signInProvider: String?
    var tenant: String?
    var hasSecondFactor = false

    /// Nil when the claim or a member of it is there with a type that Firebase never writes.
    init?(_ value: JSONValue?) {
        guard let value else { return }
        guard value.kind == .object else { return nil }
        guard Self.isTextOrAbsent(value["sign_in_provider"]), Self.isTextOrAbsent(value["tenant"]),
            Self.isTextOrAbsent(value["sign_in_second_factor"])
        else { return nil }
        signInProvider = value["sign_in_provider"]?.string
        tenant = value["tenant"]?.string
        hasSecondFactor = value["sign_in_second_factor"].map { !$0.equals("") } ?? false
    }

    private static func isTextOrAbsent(_ value: JSONValue?) -> Bool {
        value.map { $0.kind == .string } ?? true
    }
}
