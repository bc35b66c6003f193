package import Authorization
import GatewayCore
import Revocation

/// The Firebase users to which proven identities belong (`accounts.firebase_users`).
package struct FirebaseUsers: Sendable {
    /// The project. Its users have keys without a project and a tenant.
    let project: String
    /// Whether a verified address determines the user of an identity that Firebase does not know.
    let usesAddresses: Bool
    let lookup: any FirebaseNameLookup

    package init(project: String, usesAddresses: Bool, lookup: any FirebaseNameLookup) {
        self.project = project
        self.usesAddresses = usesAddresses
        self.lookup = lookup
    }

    /// The Firebase user of an identity.
    struct Found: Sendable {
        let user: UserKey
        let evidence: FirebaseEvidence
    }

    /// Returns the Firebase user with an identity, or otherwise with its verified address. `nil` without such a user.
    ///
    /// - Parameter notBefore: The earliest time of a cached result, in monotonic nanoseconds.
    func user(of proven: ProvenUser, notBefore: UInt64) async throws(AccountDenial) -> Found? {
        let identity = FirebaseName.identity(provider: proven.link.provider, id: proven.federatedID)
        if let found = try await user(listing: identity, notBefore) { return found }
        guard let email = proven.email, email.isVerified, !email.isPrivate else { return nil }
        return try await user(withAddress: email.address, notBefore: notBefore)
    }

    /// Returns the Firebase user with an address, which both sides verified. `nil` without such a user, and if
    /// addresses determine no user.
    func user(withAddress email: String, notBefore: UInt64) async throws(AccountDenial) -> Found? {
        guard usesAddresses else { return nil }
        return try await user(listing: .email(email), notBefore)
    }

    private func user(listing name: FirebaseName, _ notBefore: UInt64) async throws(AccountDenial) -> Found? {
        let status = await withCheckedContinuation { continuation in
            lookup.find(name, notBefore: notBefore) { continuation.resume(returning: $0) }
        }
        switch status.state {
        case .unavailable: throw .firebaseUnavailable
        case .missing: return nil
        case .account(_, disabled: true, _):
            throw AccountDenial(.userDisabled, reason: "the Firebase user of the identity is disabled")
        case .account(_, _, let account):
            guard let uid = account.uid, (try? StoreBounds.check(user: UserKey(uid: uid, tenant: nil))) != nil else {
                throw .firebaseMismatch("several Firebase users have the identity or address, or a uid is not valid")
            }
            return Found(
                user: UserKey(uid: uid, tenant: nil), evidence: FirebaseEvidence(project: project, name: name))
        }
    }
}

extension AccountDenial {
    static let firebaseUnavailable = AccountDenial(
        .storeUnavailable, reason: "the Firebase user of the identity could not be looked up")

    static func firebaseMismatch(_ reason: String) -> AccountDenial {
        AccountDenial(.firebaseUserMismatch, reason: reason)
    }
}
