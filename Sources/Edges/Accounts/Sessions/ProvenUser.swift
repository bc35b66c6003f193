import Authentication
import GatewayCore
import JOSE
import Revocation

/// A user who proved an identity at a provider: the basis of accounts and sessions.
struct ProvenUser: Sendable {
    let link: IdentityLink
    /// The provider's claims, in Firebase's form.
    let claims: JSONDocument
    /// The sign-in that was proved.
    let signIn: SignInProof
    /// When the credential was made. `nil` if it is unknown.
    let madeAt: UnixTime?
    /// The origin of a session that this proof starts.
    let origin: SessionOrigin
    /// The token to keep until the identity is unlinked. `nil` if none is kept.
    var token: GrantedToken?

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

    /// The identity as Firebase would write it in `identities`.
    var federatedID: String { link.federatedID }

    /// The providers whose statement that an address is verified proves no present ownership. At Microsoft, each
    /// tenant sets addresses freely. At GitHub, the user may have verified the address long ago, and its owner may
    /// have changed since.
    private static let weakVerifiers = ["microsoft.com", "github.com"]

    /// The e-mail address. It counts as verified only if the provider proves that the user owns it now. Otherwise the
    /// address neither opens an account nor protects its account from the owner of the address.
    var email: ProvenEmail? {
        let isWeak = Self.weakVerifiers.contains { link.provider.utf8.elementsEqual($0.utf8) }
        return ProvenEmail(claims.root, isVouchedFor: !isWeak)
    }

    var name: String? { DisplayName.kept(claims.root["name"]) }
}

// The members of a JSON object that keep a proven user until the next step.
extension ProvenUser {
    private enum Name {
        static let provider = "provider", subject = "subject", claims = "claims", origin = "origin"
        static let authenticated = "authenticated_at", confirmed = "confirmed_at", made = "made_at"
    }

    func write(to text: inout ObjectText) {
        text.add(Name.provider, link.provider)
        text.add(Name.subject, link.subject)
        text.add(Name.authenticated, signIn.authenticatedAt)
        text.add(Name.confirmed, signIn.confirmedAt)
        text.add(Name.made, madeAt)
        text.add(Name.origin, json: ObjectText.object { origin.write(to: &$0) })
        text.add(Name.claims, claims.root)
    }

    /// Reads the members. `nil` if one is missing or has another form.
    init?(json object: JSONValue) {
        guard let provider = object[Name.provider]?.string, let subject = object[Name.subject]?.string,
            let claims = object[Name.claims].flatMap({ try? JSONDocument($0.compact, limits: SourceClaims.limits) }),
            let origin = SessionOrigin(object[Name.origin])
        else { return nil }
        func time(_ name: String) -> UnixTime? { object[name]?.integer.flatMap(UnixTime.init(claim:)) }
        self.init(
            link: IdentityLink(provider: provider, subject: subject), claims: claims,
            signIn: SignInProof(
                authenticatedAt: time(Name.authenticated), confirmedAt: time(Name.confirmed)),
            madeAt: time(Name.made), origin: origin)
    }
}

/// An e-mail address in a credential.
struct ProvenEmail: Sendable, Equatable {
    /// The address, with ASCII letters in lower case.
    let address: String
    /// Whether the provider verified it. Only the JSON value `true` counts.
    let isVerified: Bool
    /// Whether it is an Apple relay address, which hides the user's own and identifies no account.
    let isPrivate: Bool

    /// Creates the address from claims. `nil` without a valid address. `isVouchedFor` states whether the provider's
    /// `email_verified` is trusted.
    init?(_ claims: JSONValue, isVouchedFor: Bool = true) {
        guard let email = claims["email"]?.string, let address = EmailAddress.normalized(email) else { return nil }
        self.address = address
        isVerified = isVouchedFor && claims["email_verified"]?.bool == true
        isPrivate = claims["is_private_email"]?.bool == true || Self.isRelay(address)
    }

    /// Returns whether an address in lower case is an Apple relay address.
    static func isRelay(_ address: String) -> Bool { ClaimText.isAddress(address, at: AppleRules.relayDomain) }
}
