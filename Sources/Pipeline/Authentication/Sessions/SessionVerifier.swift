import GatewayCore
package import JOSE
import Revocation

/// A verifier of the session cookies of all gateways that share the store.
///
/// It is a pure function of the token, the session keys and the current time. The issuer is part of the view of the
/// keys, because it is known only with them.
package struct SessionVerifier: ClaimChecks {
    package let clockSkew: Int64
    /// The index of the session keys: the one after the configured key sets.
    let keySet: Int
    /// The accepted session origins, and the Firebase projects, which also determine the user keys.
    let origins: SessionOrigins

    /// A session cookie is accepted in the cookie only.
    package var kind: CredentialKind { .sessionCookie }

    /// The `typ` of a session cookie's header. No other signed token has it (RFC 8725 section 3.11).
    package static let type = "gatehouse-session+jwt"
    /// The maximum size of `sid`, in bytes.
    static let maximumSessionSize = 128
    /// The member of the protected header that contains the origin and the start of the session. It is not a claim: all
    /// claims come from the source, and no custom claim can be mistaken for it.
    package static let sourceMember = "src"
    package static let startMember = "started", authenticationMember = "authenticated_at"
    /// The member of that object with the end of a session whose cookie is renewed until then.
    package static let endMember = "ends"
    /// The member of that object which states that the user has a Firebase account. The account's state at Identity
    /// Toolkit then applies too.
    package static let firebaseMember = "firebase"
    /// The member of that object with the evidence, if the identity that started the session belongs to the user by a
    /// link from Firebase.
    package static let evidenceMember = "firebase_evidence"
    /// The members of that object with the project and the tenant of a user whose key includes them.
    package static let projectMember = "user_project", tenantMember = "user_tenant"

    /// Returns whether this verifier applies to a token, by its type, which no other token has.
    package static func judges(_ token: UnverifiedJWS) -> Bool {
        token.type?.utf8.elementsEqual(type.utf8) ?? false
    }

    /// Runs the checks that need no key, cheapest first.
    ///
    /// - Parameter view: The session keys and their issuer. Until they are loaded, any issuer is accepted.
    /// - Returns: The key ID.
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

    /// Verifies the signature with the key of `view` that the token names, then checks the times and the user.
    func verify(
        _ token: UnverifiedJWS, key: PublicKey, _ view: KeySetView, now: Int64, hasher: SHA256Hasher
    ) throws(VerificationFailure) -> Principal {
        let accepted = try accept(token, key: key)
        let claims = accepted.payload.root
        try checkIssuer(claims, view)
        try checkAudience(claims, view)
        let expiresAt = try expiry(of: claims, now: now)
        let issuedAt = try checkIssuedAt(claims, now: now)
        try checkNotBefore(claims, now: now)
        let authTime = try optionalAuthTime(of: claims, now: now)
        let firebase = try firebaseMember(of: claims)
        let origin = try origin(of: token)
        try checkOrigin(origin)
        let (startedAt, authenticatedAt, endsAt) = try times(of: token, now: now)
        let (user, project) = try user(of: claims, firebase, token, origin)
        let linkKey = origin.link.flatMap { StoreKey(UserKey($0), hasher: hasher) }
        guard (linkKey == nil) == (origin.link == nil) else {
            throw VerificationFailure(code: .internalError, reason: .hashing)
        }
        let evidence = try evidence(of: token)
        let evidenceKey = evidence?.key(hasher: hasher)
        guard (evidenceKey == nil) == (evidence == nil) else {
            throw VerificationFailure(code: .internalError, reason: .hashing)
        }
        let principal = Principal(
            accepted: accepted, kind: kind, user: user, project: project, signInProvider: firebase.signInProvider,
            times: Principal.Times(
                authTime: authTime, startedAt: startedAt, authenticatedAt: authenticatedAt, issuedAt: issuedAt,
                expiresAt: expiresAt, endsAt: endsAt),
            session: try session(of: claims), isFirebase: isFirebases(token),
            hasSecondFactor: firebase.hasSecondFactor, linkKey: linkKey, evidence: evidenceKey,
            sessionEvidence: evidence,
            origin: origin,
            hasher: hasher)
        guard let principal else { throw VerificationFailure(code: .internalError, reason: .hashing) }
        return principal
    }

    /// Verifies the signature and returns the accepted claims.
    package func accept(_ token: UnverifiedJWS, key: PublicKey) throws(VerificationFailure) -> AcceptedClaims {
        guard let verified = token.verify(with: key, algorithm: .es256) else { throw invalid(.signature) }
        return AcceptedClaims(signed: verified)
    }
}
