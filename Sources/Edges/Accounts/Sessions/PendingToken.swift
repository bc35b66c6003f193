import TextCoding
import Authentication
import GatewayCore
import JOSE
import Revocation

/// A signed token that preserves a proof which could not be used as intended, for an alternative action. The client
/// holds it.
struct PendingToken: Sendable {
    /// The action for which it may be used, once.
    enum Purpose: Sendable, Equatable {
        /// To sign in to the account that owns the identity.
        case signIn
        /// To link the identity to one account. The binding is the hash of its user, whose identity the token does not
        /// reveal.
        case link(binding: String)

        var name: String {
            switch self {
            case .signIn: "sign-in"
            case .link: "link"
            }
        }
    }

    /// The lifetime, in seconds.
    static let lifetime: Int64 = 600
    /// The maximum size, in bytes. The claims of any accepted credential fit in, and the token fits into a request
    /// body.
    static let maximumSize = 24_576

    let id: String
    let purpose: Purpose
    let user: ProvenUser

    /// Creates a token for signing in.
    static func signIn(_ user: ProvenUser) -> PendingToken {
        PendingToken(id: RandomText.name(), purpose: .signIn, user: user)
    }

    /// Creates a token for linking to this account.
    static func link(_ user: ProvenUser, to owner: UserKey) throws(AccountDenial) -> PendingToken {
        let id = RandomText.name()
        return PendingToken(id: id, purpose: .link(binding: try binding(id, owner)), user: user)
    }

    func isBound(to owner: UserKey) throws(AccountDenial) -> Bool {
        guard case .link(let binding) = purpose else { return false }
        return ConstantTime.equals(binding.utf8, try Self.binding(id, owner).utf8)
    }

    /// Returns the key under which the single use is recorded.
    func digest() throws(AccountDenial) -> SHA256Digest { try AccountDenial.hash(Array("pending:\(id)".utf8)) }

    /// Returns the hash of ID and user. The ID has a fixed length, so that the hashed text is unambiguous.
    private static func binding(_ id: String, _ owner: UserKey) throws(AccountDenial) -> String {
        HexDigits.text(of: try AccountDenial.hash(Array("\(id):\(owner.name)".utf8)).bytes)
    }
}

/// The encoding of pending tokens.
struct PendingTokens: Sendable {
    let keys: SessionKeys

    private enum Name {
        static let purpose = "purpose", binding = "binding"
    }

    func text(of token: PendingToken, now: Int64) throws(AccountDenial) -> String {
        var text = ObjectText()
        for name in ["iss", "aud"] { text.add(name, keys.issuer) }
        let now = UnixTime(clamping: now)
        text.add("iat", now)
        text.add("exp", now.adding(PendingToken.lifetime))
        text.add("jti", token.id)
        text.add(Name.purpose, token.purpose.name)
        if case .link(let binding) = token.purpose { text.add(Name.binding, binding) }
        token.user.write(to: &text)
        let signed = try keys.sign(text.bytes, type: SessionKeys.pendingType)
        guard signed.utf8.count <= PendingToken.maximumSize else {
            throw .credential("the claims exceed the size limit")
        }
        return signed
    }

    /// Parses and verifies a token that was issued here and has not expired.
    func read(_ text: String, now: Int64) throws(AccountDenial) -> PendingToken {
        let token = try keys.verify(
            text, type: SessionKeys.pendingType, maximumSize: PendingToken.maximumSize, now: now)
        guard let pending = Self.pending(token.root) else { throw .credential("a pending token of another version") }
        return pending
    }

    private static func pending(_ claims: JSONValue) -> PendingToken? {
        guard let id = claims["jti"]?.string, let purpose = purpose(claims), let user = ProvenUser(json: claims) else {
            return nil
        }
        return PendingToken(id: id, purpose: purpose, user: user)
    }

    private static func purpose(_ claims: JSONValue) -> PendingToken.Purpose? {
        guard let name = claims[Name.purpose] else { return nil }
        if name.equals("sign-in") { return .signIn }
        guard name.equals("link"), let binding = claims[Name.binding]?.string else { return nil }
        return .link(binding: binding)
    }
}

extension SessionKeys {
    /// Returns the claims of a token that was signed here with this `typ` and has not expired.
    func verify(
        _ text: String, type: String, maximumSize: Int, now: Int64
    ) throws(AccountDenial) -> JSONDocument {
        guard let token = try? UnverifiedJWS(text, maximumSize: maximumSize), token.type?.isExactly(type) == true,
            let key = token.keyID.flatMap({ view.keys?.key(id: $0) }),
            let verified = token.verify(with: key, algorithm: .es256)
        else { throw .credential("not a token of this gateway for this purpose") }
        let claims = verified.payload.root
        guard claims["iss"]?.equals(issuer) == true, claims["aud"]?.equals(issuer) == true,
            let end = claims["exp"]?.integer.flatMap(UnixTime.init(claim:)), end.isAfter(now)
        else { throw .credential("the token has expired or has another issuer") }
        return verified.payload
    }
}
