import GatewayCore
package import JOSE
import Revocation

/// The checks of a Firebase token, one function each. ``FirebaseVerifier/verify(_:key:now:hasher:)`` runs them in
/// order; `explain` reports the result of each.
extension FirebaseVerifier {
    // MARK: - Before the signature

    /// Returns the key ID. It may be empty only in a token of the emulator.
    package func keyID(of token: UnverifiedJWS) throws(VerificationFailure) -> String {
        let keyID = token.keyID ?? ""
        guard insecureEmulator || !keyID.isEmpty else { throw invalid(.noKeyID) }
        return keyID
    }

    package func checkAlgorithm(of token: UnverifiedJWS) throws(VerificationFailure) {
        guard insecureEmulator || token.algorithm == .rs256 else { throw invalid(.algorithm) }
    }

    package func checkIssuer(_ claims: JSONValue) throws(VerificationFailure) {
        guard claims["iss"]?.equals(issuer) == true else {
            var failure = invalid(.issuer)
            if hasOtherProjects { failure.project = foreignProject(claims["iss"]) }
            throw failure
        }
    }

    /// Returns the project of an issuer of Firebase. `nil` for any other issuer.
    private func foreignProject(_ issuer: JSONValue?) -> String? {
        let prefix = self.issuer.dropLast(project.count)
        guard let text = issuer?.string, text.utf8.starts(with: prefix.utf8) else { return nil }
        let project = text.utf8.dropFirst(prefix.utf8.count)
        return UserKey.isProject(project) ? String(Substring(project)) : nil
    }

    package func checkAudience(_ claims: JSONValue) throws(VerificationFailure) {
        guard claims["aud"]?.equals(project) == true else { throw invalid(.audience) }
    }

    package func subject(of claims: JSONValue) throws(VerificationFailure) -> String {
        // A uid with control characters could not be entered in order to revoke the user.
        guard let subject = claims["sub"]?.string, (1...128).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw invalid(.subject) }
        return subject
    }

    /// Rejects a uid that begins with `PROVIDER:`, the prefix of users of configured providers.
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

/// The members of the `firebase` claim that the gateway uses.
package struct FirebaseMember {
    package private(set) var signInProvider: String?
    package private(set) var tenant: String?
    package private(set) var hasSecondFactor = false

    /// Creates the value from the claim. `nil` if the claim or one of its members has a type that Firebase never
    /// writes.
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
