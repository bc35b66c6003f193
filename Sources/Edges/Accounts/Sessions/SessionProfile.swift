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
    /// An address that the account lost, and that its sessions must not state.
    private let lost: String?

    init(_ account: AccountRecord, without lost: String? = nil) {
        self.account = account
        self.lost = lost
    }

    /// The profile without the parts of variable size. They stay as they are in the session.
    var smallest: SessionProfile {
        var copy = self
        copy.account.chosen.subtract([.name, .picture])
        return copy
    }

    /// The address, if the user chose it.
    var email: String? { account.chosen.contains(.email) ? account.email : nil }

    /// Returns whether a claim is omitted, because the user chose its value, or because it is about a lost address.
    func replaces(_ claim: String, of claims: JSONValue) -> Bool {
        var parts = account.chosen
        if let email = claims["email"]?.string, isLost(email) { parts.insert(.email) }
        return Self.names.contains { part, names in
            parts.contains(part) && names.contains { $0.isExactly(claim) }
        }
    }

    private func isLost(_ address: String) -> Bool {
        guard let lost, let address = EmailAddress.normalized(address) else { return false }
        return lost.isExactly(address)
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

    /// Returns the `firebase` claim of a session with the address that the user chose, and without a lost one.
    func firebase(_ claim: JSONValue) -> [UInt8] {
        let stated = claim["identities"]?["email"]?.elements.compactMap(\.string) ?? []
        let addresses = email.map { [$0] } ?? stated.filter { !isLost($0) }
        guard email != nil || addresses.count < stated.count else { return claim.compact }
        return ObjectText.object { text in
            for (name, value) in claim.members where !name.isExactly("identities") { text.add(name, value) }
            text.add(
                "identities",
                json: ObjectText.object { identities in
                    if let members = claim["identities"]?.members {
                        for (name, value) in members where !name.isExactly("email") { identities.add(name, value) }
                    }
                    if !addresses.isEmpty { identities.add("email", addresses) }
                })
        }
    }
}
