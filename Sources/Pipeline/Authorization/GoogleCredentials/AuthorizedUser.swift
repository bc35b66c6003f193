import GatewayCore
import OutboundHTTP
import TextCoding

/// The login of a developer, as `gcloud auth application-default login` stores it. For development.
package struct AuthorizedUser: Sendable {
    private static let host = "oauth2.googleapis.com"

    let clientID: String
    let clientSecret: Secret
    let refreshToken: Secret
    let tokenURL: String

    init(_ file: CredentialFile) throws(ServiceAccount.Failure) {
        clientID = try file.required("client_id")
        clientSecret = Secret(try file.required("client_secret"))
        refreshToken = Secret(try file.required("refresh_token"))
        tokenURL = try file.serviceURL("token_uri", host: Self.host) ?? "https://\(Self.host)/token"
    }

    /// The refresh of RFC 6749 section 6.
    var request: OutboundRequest {
        var request = OutboundRequest(
            method: .post, url: tokenURL,
            fields: [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")])
        FormEncoding.append("grant_type", "refresh_token".utf8, to: &request.body)
        FormEncoding.append("client_id", clientID.utf8, to: &request.body)
        clientSecret.withBytes { FormEncoding.append("client_secret", $0, to: &request.body) }
        refreshToken.withBytes { FormEncoding.append("refresh_token", $0, to: &request.body) }
        return request
    }
}
