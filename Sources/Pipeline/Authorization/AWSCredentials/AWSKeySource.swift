import GatewayCore
import OutboundHTTP

/// The source of the keys with which the gateway signs requests for AWS, in the order of AWS's SDKs: environment
/// variables, a role for a token of another identity system, the credential service of a container, or the metadata
/// service of an instance.
struct AWSKeySource: Sendable {
    private enum Location: Sendable {
        case environment(AWSKeys)
        case webIdentity(AWSWebIdentity)
        case container(AWSContainer)
        case instance
    }

    private let location: Location
    /// `nil` if the metadata service knows it.
    private let region: String?
    /// `nil` if the environment disables it.
    private let metadata: AWSMetadata?

    /// - Parameter region: The configured region.
    init(region: String?, environment: [String: String]) throws(ServiceAccount.Failure) {
        self.region = if let region { region } else { try AWSEnvironment.region(environment) }
        metadata = try AWSMetadata(environment: environment)
        if let keys = try AWSEnvironment.keys(environment) {
            location = .environment(keys)
        } else if let identity = try AWSWebIdentity(environment: environment) {
            location = .webIdentity(identity)
        } else if let container = try AWSContainer(environment: environment) {
            location = .container(container)
        } else if metadata != nil {
            location = .instance
        } else {
            throw ServiceAccount.Failure(
                description: "AWS_ACCESS_KEY_ID is not set, and \(AWSMetadata.offVariable) is true")
        }
        if self.region == nil, metadata == nil {
            throw ServiceAccount.Failure(
                description: "AWS_REGION is not set, and \(AWSMetadata.offVariable) is true")
        }
    }

    /// The kind of the source, for the log.
    var name: String {
        switch location {
        case .environment: "environment"
        case .webIdentity: "web_identity"
        case .container: "container"
        case .instance: "instance"
        }
    }

    /// Returns keys and the region. It sends at most four requests.
    ///
    /// - Parameter step: The timeout of each request.
    func keys(
        _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> (keys: AWSKeys, region: String) {
        let session: AWSMetadataSession?
        if let metadata, region == nil || isInstance {
            session = try await metadata.session(transport, step: step, now: now)
        } else {
            session = nil
        }
        let known: String? = if let region { region } else { try await session?.region() }
        guard let region = known else {
            throw LookupFailure(.ownCredentials, "no region of AWS")
        }
        switch location {
        case .environment(let keys): return (keys, region)
        case .webIdentity(let identity):
            return (try await identity.keys(in: region, transport, step: step, now: now), region)
        case .container(let container): return (try await container.keys(transport, step: step, now: now), region)
        case .instance:
            guard let session else { throw LookupFailure(.ownCredentials, "no source of keys at AWS") }
            return (try await session.keys(), region)
        }
    }

    private var isInstance: Bool {
        if case .instance = location { true } else { false }
    }
}
