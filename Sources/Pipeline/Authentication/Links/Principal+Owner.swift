import JOSE
import Revocation

extension Principal {
    /// Whether the credential is a provider's own token whose identity belongs to no known account.
    var isUnlinked: Bool { link != nil && !facts.hasLinkRecord }

    /// Returns the same credential as a principal of the account that owns its identity. `uid`, `user_id` and `sub` are
    /// the account's. `firebase` lists all its links and its e-mail address. The account's name is used if the provider
    /// stated none.
    ///
    /// An account that the gateway did not create belongs to Firebase, so that Identity Toolkit's state of it applies
    /// too.
    ///
    /// - Returns: The principal. `nil` if this is not a provider's own token, if the account's uid is invalid, or if
    ///   the claims would be too large. Also `nil` if libcrypto fails to hash.
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
        let evidence = account.evidence(of: link)
        let evidenceKey = evidence?.key(hasher: hasher)
        guard (evidence == nil) == (evidenceKey == nil) else { return nil }
        return Principal(
            accepted: accepted, kind: kind, user: account.user, signInProvider: signInProvider,
            times: Times(authTime: authTime, issuedAt: issuedAt, expiresAt: expiresAt), session: session,
            isFirebase: account.isFirebase(as: link), hasSecondFactor: hasSecondFactor, scopes: scopes, link: link,
            linkKey: userKey, evidence: evidenceKey, hasher: hasher)
    }

    private func firebaseClaim(_ link: IdentityLink, _ account: AccountRecord) -> [UInt8] {
        // The verified identity comes first and overrides the account's link for the same provider.
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
