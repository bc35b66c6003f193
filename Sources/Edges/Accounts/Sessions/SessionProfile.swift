import GatewayCore
import JOSE
import Revocation

/// The parts of a profile that the user of an account chose, as claims of the account's sessions. They replace those of
/// the provider.
struct SessionProfile: Sendable {
    private static let names: [(part: ProfileParts, claims: [String])] = [
        (.name, ["name"]), (.picture, ["picture"]), (.email, ["email", "email_verified"]),
    ]

    private var account: AccountRecord

    init(_ account: AccountRecord) {
        self.account = account
    }

    /// The profile without the parts of variable size. They stay as they are in the session.
    var smallest: SessionProfile {
        var copy = self
        copy.account.chosen.subtract([.name, .picture])
        return copy
    }

    /// The address, if the user chose it.
    var email: String? { account.chosen.contains(.email) ? account.email : nil }

    /// Returns whether the user chose the value of a claim.
    func replaces(_ claim: String) -> Bool {
        Self.names.contains { part, claims in
            account.chosen.contains(part) && claims.contains { $0.isExactly(claim) }
        }
    }

    /// Adds the claims.
    func write(to text: inout ObjectText) {
        if account.chosen.contains(.name) { text.add("name", account.name) }
        if account.chosen.contains(.picture) { text.add("picture", account.picture) }
        guard let email else { return }
        text.add("email", email)
        text.add("email_verified", account.emailVerified)
    }

    /// Returns whether claims state the profile.
    func isStated(in claims: JSONValue) -> Bool {
        func states(_ part: ProfileParts, _ claim: String, _ value: String?) -> Bool {
            guard account.chosen.contains(part) else { return true }
            guard let value else { return claims[claim] == nil }
            return claims[claim]?.equals(value) ?? false
        }
        let isVerified = claims["email_verified"]?.bool ?? false
        return states(.name, "name", account.name) && states(.picture, "picture", account.picture)
            && states(.email, "email", account.email) && (email == nil || isVerified == account.emailVerified)
    }

    /// Returns the `firebase` claim of a session with the address that the user chose.
    func firebase(_ claim: JSONValue) -> [UInt8] {
        guard let email else { return claim.compact }
        return ObjectText.object { text in
            for (name, value) in claim.members where !name.isExactly("identities") { text.add(name, value) }
            text.add(
                "identities",
                json: ObjectText.object { identities in
                    if let members = claim["identities"]?.members {
                        for (name, value) in members where !name.isExactly("email") { identities.add(name, value) }
                    }
                    identities.add("email", [email])
                })
        }
    }
}
