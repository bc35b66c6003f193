import JOSE

/// A user at a provider who proved who they are: what accounts and sessions are made of.
struct ProvenUser: Sendable {
    let link: IdentityLink
    /// What the provider tells of them, in Firebase's words.
    let claims: JSONDocument
    /// When they proved it; nil: nobody knows.
    let time: Int64?

    init(link: IdentityLink, claims: JSONDocument, time: Int64?) {
        self.link = link
        self.claims = claims
        self.time = time
    }

    init(_ candidate: Proving.Candidate) throws(Refusal) {
        guard let link = candidate.proof.principal.link else { throw .credential("no provider's token") }
        self.init(link: link, claims: try SourceClaims.of(candidate.proof.principal), time: candidate.time)
    }

    /// What Firebase would write in `identities`.
    var federatedID: String { FederatedID.of(link) }

    var email: ProvenEmail? { ProvenEmail(claims.root) }

    var name: String? { DisplayName.kept(claims.root["name"]) }
}

/// What Firebase writes of a link in `identities`.
enum FederatedID {
    static func of(_ link: IdentityLink) -> String {
        guard link.provider.utf8.elementsEqual("microsoft.com".utf8) else { return link.subject }
        let parts = link.subject.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return link.subject }
        let isPersonal = parts[0].utf8.elementsEqual(TenantID.personalAccounts.utf8)
        return isPersonal ? MicrosoftFederatedID.of(object: parts[1]) ?? parts[1] : parts[1]
    }
}
