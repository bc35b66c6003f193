import CivilCalendar
import GatewayCore
import OutboundHTTP
import TextCoding

/// A role whose keys AWS's token service issues for a token of another identity system, as for service accounts of EKS
/// (AWS Security Token Service API Reference, `AssumeRoleWithWebIdentity`).
struct AWSWebIdentity: Sendable {
    private static let fileVariable = "AWS_WEB_IDENTITY_TOKEN_FILE"
    private static let roleVariable = "AWS_ROLE_ARN"
    private static let sessionVariable = "AWS_ROLE_SESSION_NAME"

    private let file: SubjectTokenFile
    private let role: String
    private let session: String

    /// Creates the role of the environment. `nil` if the environment names no file with a token.
    init?(environment: [String: String]) throws(ServiceAccount.Failure) {
        guard let path = environment[Self.fileVariable], !path.isEmpty else { return nil }
        let role = environment[Self.roleVariable] ?? ""
        guard role.hasPrefix("arn:"), role.utf8.count <= 2_048, role.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServiceAccount.Failure(
                description: "\(Self.fileVariable) is set, but \(Self.roleVariable) is absent or no ARN")
        }
        file = SubjectTokenFile(path: path, name: "the file of \(Self.fileVariable)")
        self.role = role
        let session = environment[Self.sessionVariable] ?? ""
        self.session = session.isEmpty ? "gatehouse" : session
    }

    /// Returns keys of the role.
    ///
    /// - Parameters:
    ///   - region: A valid region, whose token service is called.
    ///   - step: The timeout of the request. The read of the file has none.
    func keys(
        in region: String, _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> AWSKeys {
        let token = try await file.token().get()
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        var request = OutboundRequest(
            method: .post, url: "https://sts.\(region).\(domain)/",
            fields: [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/xml")])
        for (name, value) in [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session),
        ] { FormEncoding.append(name, value.utf8, to: &request.body) }
        token.withBytes { FormEncoding.append("WebIdentityToken", $0, to: &request.body) }
        switch await transport.send(request, within: step) {
        case .success(let response) where response.status == 200:
            guard let keys = AWSKeys(parsingXML: response.body) else { throw Self.failure(.malformed, "no keys") }
            return keys
        case .success(let response):
            let failure = LookupFailure(response, ownCredentials: [400, 401, 403], now: now)
            throw Self.failure(failure.kind, failure.detail)
        case .failure(let failure): throw Self.failure(failure.kind, failure.detail)
        }
    }

    private static func failure(_ kind: LookupFailure.Kind, _ what: String) -> LookupFailure {
        LookupFailure(kind, "the token service of AWS\(what.isEmpty ? "" : ": \(what)")")
    }
}

extension AWSKeys {
    /// Parses the element `Credentials` of a response. Its texts contain no character that XML escapes. `nil` if it is
    /// incomplete, or cannot be part of a signed request.
    init?(parsingXML response: [UInt8]) {
        guard response.count <= SubjectTokenSource.sizeLimit, let text = String(validating: response, as: UTF8.self),
            let credentials = Self.text(of: "Credentials", in: text[...]),
            let id = Self.text(of: "AccessKeyId", in: credentials),
            let secret = Self.text(of: "SecretAccessKey", in: credentials),
            let token = Self.text(of: "SessionToken", in: credentials),
            let end = Self.text(of: "Expiration", in: credentials).flatMap({ RFC3339.seconds(String($0)) })
        else { return nil }
        guard ![id, secret, token].contains(where: { $0.utf8.contains { $0 == 0x26 || $0 == 0x3C } }) else {
            return nil
        }
        self.init(id: String(id), secret: String(secret), sessionToken: String(token))
        expires = UnixTime(clamping: end)
    }

    /// Returns the content of the first element of this name. `nil` if there is none.
    private static func text(of name: String, in text: Substring) -> Substring? {
        guard let start = text.firstRange(of: "<\(name)>") else { return nil }
        let rest = text[start.upperBound...]
        return rest.firstRange(of: "</\(name)>").map { rest[..<$0.lowerBound] }
    }
}
