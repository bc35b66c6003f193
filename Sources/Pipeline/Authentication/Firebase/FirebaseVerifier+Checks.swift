import GatewayCore
package import JOSE

/// What a token must be, each check by itself: ``FirebaseVerifier/verify(_:key:now:hasher:)`` asks them in order, an inspection
/// of a token tells the answer of each.
extension FirebaseVerifier {
    // MARK: - Before the signature

    /// Empty only for an emulator's token, which needs none.
    package func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        let keyID = token.keyID ?? ""
        guard insecureEmulator || !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    package func checkAlgorithm(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard insecureEmulator || token.algorithm == .rs256 else { throw invalid(.algorithm) }
    }

    package func checkIssuer(_ claims: JSONValue) throws(VerificationFailure) {
        guard claims["iss"]?.equals(issuer) == true else { throw invalid(.issuer) }
    }

    package func checkAudience(_ claims: JSONValue) throws(VerificationFailure) {
        guard claims["aud"]?.equals(project) == true else { throw invalid(.audience) }
    }

    package func subject(of claims: JSONValue) throws(VerificationFailure) -> String {
        // Control characters name nobody: such a uid could not be spelled where users are revoked.
        guard let subject = claims["sub"]?.string, (1...128).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw invalid(.subject) }
        return subject
    }

    /// Users of other providers' own tokens have uids with the provider before them: nobody of Firebase's may pass for one.
    package func checkNotReserved(_ uid: String) throws(VerificationFailure) {
        guard !reservedPrefixes.contains(where: { uid.utf8.starts(with: $0.utf8) }) else {
            throw invalid(.reservedUserID)
        }
    }

    // MARK: - After the signature

    package func firebaseMember(of claims: JSONValue) throws(VerificationFailure) -> FirebaseMember {
        guard let firebase = FirebaseMember(claims["firebase"]) else { throw invalid(.firebaseMember) }
        return firebase
    }

    package func checkTenant(_ firebase: FirebaseMember) throws(VerificationFailure) {
        guard tenant.isMet(by: firebase.tenant) else {
            throw VerificationFailure(code: .tenantMismatch, reason: .tenant)
        }
    }

    package func checkUserID(_ claims: JSONValue, uid: String) throws(VerificationFailure) {
        if let userID = claims["user_id"], !userID.equals(uid) { throw invalid(.userID) }
    }
}

/// What the gateway reads of the `firebase` claim.
package struct FirebaseMember {
    package private(set) var signInProvider: String?
    package private(set) var tenant: String?
    package private(set) var hasSecondFactor = false

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
