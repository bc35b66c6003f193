import Authentication
import GatewayCore
import JOSE
import Revocation

/// A user at a provider who proved who they are: what accounts and sessions are made of.
struct ProvenUser: Sendable {
    let link: IdentityLink
    /// What the provider tells of them, in Firebase's words.
    let claims: JSONDocument
    /// When they proved it.
    let signIn: SignInProof
    /// When the credential was made; nil: nobody knows.
    let madeAt: UnixTime?
    /// What a session is that they begin.
    let origin: SessionOrigin

    init(link: IdentityLink, claims: JSONDocument, signIn: SignInProof, madeAt: UnixTime?, origin: SessionOrigin) {
        self.link = link
        self.claims = claims
        self.signIn = signIn
        self.madeAt = madeAt
        self.origin = origin
    }

    init(_ candidate: Proving.Candidate) throws(Refusal) {
        guard let link = candidate.proof.principal.link else { throw .credential("no provider's token") }
        self.init(
            link: link, claims: try SourceClaims.of(candidate.proof.principal), signIn: candidate.signIn,
            madeAt: candidate.madeAt, origin: try candidate.proof.origin())
    }

    /// What Firebase would write in `identities`.
    var federatedID: String { link.federatedID }

    /// Of Microsoft no address is vouched for, whatever a token says: each tenant writes what it likes.
    var email: ProvenEmail? {
        ProvenEmail(claims.root, isVouchedFor: !link.provider.utf8.elementsEqual("microsoft.com".utf8))
    }

    var name: String? { DisplayName.kept(claims.root["name"]) }
}
