import GatewayCore
import JOSE
import Revocation

/// A proof that could not be used for what it was meant, kept for what the user may do instead: in a token that the client holds.
struct PendingToken: Sendable {
    /// What it may be used for, once.
    enum Purpose: Sendable, Equatable {
        /// To sign in to the account that the identity belongs to.
        case signIn
        /// To link the identity to one account: the hash of its user, which the token does not tell.
        case link(binding: String)

        var name: String {
            switch self {
            case .signIn: "sign-in"
            case .link: "link"
            }
        }
    }

    /// How long it may be used, in seconds.
    static let lifetime: Int64 = 600
    /// The longest, in bytes: the claims of any credential that is taken fit in, and it fits into the body of a call.
    static let maximumSize = 24_576

    let id: String
    let purpose: Purpose
    let user: ProvenUser

    /// One that signs in.
    static func signIn(_ user: ProvenUser) -> PendingToken {
        PendingToken(id: RandomText.name(), purpose: .signIn, user: user)
    }

    /// One that a session of that account can link.
    static func link(_ user: ProvenUser, to owner: UserKey) throws(Refusal) -> PendingToken {
        let id = RandomText.name()
        return PendingToken(id: id, purpose: .link(binding: try binding(id, owner)), user: user)
    }

    func isBound(to owner: UserKey) throws(Refusal) -> Bool {
        guard case .link(let binding) = purpose else { return false }
        return ConstantTime.equals(binding.utf8, try Self.binding(id, owner).utf8)
    }

    /// What the one use is remembered by.
    func digest() throws(Refusal) -> SHA256Digest { try Refusal.hash(Array("pending:\(id)".utf8)) }

    /// The id has a fixed length, so that no two pairs have one hash.
    private static func binding(_ id: String, _ owner: UserKey) throws(Refusal) -> String {
        HexText.text(try Refusal.hash(Array("\(id):\(owner.name)".utf8)).bytes)
    }
}
