import GatewayCore
package import JOSE
import Revocation

/// The checks of a gateway session cookie, one function each.
extension SessionVerifier {
    // MARK: - Before the signature

    package func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        guard let keyID = token.keyID, !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    package func checkAlgorithm(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard token.algorithm == .es256 else { throw invalid(.sessionAlgorithm) }
    }

    /// Requires the exact type, unlike for ID tokens: pending tokens are signed with the same keys and may outlive a
    /// session.
    package func checkType(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard Self.judges(token) else { throw invalid(.type) }
    }

    /// Returns the origin of the session.
    package func origin(of token: UnverifiedJWS) throws(VerificationFailure) -> SessionOrigin {
        guard let origin = SessionOrigin(token.header.root[Self.sourceMember]) else { throw invalid(.sessionSource) }
        return origin
    }

    package func checkIssuer(_ claims: JSONValue, _ view: KeySetView) throws(VerificationFailure) {
        guard let issuer = view.issuer, claims["iss"]?.equals(issuer) == true else { throw invalid(.issuer) }
    }

    package func checkAudience(_ claims: JSONValue, _ view: KeySetView) throws(VerificationFailure) {
        guard let issuer = view.issuer, claims["aud"]?.equals(issuer) == true else { throw invalid(.audience) }
    }

    package func subject(of claims: JSONValue) throws(VerificationFailure) -> String {
        guard let subject = text(claims["sub"], atMost: 128) else { throw invalid(.subject) }
        return subject
    }

    package func checkUserID(_ claims: JSONValue, uid: String) throws(VerificationFailure) {
        guard claims["user_id"]?.equals(uid) == true else { throw invalid(.userID) }
    }

    /// Returns the session's name in the store.
    package func session(of claims: JSONValue) throws(VerificationFailure) -> String {
        guard let session = text(claims["sid"], atMost: Self.maximumSessionSize) else { throw invalid(.session) }
        return session
    }

    // MARK: - After the signature

    /// Returns whether the user has a Firebase account.
    func isFirebases(_ token: UnverifiedJWS) -> Bool {
        token.header.root[Self.sourceMember]?[Self.firebaseMember]?.bool ?? false
    }

    /// Returns the evidence of the link through which the session began. `nil` if the link does not depend on Firebase.
    func evidence(of token: UnverifiedJWS) throws(VerificationFailure) -> FirebaseEvidence? {
        guard let value = token.header.root[Self.sourceMember]?[Self.evidenceMember] else { return nil }
        guard let evidence = value.string.flatMap(FirebaseEvidence.init(text:)) else { throw invalid(.sessionSource) }
        return evidence
    }

    func checkOrigin(_ origin: SessionOrigin) throws(VerificationFailure) {
        guard let flaw = origins.flaw(of: origin) else { return }
        // The same response as to a Firebase token.
        if origin.link == nil, flaw == .tenant { throw VerificationFailure(code: .tenantMismatch, reason: flaw) }
        throw invalid(flaw)
    }

    /// Returns when the session started, when its user last authenticated, and when it ends if its cookie is renewed.
    func times(
        of token: UnverifiedJWS, now: Int64
    ) throws(VerificationFailure) -> (startedAt: UnixTime, authenticatedAt: UnixTime?, endsAt: UnixTime?) {
        let source = token.header.root[Self.sourceMember]
        guard let startedAt = source?[Self.startMember]?.integer.flatMap(UnixTime.init(_:)) else {
            throw invalid(.sessionStart)
        }
        func time(_ member: String) throws(VerificationFailure) -> UnixTime? {
            guard let claimed = source?[member] else { return nil }
            guard let time = claimed.integer.flatMap(UnixTime.init(_:)) else { throw invalid(.authenticationTime) }
            return time
        }
        return (startedAt, try time(Self.authenticationMember), try time(Self.endMember))
    }

    /// Returns the sign-in time, which some proofs do not state. If present, it must be a valid time.
    func optionalAuthTime(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> UnixTime? {
        claims["auth_time"] == nil ? nil : try authTime(of: claims, now: now)
    }

    /// Returns the complete user key, and the user's Firebase project. Only Firebase users have projects and tenants. A
    /// project or tenant that is no longer accepted is rejected. So is a key that differs from that of the session's
    /// start: the revocations and sign-outs of that time have the other key.
    func user(
        of claims: JSONValue, _ firebase: FirebaseMember, _ token: UnverifiedJWS, _ origin: SessionOrigin
    ) throws(VerificationFailure) -> (UserKey, project: String?) {
        let uid = try subject(of: claims)
        guard isFirebases(token) else { return (UserKey(uid: uid, tenant: nil), nil) }
        let source = token.header.root[Self.sourceMember]
        let key = UserKey(
            uid: uid, tenant: source?[Self.tenantMember]?.string, project: source?[Self.projectMember]?.string)
        let claimed = firebase.tenant
        guard let project = try project(origin.project ?? key.project) else {
            guard claimed == nil else { throw Self.tenantMismatch }
            return (key, nil)
        }
        guard claimed == nil || project.tenant.isMet(by: claimed) else { throw Self.tenantMismatch }
        guard project.user(uid: uid, claimed: claimed) == key else { throw invalid(.renamedUser) }
        return (key, project.id)
    }

    private static var tenantMismatch: VerificationFailure {
        VerificationFailure(code: .tenantMismatch, reason: .tenant)
    }

    /// Returns the project with this ID. Without an ID, it is the first one. `nil` without projects.
    private func project(_ id: String?) throws(VerificationFailure) -> FirebaseProject? {
        guard let id else { return origins.projects.first }
        guard let project = origins.project(id) else { throw invalid(.sessionProvider) }
        return project
    }

    package func firebaseMember(of claims: JSONValue) throws(VerificationFailure) -> FirebaseMember {
        guard let firebase = FirebaseMember(claims["firebase"]) else { throw invalid(.firebaseMember) }
        return firebase
    }

    /// Returns text without control characters. A name with them could not be entered in order to revoke the user or
    /// session.
    private func text(_ claim: JSONValue?, atMost limit: Int) -> String? {
        guard let text = claim?.string, (1...limit).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return text
    }
}
