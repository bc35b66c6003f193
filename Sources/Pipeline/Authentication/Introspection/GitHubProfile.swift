import GatewayCore
package import JOSE

/// The profile of a GitHub user and the user's addresses, as GitHub returns them for an access token (REST API,
/// `users/get-authenticated` and `users/list-emails-for-authenticated-user`).
///
/// The caller received the token from GitHub for its own code, which proves the application.
package struct GitHubProfile {
    private let user: JSONValue
    private let emails: JSONValue?
    private let clientID: String
    private let scopes: [String]

    /// Creates the profile. `emails` is `nil` if the addresses were not read.
    package init(user: JSONValue, emails: JSONValue?, clientID: String, scopes: [String]) {
        self.user = user
        self.emails = emails
        self.clientID = clientID
        self.scopes = scopes
    }

    /// Returns the identity.
    package func identity(of provider: String) throws(Unproven) -> ProviderIdentity {
        let user = try IntrospectionResponseReader(user, "the user")
        guard let id = user["id"]?.integer, id > 0 else { throw .malformed("id is not an integer") }
        var claims = ObjectText()
        claims.add("sub", String(id))
        claims.add("client_id", clientID)
        claims.add("scope", scopes.joined(separator: " "))
        for (claim, name) in [("login", "login"), ("name", "name"), ("picture", "avatar_url")] {
            claims.add(claim, user[name]?.string)
        }
        if let email = primaryEmail {
            claims.add("email", email)
            claims.add("email_verified", true)
        }
        return try ProvenResponse.identity(
            TokenProof(subject: String(id), claims: claims, scopes: scopes), provider: provider)
    }

    /// The address that is both primary and verified. Any user can add further addresses, and the public one of the
    /// profile may be unverified.
    private var primaryEmail: String? {
        emails?.elements.first {
            $0["primary"]?.bool == true && $0["verified"]?.bool == true
        }?["email"]?.string
    }
}
