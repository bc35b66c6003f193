internal import TextCoding

extension ProviderService {
    /// The maximum number of IDs per lookup.
    private static let mostIDs = 100
    /// The accepted scopes. One of them is sufficient.
    private static let scopes = ["cloud-platform", "firebase", "identitytoolkit"]
        .map { "https://www.googleapis.com/auth/\($0)" }

    /// Responds to `POST /v1/projects/{project}/accounts:lookup` and
    /// `/v1/projects/{project}/tenants/{tenant}/accounts:lookup`, by `localId`, `email` and `federatedUserId`.
    func lookUpAccounts(_ request: ReceivedRequest) -> Response {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard let token = request.authorization(scheme: "bearer"), let grant = accessTokens.grant(token, now: now())
        else { return .google(.unauthenticated) }
        let path = request.path.split(separator: "/").map { PercentEncoding.decodedText($0.utf8) }
        guard path.count > 3, path[2] == project, grant.scopes.contains(where: Self.scopes.contains) else {
            return .google(.permissionDenied)
        }
        guard let body = JSONObject(parsing: request.bodyPrefix), request.bodyText != nil,
            let uids = Self.texts(body["localId"]), let emails = Self.texts(body["email"]),
            let identities = Self.identities(body["federatedUserId"]),
            uids.count + emails.count + identities.count <= Self.mostIDs
        else { return .google(.invalidArgument) }
        let tenant = path.count > 5 ? path[4] : nil
        var found = accounts.lookUp(uids, tenant: tenant)
        for account in accounts.find(identities, emails: emails, tenant: tenant)
        where !found.contains(where: { $0.user.uid == account.user.uid }) { found.append(account) }
        var response: JSONObject = ["kind": "identitytoolkit#GetAccountInfoResponse"]
        if !found.isEmpty { response["users"] = .array(found.map { .object($0.userInfo) }) }
        return .json(.object(response))
    }

    /// Returns the strings of an array, none if it is absent. `nil` if it is malformed.
    private static func texts(_ value: JSON?) -> [String]? {
        guard let value else { return [] }
        guard let elements = value.elements else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    private static func identities(_ value: JSON?) -> [AccountRegistry.Identity]? {
        guard let value else { return [] }
        guard let elements = value.elements else { return nil }
        let identities = elements.compactMap { element -> AccountRegistry.Identity? in
            guard case .object(let members) = element, let provider = members["providerId"]?.string,
                let id = members["rawId"]?.string
            else { return nil }
            return AccountRegistry.Identity(provider: provider, id: id)
        }
        return identities.count == elements.count ? identities : nil
    }

    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    /// Responds to `POST /token` with an access token for a service account's assertion.
    func issueAccessToken(_ request: ReceivedRequest) -> Response {
        guard request.method == "POST" else { return .notAllowed("POST") }
        guard let form = FormFields(bodyOf: request), let grant = form["grant_type"] else {
            return .oauthError("invalid_request")
        }
        guard grant == Self.jwtBearer else {
            return .oauthError("unsupported_grant_type", "Invalid grant_type: \(grant)")
        }
        do throws(Assertion.Refusal) {
            let assertion = try Assertion(form["assertion"] ?? "", accounts: accessTokens, now: now())
            let text = accessTokens.issue(scopes: assertion.scopes, now: now())
            return .secretJSON([
                "access_token": .string(text), "expires_in": .integer(AccessTokens.lifetime), "token_type": "Bearer",
            ])
        } catch {
            return .oauthError(error.code, error.description)
        }
    }
}
