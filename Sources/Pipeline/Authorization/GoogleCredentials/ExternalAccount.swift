import CivilCalendar
import GatewayCore
import HTTPWire
import JOSE
import OutboundHTTP
import TextCoding

/// Workload identity federation: a token of another identity system is exchanged for one of Google (RFC 8693).
package struct ExternalAccount: Sendable {
    static let tokenHost = "sts.googleapis.com"
    static let impersonationHost = "iamcredentials.googleapis.com"

    let audience: String
    let subjectTokenType: String
    let tokenURL: String
    /// The URL that issues tokens of a service account. `nil` if the federated identity has the rights itself.
    let impersonationURL: String?
    let source: SubjectTokenSource

    /// - Parameter environment: The variables that may name the keys of a workload at AWS.
    init(_ file: CredentialFile, environment: [String: String]) throws(ServiceAccount.Failure) {
        audience = try file.required("audience")
        subjectTokenType = try file.required("subject_token_type")
        tokenURL =
            try file.serviceURL("token_url", host: Self.tokenHost) ?? "https://\(Self.tokenHost)/v1/token"
        impersonationURL = try file.serviceURL(
            "service_account_impersonation_url", host: Self.impersonationHost)
        for member in ["workforce_pool_user_project", "client_id", "client_secret"] where file[member] != nil {
            throw file.failure("has \(member), which is not supported")
        }
        guard let credential = try file.object("credential_source") else {
            throw file.failure("has no credential_source")
        }
        source = try SubjectTokenSource(credential, audience: audience, environment: environment)
        if case .aws = source.location, subjectTokenType != AWSWorkload.subjectTokenType {
            throw file.failure("has a subject_token_type other than \(AWSWorkload.subjectTokenType)")
        }
    }

    /// The exchange of a subject token. A token that only obtains that of a service account needs no further scope.
    func exchange(_ subjectToken: Secret, scope: GoogleScope) -> OutboundRequest {
        let further = impersonationURL == nil ? scope.further : []
        var request = OutboundRequest(
            method: .post, url: tokenURL,
            fields: [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")])
        for (name, value) in [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", audience),
            ("scope", ([GoogleCredential.scope] + further).joined(separator: " ")),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("subject_token_type", subjectTokenType),
        ] { FormEncoding.append(name, value.utf8, to: &request.body) }
        subjectToken.withBytes { FormEncoding.append("subject_token", $0, to: &request.body) }
        return request
    }

    /// The request of a service account's token with the federated one.
    func impersonation(at url: String, by token: Secret, scope: GoogleScope) -> OutboundRequest {
        var body = ObjectText()
        body.add("delegates", [String]())
        body.add("scope", scope.names)
        body.add("lifetime", "\(Self.impersonationLifetime)s")
        return OutboundRequest(
            method: .post, url: url,
            fields: [
                ("authorization", token.withBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }),
                ("content-type", "application/json"), ("accept", "application/json"),
            ], body: body.bytes)
    }

    /// The lifetime of a service account's token, in seconds: Google's maximum without an organization policy.
    static let impersonationLifetime: Int64 = 3600

    /// Parses the response to `impersonation`.
    static func readImpersonation(
        _ response: OutboundResponse, now: Int64
    ) -> Result<AccessToken, LookupFailure> {
        guard response.status == 200 else {
            return .failure(LookupFailure(response, ownCredentials: [400, 401, 403, 404], now: now))
        }
        guard let document = try? JSONDocument(response.body, limits: AccessTokenGrant.limits),
            let token = document.root["accessToken"]?.string, AccessTokenGrant.isSendable(token),
            let expiry = document.root["expireTime"]?.string.flatMap(RFC3339.seconds)
        else { return .failure(LookupFailure(.malformed, "no accessToken with an expireTime")) }
        let (lifetime, overflows) = expiry.subtractingReportingOverflow(now)
        guard !overflows, lifetime > 0 else {
            return .failure(LookupFailure(.malformed, "expireTime is in the past; check the clock"))
        }
        return .success(AccessToken(value: Secret(token), lifetime: min(lifetime, impersonationLifetime)))
    }
}
