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
    var federatedID: String { link.federatedID }

    /// Of Microsoft no address is vouched for, whatever a token says: each tenant writes what it likes.
    var email: ProvenEmail? {
        ProvenEmail(claims.root, isVouchedFor: !link.provider.utf8.elementsEqual("microsoft.com".utf8))
    }

    var name: String? { DisplayName.kept(claims.root["name"]) }
}
