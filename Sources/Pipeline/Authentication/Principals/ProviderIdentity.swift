package import GatewayCore
package import JOSE
import Revocation

/// Who a provider's own token says the caller is, before it is told in Firebase's words.
package struct ProviderIdentity: Sendable {
    /// The provider's id: `sign_in_provider`.
    var provider: String
    /// The user at that provider; with the provider before it, the uid. 1 to 255 bytes.
    package var subject: String
    /// What Firebase would have written in `identities`: mostly the subject.
    var federatedID: String
    /// The provider's claims, as they were proven.
    package var claims: AcceptedClaims
    /// Claims that are told in another way than the provider wrote them: names, each once, and JSON text.
    var rewritten: [(name: String, json: [UInt8])] = []
    /// When the user proved who they are; when the token was issued.
    package var authTime: UnixTime?
    package var issuedAt: UnixTime?
    /// When the token ends; the latest time there is where the provider did not say.
    package var expiresAt: UnixTime
    var hasSecondFactor = false
    /// What an access token was given for.
    package var scopes: [String] = []
}

extension ProviderIdentity {
    /// The uid of a user whose identity is linked to no account.
    package var derivedUID: String { link.name }

    /// What an account may be linked to.
    var link: IdentityLink { IdentityLink(provider: provider, subject: subject) }

    /// The longest derived uid, in bytes.
    static let maximumUIDSize = 128
}

extension Principal {
    /// The principal that Firebase would have made of the identity: `uid`, `user_id` and `sub` are the derived uid, `firebase` says how they
    /// signed in. Nil for a uid that is too long, claims that are too large, and when libcrypto fails to hash.
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
