import CivilCalendar
import GatewayCore
import JOSE
import OutboundHTTP
import TextCoding

/// The metadata service of an instance at AWS, version 2 (IMDSv2): each read has a session token, which a request
/// that a proxy forwards cannot obtain.
struct AWSMetadata: Sendable {
    /// The addresses of the service. A changed file cannot send the session token to another one.
    private static let hosts = ["169.254.169.254", "fd00:ec2::254"]
    private static let defaultTokenURL = "http://169.254.169.254/latest/api/token"
    /// The variable that replaces the service's address.
    private static let endpointVariable = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
    /// The variable that disables the service, if it is `true`.
    static let offVariable = "AWS_EC2_METADATA_DISABLED"

    private let tokenURL: String
    /// The URL of the instance's role, to which its name is appended for its keys. `nil` if absent.
    let rolesURL: String?
    /// The URL of the region or the availability zone. `nil` if absent.
    let regionURL: String?

    init(_ source: CredentialFile) throws(ServiceAccount.Failure) {
        tokenURL = try Self.url("imdsv2_session_token_url", source) ?? Self.defaultTokenURL
        rolesURL = try Self.url("url", source)
        regionURL = try Self.url("region_url", source)
    }

    /// Creates the service of the environment. `nil` if the environment disables it.
    init?(environment: [String: String]) throws(ServiceAccount.Failure) {
        guard environment[Self.offVariable]?.lowercased() != "true" else { return nil }
        let named = environment[Self.endpointVariable] ?? ""
        let base = named.isEmpty ? "http://\(Self.hosts[0])" : named.hasSuffix("/") ? String(named.dropLast()) : named
        guard Self.isService(base), (try? HTTPURL(parsing: base))?.target.isEmpty == true else {
            throw ServiceAccount.Failure(
                description: "the environment variable \(Self.endpointVariable) is not http://\(Self.hosts[0])")
        }
        tokenURL = "\(base)/latest/api/token"
        rolesURL = "\(base)/latest/meta-data/iam/security-credentials"
        regionURL = "\(base)/latest/meta-data/placement/region"
    }

    private static func url(_ member: String, _ source: CredentialFile) throws(ServiceAccount.Failure) -> String? {
        guard let text = try source.text(member) else { return nil }
        guard isService(text) else { throw source.failure("has a \(member) that is not at http://\(hosts[0])") }
        return text
    }

    /// Returns whether the URL is at the service, or on this machine in tests.
    private static func isService(_ text: String) -> Bool {
        guard let url = try? HTTPURL(parsing: text), !url.isSecure else { return false }
        return hosts.contains(url.host) && url.port == 80 || url.isLoopback
    }

    /// Returns the region of a region's or an availability zone's name: `eu-west-1` of `eu-west-1b`, `us-west-2` of the
    /// local zone `us-west-2-lax-1a`. `nil` if the text is no such name.
    static func region(in text: [UInt8]) -> String? {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) }
        let hyphen = UInt8(ascii: "-")
        guard text.count <= 64, text.allSatisfy({ isDigit($0) || isLetter($0) || $0 == hyphen }) else { return nil }
        var region: [UInt8] = []
        for (index, part) in text.split(separator: hyphen, omittingEmptySubsequences: false).enumerated() {
            let digits = part.prefix(while: isDigit)
            guard digits.isEmpty else { return index >= 2 ? String(decoding: region + digits, as: UTF8.self) : nil }
            guard !part.isEmpty, part.allSatisfy(isLetter) else { return nil }
            region += part + [hyphen]
        }
        return nil
    }

    /// Starts a session.
    ///
    /// - Parameter step: The timeout of each request.
    func session(
        _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> AWSMetadataSession {
        let session = AWSMetadataSession(metadata: self, transport: transport, step: step, now: now)
        return try await session.opened(at: tokenURL)
    }
}

