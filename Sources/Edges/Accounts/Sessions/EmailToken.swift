import GatewayCore
import JOSE
import Revocation
import TextCoding

/// The token in the link of a change of an address. It proves that its bearer receives mail at the new address.
///
/// It is bound to the account, the current and the new address, and the user's last revocation. The store makes it
/// valid once, and only until another change of the address is opened or takes place.
struct EmailToken: Sendable {
    /// The lifetime, in seconds.
    static let lifetime: Int64 = 3_600
    /// The maximum size, in bytes.
    static let maximumSize = 4_096
    /// The name of the parameter in the fragment of the link. Browsers send no fragment to servers.
    static let parameter = "email_token"

    private enum Name { static let email = "email", binding = "binding" }

    /// The name of the open change in the store.
    let ticket: String
    /// The new address.
    let email: String
    private let binding: String

    /// Creates a token for an account. `revokedAt` is the user's last revocation.
    init(for account: AccountRecord, revokedAt: UnixTime?, to email: String) throws(AccountDenial) {
        ticket = RandomText.name()
        self.email = email
        binding = try Self.binding(ticket, account, revokedAt)
    }

    /// Parses and verifies a token that was issued here and has not expired.
    init(_ text: String, keys: SessionKeys, now: Int64) throws(AccountDenial) {
        let claims = try keys.verify(text, type: SessionKeys.emailType, maximumSize: Self.maximumSize, now: now).root
        guard let ticket = claims["jti"]?.string, let binding = claims[Name.binding]?.string,
            let email = claims[Name.email]?.string, EmailAddress.normalized(email)?.isExactly(email) == true
        else { throw .credential("a token of another version") }
        (self.ticket, self.email, self.binding) = (ticket, email, binding)
    }

    func text(keys: SessionKeys, now: UnixTime) throws(AccountDenial) -> String {
        var text = ObjectText()
        for name in ["iss", "aud"] { text.add(name, keys.issuer) }
        text.add("iat", now)
        text.add("exp", now.adding(Self.lifetime))
        text.add("jti", ticket)
        text.add(Name.binding, binding)
        text.add(Name.email, email)
        return try keys.sign(text.bytes, type: SessionKeys.emailType)
    }

    /// Returns whether the account and the user's last revocation are those of the token.
    func isBound(to account: AccountRecord, revokedAt: UnixTime?) throws(AccountDenial) -> Bool {
        ConstantTime.equals(binding.utf8, try Self.binding(ticket, account, revokedAt).utf8)
    }

    private static func binding(
        _ ticket: String, _ account: AccountRecord, _ revokedAt: UnixTime?
    ) throws(AccountDenial) -> String {
        let bound = ObjectText.object { text in
            text.add("ticket", ticket)
            text.add("user", account.user.name)
            text.add("email", orNull: account.email)
            text.add("revoked_at", orNull: revokedAt)
        }
        return HexDigits.text(of: try AccountDenial.hash(bound).bytes)
    }
}
