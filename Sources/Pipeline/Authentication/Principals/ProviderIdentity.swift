package import GatewayCore
package import JOSE
import Revocation

/// The identity that a provider's own token proves, before it is converted to Firebase's form.
package struct ProviderIdentity: Sendable {
    /// The provider's ID: `sign_in_provider`.
    var provider: String
    /// The user at that provider, 1 to 255 bytes. Together with the provider as a prefix it is the uid.
    package var subject: String
    /// The identity as Firebase would write it in `identities`: usually the subject.
    var federatedID: String
    /// The provider's proven claims.
    package var claims: AcceptedClaims
    /// Claims that replace the provider's own: unique names and JSON text.
    var rewritten: [(name: String, json: [UInt8])] = []
    /// When the user signed in; when the token was issued.
    package var authTime: UnixTime?
    package var issuedAt: UnixTime?
    /// When the token expires. The latest representable time if the provider does not state it.
    package var expiresAt: UnixTime
    var hasSecondFactor = false
    /// The scopes of an access token.
    package var scopes: [String] = []
}

extension ProviderIdentity {
    /// The uid of a user whose identity is linked to no account.
    package var derivedUID: String { link.name }

    /// The identity to which an account may be linked.
    var link: IdentityLink { IdentityLink(provider: provider, subject: subject) }

    /// The maximum size of a derived uid, in bytes.
    static let maximumUIDSize = 128
}

extension Principal {
    /// Creates the principal that Firebase would create for the identity. `uid`, `user_id` and `sub` are the derived
    /// uid; `firebase` contains the sign-in provider. `nil` if the uid is too long, if the claims are too large, and if
    /// libcrypto fails to hash.
    package convenience init?(_ identity: ProviderIdentity, hasher: SHA256Hasher) {
        let uid = identity.derivedUID
        guard uid.utf8.count <= ProviderIdentity.maximumUIDSize else { return nil }
        var uidText: [UInt8] = []
        JSONWriter.appendString(uid, to: &uidText)
        let email = identity.claims.payload.root["email"]?.string
        let added: [(name: String, json: [UInt8])] = [
            ("sub", uidText), ("user_id", uidText), ("firebase", Self.firebaseMember(of: identity, email: email)),
        ]
        guard let claims = identity.claims.replacing(identity.rewritten + added) else { return nil }
        self.init(
            accepted: claims, kind: .idToken, user: UserKey(identity.link), signInProvider: identity.provider,
            times: Times(
                authTime: identity.authTime, issuedAt: identity.issuedAt, expiresAt: identity.expiresAt),
            session: identity.authTime.map { "\(identity.provider):\($0)" }, isFirebase: false,
            hasSecondFactor: identity.hasSecondFactor, scopes: identity.scopes, link: identity.link,
            hasher: hasher)
    }

    private static func firebaseMember(of identity: ProviderIdentity, email: String?) -> [UInt8] {
        FirebaseIdentities.claim(
            identities: FirebaseIdentities.json([(identity.provider, identity.federatedID)], email: email),
            provider: identity.provider)
    }
}
