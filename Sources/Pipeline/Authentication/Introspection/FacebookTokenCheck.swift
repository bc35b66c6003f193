import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import TextCoding

/// A check by Facebook's `debug_token`, authenticated with the application's ID and secret.
struct FacebookTokenCheck: TokenCheck {
    let provider: String
    /// Status 400 is not included, because it may concern the token only.
    let ownCredentials: Set<Int> = [401, 403]
    private let url: String
    private let appID: String
    private let appSecret: Secret

    init(provider: String, _ tokens: Configuration.Provider.OpaqueTokens) {
        self.provider = provider
        url = tokens.url
        appID = tokens.clientID
        appSecret = tokens.clientSecret
    }

    func request(about token: [UInt8]) -> OutboundRequest {
        var target = Array(url.utf8)
        if !target.contains(UInt8(ascii: "?")) { target.append(UInt8(ascii: "?")) }
        FormEncoding.append("input_token", token, to: &target)
        let credentials = appSecret.withBytes { Array("\(appID)|".utf8) + $0 }
        FormEncoding.append("access_token", credentials, to: &target)
        return OutboundRequest(method: .get, url: String(decoding: target, as: UTF8.self), fields: [])
    }

    func isForUs(_ claims: JSONValue) -> Bool { claims["app_id"]?.equals(appID) == true }

    func examine(_ response: JSONValue, latest: UnixTime) throws(Unproven) -> TokenProof {
        let data = try IntrospectionResponseReader(IntrospectionResponseReader(response, "the answer")["data"], "data")
        guard data["error"] == nil, try data.flag("is_valid") else { throw .refused(.inactive) }
        guard data["app_id"]?.equals(appID) == true else { throw .refused(.audience) }
        guard data["type"]?.equals("USER") == true else { throw .refused(.tokenType) }
        guard let subject = data["user_id"]?.string else { throw .refused(.subject) }
        guard let end = try data.time("expires_at", else: .expired) else { throw .malformed("expires_at is missing") }
        // 0 means that the token does not expire.
        let expiresAt = end == 0 ? nil : end
        let issuedAt = try data.time("issued_at", else: .issuedAt)
        let scopes = try data.texts("scopes")
        var claims = ObjectText()
        claims.add("sub", subject)
        claims.add("app_id", appID)
        claims.add("scope", scopes.joined(separator: " "))
        claims.add("iat", issuedAt)
        claims.add("exp", expiresAt)
        return TokenProof(
            subject: subject, claims: claims, issuedAt: issuedAt, expiresAt: expiresAt, scopes: scopes)
    }
}
