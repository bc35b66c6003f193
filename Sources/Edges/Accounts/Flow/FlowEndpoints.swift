import GatewayConfiguration
package import GatewayCore
import JOSE
package import OutboundHTTP

/// The endpoints of a provider at the start of a flow. The callback uses these, whatever has changed since.
struct FlowEndpoints: Sendable, Equatable {
    let authorization: String
    let token: String
    /// Whether the token endpoint takes the client secret only as HTTP Basic.
    var usesBasic = false
    /// Whether each response names the issuer (RFC 9207).
    var requiresIssuer = false
}

/// The endpoints of providers, from the configuration or from discovery documents.
///
/// A document is fetched at the first flow and again after an hour. If that fails, the previous document remains in
/// use. After a failure the next attempt waits for ten seconds.
package actor FlowDirectory {
    private static let lifetime: UInt64 = 3_600_000_000_000
    private static let pause: UInt64 = 10_000_000_000
    private static let limits = JSONLimits(size: 1 << 20, depth: 32, members: 8_192)
    /// The timeout of a fetch.
    private static let timeout = Duration.seconds(10)

    private struct Entry {
        var endpoints: FlowEndpoints?
        var nextFetch: UInt64 = 0
        var fetch: Task<Result<FlowEndpoints, FlowFailure>, Never>?
    }

    private let transport: any OutboundTransport
    private let monotonic: @Sendable () -> UInt64
    private var entries: [String: Entry] = [:]

    package init(transport: any OutboundTransport, clock: GatewayClock) {
        self.transport = transport
        monotonic = clock.monotonic
    }

    /// Returns the endpoints of a provider.
    func endpoints(of provider: FlowProvider) async throws(FlowFailure) -> FlowEndpoints {
        switch provider.endpoints {
        case .urls(let authorization, let token): return FlowEndpoints(authorization: authorization, token: token)
        case .discovery(let url, let issuer): return try await discovered(provider.id, url, issuer)
        }
    }

    private func discovered(
        _ id: String, _ url: String, _ issuer: String
    ) async throws(FlowFailure) -> FlowEndpoints {
        let entry = entries[id] ?? Entry()
        if monotonic() < entry.nextFetch {
            guard let known = entry.endpoints else { throw .unavailable("the discovery document was not available") }
            return known
        }
        let task = entry.fetch ?? Task { [transport] in await Self.fetch(url, issuer, transport) }
        entries[id, default: Entry()].fetch = task
        let result = await task.value
        if entries[id]?.fetch == task {
            entries[id]?.fetch = nil
            entries[id]?.nextFetch = monotonic() + ((try? result.get()) == nil ? Self.pause : Self.lifetime)
            if case .success(let endpoints) = result { entries[id]?.endpoints = endpoints }
        }
        if let known = entries[id]?.endpoints { return known }
        return try result.get()
    }

    private static func fetch(
        _ url: String, _ issuer: String, _ transport: any OutboundTransport
    ) async -> Result<FlowEndpoints, FlowFailure> {
        let request = OutboundRequest(method: .get, url: url, fields: [])
        switch await transport.send(request, within: timeout) {
        case .failure(let failure): return .failure(.unavailable("discovery: \(failure.kind.rawValue)"))
        case .success(let response):
            guard response.status == 200, let document = try? JSONDocument(response.body, limits: limits) else {
                return .failure(.unavailable("discovery: status \(response.status), or no JSON"))
            }
            return Result { () throws(FlowFailure) in try endpoints(in: document.root, from: url, issuer) }
        }
    }

    /// Returns the endpoints in a document (OpenID Connect Discovery 1.0 section 3). They must be at least as safe as
    /// the document's own URL.
    private static func endpoints(
        in root: JSONValue, from url: String, _ issuer: String
    ) throws(FlowFailure) -> FlowEndpoints {
        guard root["issuer"]?.equals(issuer) == true else {
            throw .misconfigured("the discovery document belongs to another issuer than \(issuer)")
        }
        let isSecure = (try? HTTPURL(parsing: url))?.isSecure ?? true
        func endpoint(_ name: String) throws(FlowFailure) -> String {
            guard let text = root[name]?.string, text.utf8.count <= 2_048, let parsed = try? HTTPURL(parsing: text),
                parsed.isSecure || !isSecure
            else { throw .misconfigured("the discovery document has no safe \(name)") }
            return text
        }
        let methods = root["token_endpoint_auth_methods_supported"]?.elements.compactMap(\.string)
        return FlowEndpoints(
            authorization: try endpoint("authorization_endpoint"), token: try endpoint("token_endpoint"),
            usesBasic: !(methods ?? ["client_secret_basic"]).contains("client_secret_post"),
            requiresIssuer: root["authorization_response_iss_parameter_supported"]?.bool == true)
    }
}

/// The reason that a flow cannot continue at the provider.
enum FlowFailure: Error, Equatable {
    /// The provider did not answer usefully. The user may try again.
    case unavailable(String)
    /// The provider rejected the code or the request.
    case rejected(String)
    /// The provider rejected the gateway itself. Only a change of the configuration helps.
    case misconfigured(String)

    /// The reason, for the log.
    var reason: String {
        switch self {
        case .unavailable(let why), .rejected(let why), .misconfigured(let why): why
        }
    }
}

/// Text of a provider in the log: printable ASCII of a bounded length.
enum ForeignText {
    static func shown(_ text: String, atMost limit: Int = 120) -> String {
        String(text.unicodeScalars.prefix(limit).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