extension AWSKeys {
    /// Parses the temporary keys in a response of the metadata service of an instance or a container. `nil` if they are
    /// incomplete, or cannot be part of a signed request.
    init?(parsing response: [UInt8]) {
        let limits = JSONLimits(size: SubjectTokenSource.sizeLimit, depth: 8, members: 64)
        guard let root = (try? JSONDocument(response, limits: limits))?.root,
            let id = root["AccessKeyId"]?.string, let secret = root["SecretAccessKey"]?.string,
            let token = root["Token"]?.string
        else { return nil }
        self.init(id: id, secret: secret, sessionToken: token)
        expires = root["Expiration"]?.string.flatMap(RFC3339.seconds).map { UnixTime(clamping: $0) }
    }
}

/// The reads of a metadata service with one session token.
struct AWSMetadataSession {
    private static let tokenLimit = 1 << 10

    let metadata: AWSMetadata
    let transport: any OutboundTransport
    /// The timeout of each request.
    let step: Duration
    let now: Int64
    private var token: (name: String, value: String)?

    init(metadata: AWSMetadata, transport: any OutboundTransport, step: Duration, now: Int64) {
        (self.metadata, self.transport, self.step, self.now) = (metadata, transport, step, now)
    }

    /// Returns the session with a token, which is valid for a minute.
    fileprivate func opened(at url: String) async throws(LookupFailure) -> AWSMetadataSession {
        let lifetime = ("x-aws-ec2-metadata-token-ttl-seconds", "60")
        let token = try await send(
            OutboundRequest(method: .put, url: url, fields: [lifetime]), "its session token (IMDSv2)")
        guard (1...Self.tokenLimit).contains(token.count), token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.failure(.malformed, "an invalid session token")
        }
        var session = self
        session.token = ("x-aws-ec2-metadata-token", String(decoding: token, as: UTF8.self))
        return session
    }

    /// Returns the region of the instance.
    func region() async throws(LookupFailure) -> String {
        guard let region = AWSMetadata.region(in: try await get(metadata.regionURL, "the region")) else {
            throw Self.failure(.malformed, "an invalid region")
        }
        return region
    }

    /// Returns the keys of the instance's role.
    func keys() async throws(LookupFailure) -> AWSKeys {
        let role = try await get(metadata.rolesURL, "the role of the instance")
        guard (1...64).contains(role.count), let name = String(validating: role, as: UTF8.self),
            role.allSatisfy({ PercentEncoding.isUnreserved($0) || "+=,@".utf8.contains($0) })
        else { throw Self.failure(.malformed, "an invalid role") }
        let base = metadata.rolesURL ?? ""
        let response = try await get(base.hasSuffix("/") ? base + name : "\(base)/\(name)", "the keys of the role")
        guard let keys = AWSKeys(parsing: response) else { throw Self.failure(.malformed, "no keys of the role") }
        return keys
    }

    private func get(_ url: String?, _ what: String) async throws(LookupFailure) -> [UInt8] {
        guard let url else { throw Self.failure(.ownCredentials, "no URL of \(what)") }
        return try await send(OutboundRequest(method: .get, url: url, fields: token.map { [$0] } ?? []), what)
    }

    private func send(_ request: OutboundRequest, _ what: String) async throws(LookupFailure) -> [UInt8] {
        switch await transport.send(request, within: step) {
        case .success(let response) where response.status == 200: return response.body
        case .success(let response):
            let failure = LookupFailure(response, ownCredentials: [400, 401, 403, 404], now: now)
            throw Self.failure(failure.kind, "\(what): \(failure.detail)", retryAfter: failure.retryAfter)
        case .failure(let failure):
            throw Self.failure(failure.kind, failure.detail.isEmpty ? what : "\(what): \(failure.detail)")
        }
    }

    private static func failure(
        _ kind: LookupFailure.Kind, _ what: String, retryAfter: Int? = nil
    ) -> LookupFailure {
        LookupFailure(kind, "the metadata service of AWS: \(what)", retryAfter: retryAfter)
    }
}
