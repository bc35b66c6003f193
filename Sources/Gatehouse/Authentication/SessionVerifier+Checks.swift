import JOSE

/// What a session cookie of ours must be, each check by itself.
extension SessionVerifier {
    // MARK: - Before the signature

    func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        guard let keyID = token.keyID, !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    func checkAlgorithm(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard token.algorithm == .es256 else { throw invalid(.sessionAlgorithm) }
    }

    /// Exactly ours, unlike the types of ID tokens: pending tokens have the same keys, and need not expire with a session.
    func checkType(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard Self.judges(token) else { throw invalid(.type) }
    }

    /// Whether Firebase keeps an account for the user.
    func isFirebases(_ token: UnverifiedJWS) throws(VerificationFailure) -> Bool {
        guard let source = token.header.root[Self.sourceMember] else { return false }
        guard source.equals(Self.firebaseSource) else { throw invalid(.sessionSource) }
        return true
    }

    func checkIssuer(_ claims: JSONValue, _ view: KeySetView) throws(VerificationFailure) {
        guard let issuer = view.issuer, claims["iss"]?.equals(issuer) == true else { throw invalid(.issuer) }
    }

    func checkAudience(_ claims: JSONValue, _ view: KeySetView) throws(VerificationFailure) {
        guard let issuer = view.issuer, claims["aud"]?.equals(issuer) == true else { throw invalid(.audience) }
    }

    func subject(of claims: JSONValue) throws(VerificationFailure) -> String {
        guard let subject = text(claims["sub"], atMost: 128) else { throw invalid(.subject) }
        return subject
    }

    func checkUserID(_ claims: JSONValue, uid: String) throws(VerificationFailure) {
        guard claims["user_id"]?.equals(uid) == true else { throw invalid(.userID) }
    }

    /// The session's name in the store.
    func session(of claims: JSONValue) throws(VerificationFailure) -> String {
        guard let session = text(claims["sid"], atMost: Self.maximumSessionSize) else { throw invalid(.session) }
        return session
    }

    // MARK: - After the signature

    /// Not every proof of who the user is tells when it happened; what is told must be a time.
    func authTimeIfTold(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> Int64? {
        claims["auth_time"] == nil ? nil : try authTime(of: claims, now: now)
    }

    func firebaseMember(of claims: JSONValue) throws(VerificationFailure) -> FirebaseMember {
        guard let firebase = FirebaseMember(claims["firebase"]) else { throw invalid(.firebaseMember) }
        return firebase
    }

    /// Control characters name nobody: such a name could not be spelled where users and sessions are revoked.
    private func text(_ claim: JSONValue?, atMost limit: Int) -> String? {
        guard let text = claim?.string, (1...limit).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return text
    }
}
