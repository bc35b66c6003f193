import JOSE

/// What a token must be, each check by itself: ``FirebaseVerifier/verify(_:key:now:hasher:)`` asks them in order, an inspection
/// of a token tells the answer of each.
extension FirebaseVerifier {
    // MARK: - Before the signature

    func refuseCustomToken(_ token: UnverifiedJWS) throws(VerificationFailure) {
        let claims = token.payload.root
        if claims["aud"]?.equals(Self.customTokenAudience) == true {
            throw VerificationFailure(code: .argumentError, reason: .customToken)
        }
        if token.algorithmName == "HS256", claims["v"]?.integer == 0, claims["d"]?["uid"] != nil {
            throw VerificationFailure(code: .argumentError, reason: .legacyCustomToken)
        }
    }

    /// Empty only for an emulator's token, which needs none.
    func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        let keyID = token.keyID ?? ""
        guard insecureEmulator || !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    func checkAlgorithm(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard insecureEmulator || token.algorithm == .rs256 else { throw invalid(.algorithm) }
    }

    /// Firebase writes JWT or nothing; another type is another kind of token (RFC 8725 section 3.11).
    func checkType(of token: UnverifiedJWS) throws(VerificationFailure) {
        if let type = token.type, type != "JWT" { throw invalid(.type) }
    }

    func checkIssuer(_ claims: JSONValue) throws(VerificationFailure) {
        guard claims["iss"]?.equals(issuer) == true else { throw invalid(.issuer) }
    }

    func checkAudience(_ claims: JSONValue) throws(VerificationFailure) {
        guard claims["aud"]?.equals(project) == true else { throw invalid(.audience) }
    }

    func subject(of claims: JSONValue) throws(VerificationFailure) -> String {
        // Control characters name nobody: such a uid could not be spelled where users are revoked.
        guard let subject = claims["sub"]?.string, (1...128).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw invalid(.subject) }
        return subject
    }

    // MARK: - After the signature

    func expiry(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> Int64 {
        guard let expiresAt = claims["exp"]?.integer else { throw invalid(.expiryMissing) }
        guard now < expiresAt else { throw VerificationFailure(code: kind.expiredCode, reason: .expired) }
        return expiresAt
    }

    func checkIssuedAt(_ claims: JSONValue, now: Int64) throws(VerificationFailure) {
        guard let issuedAt = claims["iat"]?.integer else { throw invalid(.issuedAt) }
        guard issuedAt <= now + clockSkew else { throw invalid(.issuedInFuture) }
    }

    func checkNotBefore(_ claims: JSONValue, now: Int64) throws(VerificationFailure) {
        guard let notBefore = claims["nbf"] else { return }
        guard let time = notBefore.integer, time <= now + clockSkew else { throw invalid(.notBefore) }
    }

    func authTime(of claims: JSONValue, now: Int64) throws(VerificationFailure) -> Int64 {
        guard let authTime = claims["auth_time"]?.integer else { throw invalid(.authenticationTime) }
        guard authTime <= now + clockSkew, authTime >= 0 else { throw invalid(.authenticatedInFuture) }
        return authTime
    }

    func firebaseMember(of claims: JSONValue) throws(VerificationFailure) -> FirebaseMember {
        guard let firebase = FirebaseMember(claims["firebase"]) else { throw invalid(.firebaseMember) }
        return firebase
    }

    func checkTenant(_ firebase: FirebaseMember) throws(VerificationFailure) {
        let matches =
            switch tenant {
            case .any: true
            case .none: firebase.tenant == nil
            // Byte for byte: strings compare by canonical equivalence.
            case .only(let expected): firebase.tenant?.utf8.elementsEqual(expected.utf8) == true
            }
        guard matches else { throw VerificationFailure(code: .tenantMismatch, reason: .tenant) }
    }

    func checkUserID(_ claims: JSONValue, uid: String) throws(VerificationFailure) {
        if let userID = claims["user_id"], !userID.equals(uid) { throw invalid(.userID) }
    }

    func invalid(_ reason: VerificationFailure.Reason) -> VerificationFailure {
        VerificationFailure(code: kind.invalidCode, reason: reason)
    }
}

/// What the gateway reads of the `firebase` claim.
struct FirebaseMember {
    private(set) var signInProvider: String?
    private(set) var tenant: String?
    private(set) var hasSecondFactor = false

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
