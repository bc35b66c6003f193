extension ProviderService {
    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// Answers `POST /token`: an access token for a service account's assertion.
    func issueAccessToken(_ request: ReceivedRequest) -> Answer {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard let form = FormFields(bodyOf: request), let grant = form["grant_type"] else {
            return .oauthError("invalid_request")
        }
        guard grant == Self.jwtBearer else {
            return .oauthError("unsupported_grant_type", "Invalid grant_type: \(grant)")
        }
        do throws(Assertion.Refusal) {
            let assertion = try Assertion(form["assertion"] ?? "", accounts: accessTokens, now: now())
            let (text, lifetime) = accessTokens.issue(scopes: assertion.scopes, now: now())
            return .secretJSON([
                "access_token": .string(text), "expires_in": .integer(lifetime), "token_type": "Bearer",
            ])
        } catch {
            return .oauthError(error.code, error.description)
        }
    }
}
