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
        guard let email = claims["email"]?.string, let address = Self.address(email) else { return nil }
        self.address = address
        isVerified = isVouchedFor && claims["email_verified"]?.bool == true
        isPrivate = claims["is_private_email"]?.bool == true || Self.isRelay(address)
    }

    /// Returns whether an address in lower case is an Apple relay address.
    static func isRelay(_ address: String) -> Bool { ClaimText.isAddress(address, at: AppleRules.relayDomain) }

    /// Returns the address with ASCII letters in lower case. `nil` unless it is printable ASCII with exactly one `@`
    /// between two parts. Other letters could look alike or have several encodings.
    static func address(_ text: String) -> String? {
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
