import GatewayCore
import OutboundHTTP
import TextCoding

/// A workload at AWS as the source of subject tokens (`environment_id` `aws1`).
///
/// A subject token is a signed request for AWS's action `GetCallerIdentity`. The gateway does not send it: Google's
/// token service does, and so learns the workload's role. The signature includes the audience, so that the token is
/// useless for another one.
struct AWSWorkload: Sendable {
    static let subjectTokenType = "urn:ietf:params:aws:token-type:aws4_request"
    static let environmentID = "aws1"
    private static let service = "sts"
    private static let action = [(name: "Action", value: "GetCallerIdentity"), ("Version", "2011-06-15")]
    private static let query = "Action=GetCallerIdentity&Version=2011-06-15"
    /// The hosts of the action in a region. A changed file cannot name another one.
    private static let hosts = ["sts.{region}.amazonaws.com", "sts-fips.{region}.amazonaws.com"]
    private static let targetField = "x-goog-cloud-target-resource"
    private static let audienceLimit = 512

    private let audience: String
    /// The host of the action, with `{region}`.
    private let host: String
    /// The URL of the action, with `{region}`.
    private let url: String
    /// The keys and the region of the environment. `nil` if the metadata server provides them.
    private let keys: AWSKeys?
    private let region: String?
    private let metadata: AWSMetadata

    /// - Parameter environment: The variables that may name keys and a region.
    init(
        _ source: CredentialFile, audience: String, environment: [String: String]
    ) throws(ServiceAccount.Failure) {
        guard try source.text("environment_id") == Self.environmentID else {
            throw source.failure("has a credential_source whose environment_id is not \(Self.environmentID)")
        }
        guard audience.utf8.count <= Self.audienceLimit, audience.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw source.failure("has an audience that cannot be signed")
        }
        self.audience = audience
        url = try source.required("regional_cred_verification_url")
        let template = url
        let host = Self.hosts.first { host in
            ["https://\(host)?\(Self.query)", "https://\(host)/?\(Self.query)"].contains(template)
        }
        guard let host else {
            throw source.failure(
                "has a regional_cred_verification_url other than https://\(Self.hosts[0])?\(Self.query)")
        }
        self.host = host
        (keys, region) = (try AWSEnvironment.keys(environment), try AWSEnvironment.region(environment))
        metadata = try AWSMetadata(source)
        if keys == nil, metadata.rolesURL == nil {
            throw source.failure("has a credential_source without url, and AWS_ACCESS_KEY_ID is not set")
        }
        if region == nil, metadata.regionURL == nil {
            throw source.failure("has a credential_source without region_url, and AWS_REGION is not set")
        }
    }

    /// Obtains a subject token. It calls `completion` once, from any thread.
    ///
    /// - Parameter timeout: The timeout of all requests to the metadata server, of which there are at most four.
    func read(
        _ transport: any OutboundTransport, within timeout: Duration, now: Int64,
        completion: @escaping @Sendable (Result<Secret, LookupFailure>) -> Void
    ) {
        Task {
            do throws(LookupFailure) {
                completion(.success(try await token(transport, within: timeout, now: now)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func token(
        _ transport: any OutboundTransport, within timeout: Duration, now: Int64
    ) async throws(LookupFailure) -> Secret {
        if let keys, let region { return try token(by: keys, in: region, now: now) }
        let session = try await metadata.session(transport, step: timeout / 4, now: now)
        let found = if let region { region } else { try await session.region() }
        let foundKeys = if let keys { keys } else { try await session.keys() }
        return try token(by: foundKeys, in: found, now: now)
    }

    /// Returns the signed request as Google's token service reads it: percent-encoded JSON.
    func token(by keys: AWSKeys, in region: String, now: Int64) throws(LookupFailure) -> Secret {
        let scope = AWSRequest.Scope(now: now, region: region, service: Self.service)
        var fields: [(name: String, value: String)] = [
            ("host", host.replacing("{region}", with: region)), ("x-amz-date", scope.date),
            (Self.targetField, audience),
        ]
        if let token = keys.sessionToken { fields.append(("x-amz-security-token", token)) }
        let request = AWSRequest(method: "POST", query: Self.action, fields: fields)
        guard let authorization = request.authorization(by: keys, scope) else {
            throw LookupFailure(.ownCredentials, "the request for AWS could not be signed")
        }
        fields.append(("authorization", authorization))
        let text = ObjectText.object { object in
            object.add("url", url.replacing("{region}", with: region))
            object.add("method", request.method)
            object.add("headers", fields) { field, header in
                header.add("key", field.name)
                header.add("value", field.value)
            }
        }
        return Secret(PercentEncoding.encoded(text))
    }
}
