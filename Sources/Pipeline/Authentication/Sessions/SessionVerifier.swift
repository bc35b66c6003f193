import GatewayCore
package import JOSE
import Revocation

/// Decides whether a token is a session cookie of the gateways of this store.
///
/// A pure function of the token, the session keys and now. The issuer is known only once the keys are, and comes with them.
package struct SessionVerifier: ClaimChecks {
    package let clockSkew: Int64
    /// Where workers keep the session keys: the place after the configured key sets.
    let keySet: Int
    /// The origins that count.
    let origins: SessionOrigins
    /// Which tenants' tokens count (`firebase.tenant`), and so how their users are named.
    var tenant = FirebaseVerifier.Tenant.none

    /// A session counts in the cookie only.
    package var kind: CredentialKind { .sessionCookie }

    /// The `typ` of a session cookie's header: nothing else that is signed has it (RFC 8725 section 3.11).
    package static let type = "gatehouse-session+jwt"
    /// The longest `sid`, in bytes.
    static let maximumSessionSize = 128
    /// The member of the protected header that tells what began the session, and when. No claim: claims stay what the source's were, and no custom
    /// claim can be taken for it.
    package static let sourceMember = "src"
    package static let startMember = "started", authenticationMember = "authenticated_at"
    /// Of that member: whether Firebase keeps an account for the user. Then Identity Toolkit's word on the account counts too.
    package static let firebaseMember = "firebase"

    /// Whether it is for this verifier to judge, by its type alone: nothing else has it.
    package static func judges(_ token: UnverifiedJWS) -> Bool {
        token.type?.utf8.elementsEqual(type.utf8) ?? false
    }

    /// The checks that need no key, cheapest first.
    ///
    /// - Parameter view: the session keys, with whose they are; before they are known, any issuer may turn out to be that.
    /// - Returns: the key's id.
    func checkBeforeSignature(_ token: UnverifiedJWS, _ view: KeySetView) throws(VerificationFailure) -> String {
        let claims = token.payload.root
        let keyID = try keyID(of: token)
        try checkAlgorithm(of: token)
        try checkType(of: token)
        _ = try origin(of: token)
        if view.issuer != nil {
            try checkIssuer(claims, view)
            try checkAudience(claims, view)
        }
        try checkUserID(claims, uid: try subject(of: claims))
        _ = try session(of: claims)
        return keyID
    }

    /// Checks the signature, then what the claims say about time and user.
    ///
    /// - Parameter key: the key of `view` that the token names.
    func verify(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        let accepted = try accept(token, key: key)
        let claims = accepted.payload.root
        try checkIssuer(claims, view)
        try checkAudience(claims, view)
        let expiresAt = try expiry(of: claims, now: now)
        try checkIssuedAt(claims, now: now)
        try checkNotBefore(claims, now: now)
        let authTime = try authTimeIfTold(of: claims, now: now)
        let firebase = try firebaseMember(of: claims)
        let origin = try origin(of: token)
        try checkOrigin(origin)
        let (startedAt, authenticatedAt) = try times(of: token, now: now)
        let user = try user(of: claims, firebase, isFirebase: isFirebases(token))
        let linkKey = origin.link.flatMap { StoreKey(UserKey($0), hasher: hasher) }
        guard (linkKey == nil) == (origin.link == nil) else {
            throw VerificationFailure(code: .internalError, reason: .hashing)
        }
        let principal = Principal(
            accepted: accepted, kind: kind, user: user, signInProvider: firebase.signInProvider,
            times: Principal.Times(
                authTime: authTime, startedAt: startedAt, authenticatedAt: authenticatedAt, expiresAt: expiresAt),
            session: try session(of: claims), isFirebase: isFirebases(token),
            hasSecondFactor: firebase.hasSecondFactor, linkKey: linkKey, origin: origin, hasher: hasher)
        guard let principal else { throw VerificationFailure(code: .internalError, reason: .hashing) }
        return principal
    }

    /// The signature's verdict: what makes claims of a token's text.
    package func accept(_ token: UnverifiedJWS, key: PublicKey) throws(VerificationFailure) -> AcceptedClaims {
        guard let verified = token.verify(with: key, algorithm: .es256) else { throw invalid(.signature) }
        return AcceptedClaims(signed: verified)
    }
}
