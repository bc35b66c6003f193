internal import JOSE

/// The assertion of the JWT bearer grant (RFC 7523 section 3), in the form that Google's token endpoint accepts.
struct Assertion {
    /// The audience that Google's client libraries use, whatever the service account's `token_uri`.
    private static let googleAudience = "https://oauth2.googleapis.com/token"
    /// The maximum lifetime, and the tolerance for `iat` in the future, in seconds.
    private static let longest: Int64 = 3600
    private static let skew: Int64 = 300

    /// The requested scopes.
    let scopes: [String]

    /// The reason why an assertion is rejected: `error` and `error_description`.
    struct Refusal: Error {
        let code: String
        let description: String

        static func grant(_ description: String) -> Refusal { Refusal(code: "invalid_grant", description: description) }
    }

    init(_ text: String, accounts: AccessTokens, now: Int64) throws(Refusal) {
        guard let token = try? UnverifiedJWS(text) else { throw .grant("Bad Request") }
        let claims = token.payload.root
        guard let issuer = claims["iss"]?.string, let account = accounts.account(issuer) else {
            throw .grant("Invalid grant: account not found")
        }
        guard token.keyID == nil || token.keyID == account.key.keyID,
            let key = try? KeySet(jwkSet: Array("{\"keys\":[\(account.key.jwk)]}".utf8)).keys.first,
            token.verify(with: key, algorithm: .rs256) != nil
        else { throw .grant("Invalid JWT Signature.") }
        guard let audience = claims["aud"]?.string, [account.tokenURL, Self.googleAudience].contains(audience) else {
            throw .grant("Invalid JWT: Failed audience check.")
        }
        guard let issuedAt = claims["iat"]?.integer, let expiresAt = claims["exp"]?.integer,
            expiresAt > now, issuedAt <= now + Self.skew, expiresAt <= issuedAt + Self.longest
        else {
            throw .grant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                    + "Check your iat and exp values in the JWT claim.")
        }
        scopes = (claims["scope"]?.string ?? "").split(separator: " ").map(String.init)
        guard !scopes.isEmpty else {
            throw Refusal(code: "invalid_scope", description: "Empty or missing scope not allowed.")
        }
    }
}
