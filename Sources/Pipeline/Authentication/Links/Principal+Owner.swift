import JOSE
import Revocation

extension Principal {
    /// Whether it is a provider's own token whose identity belongs to no account, as far as that was asked.
    var isUnlinked: Bool { link != nil && !standing.hasLinkRecord }

    /// The same credential in the name of the account that owns its identity: `uid`, `user_id` and `sub` are the account's, `firebase` lists
    /// all its links and its e-mail address, and the account's name stands where the provider told none.
    ///
    /// An account that was not made here is taken for Firebase's: then Identity Toolkit's word on it counts too.
    ///
    /// - Returns: nil for a principal that is no provider's own token, an account whose uid nobody can have, claims that would be too large,
    ///   and when libcrypto fails to hash.
    func owned(by account: AccountRecord, hasher: SHA256Hasher) -> Principal? {
        guard let link, Self.isUID(account.uid) else { return nil }
        var uidText: [UInt8] = []
        JSONWriter.appendString(account.uid, to: &uidText)
        var members: [(name: String, json: [UInt8])] = [
            ("sub", uidText), ("user_id", uidText), ("firebase", firebaseClaim(link, account)),
        ]
        if let name = account.name, !name.isEmpty, claims.root["name"]?.string == nil {
            var text: [UInt8] = []
            JSONWriter.appendString(name, to: &text)
            members.append(("name", text))
        }
        guard let accepted = AcceptedClaims(of: self).replacing(members) else { return nil }
        return Principal(
            accepted: accepted, kind: kind, user: account.user, signInProvider: signInProvider,
            times: Times(authTime: authTime, issuedAt: issuedAt, expiresAt: expiresAt), session: session,
            isFirebase: account.created == nil, hasSecondFactor: hasSecondFactor, scopes: scopes, link: link,
            linkKey: userKey, hasher: hasher)
    }

    private func firebaseClaim(_ link: IdentityLink, _ account: AccountRecord) -> [UInt8] {
        // What was verified comes first, and stands whatever the account's list says of its provider.
        let others = account.links.filter { !$0.key.utf8.elementsEqual(link.provider.utf8) }
            .map { IdentityLink(provider: $0.key, subject: $0.value) }.sorted { $0.provider < $1.provider }
        let email = account.email ?? claims.root["email"]?.string
        return FirebaseIdentities.claim(
            identities: FirebaseIdentities.json(links: [link] + others, email: email), provider: link.provider,
            tenant: account.user.tenant)
    }

    private static func isUID(_ uid: String) -> Bool {
        (1...ProviderIdentity.maximumUIDSize).contains(uid.utf8.count)
            && uid.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
