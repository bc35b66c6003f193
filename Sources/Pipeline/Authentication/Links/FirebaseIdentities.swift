import GatewayConfiguration
import GatewayCore
package import Revocation

/// The member `identities` of the `firebase` claim.
enum FirebaseIdentities {
    /// Returns JSON text: each provider's ID with one identity, then `email`.
    static func json(_ identities: [(provider: String, id: String)], email: String?) -> [UInt8] {
        var text = ObjectText()
        for (name, value) in identities + (email.map { [("email", $0)] } ?? []) where !value.isEmpty {
            text.add(name, [value])
        }
        return text.bytes
    }

    /// Returns JSON text of an account's links.
    static func json(links: [IdentityLink], email: String?) -> [UInt8] {
        json(links.map { ($0.provider, $0.federatedID) }, email: email)
    }

    /// Returns the complete `firebase` claim of a user who signed in with a provider.
    ///
    /// - Parameter tenant: The tenant, if it is part of the user key.
    static func claim(identities: [UInt8], provider: String, tenant: String? = nil) -> [UInt8] {
        ObjectText.object { text in
            text.add("identities", json: identities)
            text.add("sign_in_provider", provider)
            text.add("tenant", tenant)
        }
    }
}

extension IdentityLink {
    /// The identity in Firebase's form. It is the subject; for Microsoft, the user without the tenant, in the form that
    /// Firebase uses.
    package var federatedID: String {
        guard provider.utf8.elementsEqual("microsoft.com".utf8) else { return subject }
        let parts = subject.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return subject }
        let object = String(parts[1])
        guard parts[0].utf8.elementsEqual(TenantID.personalAccounts.utf8) else { return object }
        return MicrosoftFederatedID.of(object: object) ?? object
    }
}
