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

    init(_ candidate: ProofRedeemer.Candidate) throws(AccountDenial) {
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

/// An e-mail address that a credential tells.
struct ProvenEmail: Sendable, Equatable {
    /// ASCII letters in lower case.
    let address: String
    /// Whether the provider vouches for it: by JSON's true and nothing else.
    let isVerified: Bool
    /// Whether it is one that Apple made to hide the user's own: it is nobody's identity.
    let isPrivate: Bool

    /// Nil without an address that could be one.
    ///
    /// - Parameter isVouchedFor: whether the provider's word on it is taken.
    init?(_ claims: JSONValue, isVouchedFor: Bool = true) {
        guard let email = claims["email"]?.string, let address = Self.address(email) else { return nil }
        self.address = address
        isVerified = isVouchedFor && claims["email_verified"]?.bool == true
        isPrivate = claims["is_private_email"]?.bool == true || Self.isRelay(address)
    }

    /// Whether an address, in lower case, is one of Apple's relay.
    static func isRelay(_ address: String) -> Bool { ClaimText.isAddress(address, at: AppleRules.relayDomain) }

    /// With ASCII letters in lower case; nil for what has not exactly one `@` with something on both sides, or is no printable ASCII: letters
    /// that only look the same must not make two addresses of one, nor one of two.
    private static func address(_ text: String) -> String? {
        guard (3...StoreBounds.maximumEmailSize).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }),
            !text.utf8.contains(UInt8(ascii: "\\"))
        else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1].last != UInt8(ascii: ".") else {
            return nil
        }
        return text.lowercased()
    }
}
