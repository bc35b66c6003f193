import GatewayCore
import OutboundHTTP

/// The credential service of a container: of a task at ECS, or of EKS Pod Identity (AWS SDKs Reference Guide,
/// "Container credential provider").
struct AWSContainer: Sendable {
    private enum Authorization: Sendable {
        case none
        case token(Secret)
        /// A file that the cluster replaces.
        case file(SubjectTokenFile)
    }

    private static let relativeVariable = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
    private static let fullVariable = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
    private static let tokenVariable = "AWS_CONTAINER_AUTHORIZATION_TOKEN"
    private static let fileVariable = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"
    /// The service of ECS.
    private static let taskHost = "169.254.170.2"
    /// The hosts, other than this machine, that may receive the token without TLS: ECS and EKS Pod Identity.
    private static let hosts = [taskHost, "169.254.170.23", "fd00:ec2::23"]

    private let url: String
    private let authorization: Authorization

    /// Creates the service of the environment. `nil` if the environment names none.
    init?(environment: [String: String]) throws(ServiceAccount.Failure) {
        let text = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = text(Self.relativeVariable) {
            url = "http://\(Self.taskHost)\(path)"
            guard path.hasPrefix("/"), (try? HTTPURL(parsing: url)) != nil else {
                throw ServiceAccount.Failure(
                    description: "the environment variable \(Self.relativeVariable) is not a path")
            }
        } else if let named = text(Self.fullVariable) {
            guard let parsed = try? HTTPURL(parsing: named),
                parsed.isSecure || parsed.isLoopback || Self.hosts.contains(parsed.host)
            else {
                throw ServiceAccount.Failure(
                    description: "the environment variable \(Self.fullVariable) is not https, or at \(Self.taskHost)")
            }
            url = named
        } else {
            return nil
        }
        if let file = text(Self.fileVariable) {
            authorization = .file(SubjectTokenFile(path: file, name: "the file of \(Self.fileVariable)"))
        } else {
            authorization = text(Self.tokenVariable).map { .token(Secret($0)) } ?? .none
        }
    }

    /// Returns the keys of the container's role.
    ///
    /// - Parameter step: The timeout of the request. The read of a file has none.
    func keys(
        _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> AWSKeys {
        var request = OutboundRequest(method: .get, url: url, fields: [("accept", "application/json")])
        if let token = try await token() {
            let text = token.withBytes { String(decoding: $0, as: UTF8.self) }
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                throw Self.failure(.ownCredentials, "its token cannot be sent")
            }
            request.fields.append(("authorization", text))
        }
        switch await transport.send(request, within: step) {
        case .success(let response) where response.status == 200:
            guard let keys = AWSKeys(parsing: response.body) else { throw Self.failure(.malformed, "no keys") }
            return keys
        case .success(let response):
            let failure = LookupFailure(response, ownCredentials: [400, 401, 403, 404], now: now)
            throw Self.failure(failure.kind, failure.detail)
        case .failure(let failure): throw Self.failure(failure.kind, failure.detail)
        }
    }

    private func token() async throws(LookupFailure) -> Secret? {
        switch authorization {
        case .none: nil
        case .token(let token): token
        case .file(let file): try await file.token().get()
        }
    }

    private static func failure(_ kind: LookupFailure.Kind, _ what: String) -> LookupFailure {
        LookupFailure(kind, "the credential service of the container\(what.isEmpty ? "" : ": \(what)")")
    }
}
