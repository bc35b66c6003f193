import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import TextCoding

/// A check by GitHub on behalf of the application that the token was issued to (REST API, `apps/check-token`).
///
/// The request authenticates as the application, so that GitHub does not find tokens of other applications.
struct GitHubTokenCheck: TokenCheck {
    let provider: String
    /// 404: the application has no such token. 422: GitHub rejects the request as invalid.
    let refusals: Set<Int> = [404, 422]
    let ownCredentials: Set<Int> = [401]
    private let url: String
    private let clientID: String
    private let clientSecret: Secret

    init(provider: String, _ tokens: Configuration.Provider.OpaqueTokens) {
        self.provider = provider
        clientID = tokens.clientID
        clientSecret = tokens.clientSecret
        let id = String(decoding: PercentEncoding.encoded(tokens.clientID.utf8), as: UTF8.self)
        url = tokens.url.split(separator: "{client_id}", omittingEmptySubsequences: false).joined(separator: id)
    }

    func request(about token: [UInt8]) -> OutboundRequest {
        var body = ObjectText()
        body.add("access_token", String(decoding: token, as: UTF8.self))
        let credentials = clientSecret.withBytes { BasicCredentials.field(name: clientID.utf8, secret: $0) }
        return OutboundRequest(
            method: .post, url: url,
            fields: [
                ("authorization", credentials), ("accept", "application/vnd.github+json"),
                ("content-type", "application/json"),
            ],
            body: body.bytes)
    }

    func isForUs(_ claims: JSONValue) -> Bool { claims["client_id"]?.equals(clientID) == true }

    func examine(_ response: JSONValue, latest: UnixTime) throws(Unproven) -> TokenProof {
        let response = try IntrospectionResponseReader(response, "the answer")
        let app = try IntrospectionResponseReader(response["app"], "app")
        guard app["client_id"]?.equals(clientID) == true else { throw .refused(.audience) }
        // An installation token represents no user.
        guard let member = response["user"] else { throw .refused(.subject) }
        let user = try IntrospectionResponseReader(member, "user")
        guard let id = user["id"]?.integer else { throw .malformed("user.id is not an integer") }
        let scopes = try response.texts("scopes")
        let issuedAt = try response.date("created_at", else: .issuedAt)
        let expiresAt = try response.date("expires_at", else: .expired)
        var claims = ObjectText()
        claims.add("sub", String(id))
        claims.add("client_id", clientID)
        claims.add("scope", scopes.joined(separator: " "))
        claims.add("iat", issuedAt)
        claims.add("exp", expiresAt)
        for (claim, name) in [("login", "login"), ("name", "name"), ("email", "email"), ("picture", "avatar_url")] {
            claims.add(claim, user[name]?.string)
        }
        return TokenProof(
            subject: String(id), claims: claims, issuedAt: issuedAt, expiresAt: expiresAt, scopes: scopes)
    }
}
