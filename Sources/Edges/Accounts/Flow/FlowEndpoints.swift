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
/// A document is fetched at the first flow, and again after an hour while flows use the previous one, which also
/// remains in use if the fetch fails. After a failure the next attempt waits for ten seconds.
package actor FlowDirectory {
    private static let lifetime: UInt64 = 3_600_000_000_000
    private static let pause: UInt64 = 10_000_000_000
    private static let limits = JSONLimits(size: 1 << 20, depth: 32, members: 8_192)
    /// The timeout of a fetch.
    private static let timeout = Duration.seconds(10)

    /// The maximum number of flows that wait for the first document of one provider.
    private static let maximumWaiting = 32

    /// The content of a discovery document.
    private struct Document: Sendable {
        let endpoints: FlowEndpoints
        /// The endpoint that revokes tokens (RFC 8414 section 2). `nil` without a safe one.
        let revocation: String?
    }

    private struct Entry {
        var endpoints: FlowEndpoints?
        /// The endpoint that revokes tokens.
        var revocation: String?
        /// The endpoints of the document before, which open flows may have.
        var previous: FlowEndpoints?
        var waiting = 0
        var nextFetch: UInt64 = 0
        var fetch: Task<Result<Document, FlowFailure>, Never>?
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

    /// Returns the URL that revokes a provider's tokens, and whether it takes the client secret only as HTTP Basic.
    func revocation(of provider: FlowProvider) async throws(FlowFailure) -> (url: String, usesBasic: Bool) {
        let endpoints = try await endpoints(of: provider)
        guard let url = provider.revocationURL ?? entries[provider.id]?.revocation else {
            throw .misconfigured("the discovery document has no safe revocation_endpoint")
        }
        return (url, endpoints.usesBasic)
    }

    /// Returns whether the endpoints of an open flow are the provider's, so that neither a change of the configuration
    /// nor a changed record sends a secret elsewhere.
    func holds(_ endpoints: FlowEndpoints, of provider: FlowProvider) async -> Bool {
        if (try? await self.endpoints(of: provider)) == endpoints { return true }
        return entries[provider.id]?.endpoints == endpoints || entries[provider.id]?.previous == endpoints
    }

    private func discovered(
        _ id: String, _ url: String, _ issuer: String
    ) async throws(FlowFailure) -> FlowEndpoints {
        let entry = entries[id] ?? Entry()
        if monotonic() < entry.nextFetch {
            guard let known = entry.endpoints else { throw .unavailable("the discovery document was not available") }
            return known
        }
        let task = entry.fetch ?? begin(id, url, issuer)
        if let known = entry.endpoints { return known }
        guard entry.waiting < Self.maximumWaiting else { throw .unavailable("the discovery document is slow") }
        entries[id]?.waiting += 1
        let result = await task.value
        entries[id]?.waiting -= 1
        return try result.get().endpoints
    }

    private func begin(
        _ id: String, _ url: String, _ issuer: String
    ) -> Task<Result<Document, FlowFailure>, Never> {
        let task = Task {
            let result = await Self.fetch(url, issuer, transport)
            complete(id, result)
            return result
        }
        entries[id, default: Entry()].fetch = task
        return task
    }

    private func complete(_ id: String, _ result: Result<Document, FlowFailure>) {
        var entry = entries[id] ?? Entry()
        entry.fetch = nil
        switch result {
        case .failure: entry.nextFetch = monotonic() + Self.pause
        case .success(let document):
            entry.nextFetch = monotonic() + Self.lifetime
            if let known = entry.endpoints, known != document.endpoints { entry.previous = known }
            (entry.endpoints, entry.revocation) = (document.endpoints, document.revocation)
        }
        entries[id] = entry
    }

    private static func fetch(
        _ url: String, _ issuer: String, _ transport: any OutboundTransport
    ) async -> Result<Document, FlowFailure> {
        let request = OutboundRequest(method: .get, url: url, fields: [])
        switch await transport.send(request, within: timeout) {
        case .failure(let failure): return .failure(.unavailable("discovery: \(failure.kind.rawValue)"))
        case .success(let response):
            guard response.status == 200, let document = try? JSONDocument(response.body, limits: limits) else {
                return .failure(.unavailable("discovery: status \(response.status), or no JSON"))
            }
            return Result { () throws(FlowFailure) in try read(document.root, from: url, issuer) }
        }
    }

    /// Returns the endpoints in a document (OpenID Connect Discovery 1.0 section 3). They must be at least as safe as
    /// the document's own URL: with TLS, and at no local address, unless that URL is so itself.
    private static func read(
        _ root: JSONValue, from url: String, _ issuer: String
    ) throws(FlowFailure) -> Document {
        guard root["issuer"]?.equals(issuer) == true else {
            throw .misconfigured("the discovery document belongs to another issuer than \(issuer)")
        }
        let document = try? HTTPURL(parsing: url)
        let (isSecure, isLocal) = (document?.isSecure ?? true, document?.isLocal ?? false)
        func endpoint(_ name: String) throws(FlowFailure) -> String {
            guard let text = root[name]?.string, text.utf8.count <= 2_048, let parsed = try? HTTPURL(parsing: text),
                parsed.isSecure || !isSecure, isLocal || !parsed.isLocal
            else { throw .misconfigured("the discovery document has no safe \(name)") }
            return text
        }
        let methods = root["token_endpoint_auth_methods_supported"]?.elements.compactMap(\.string)
        let endpoints = FlowEndpoints(
            authorization: try endpoint("authorization_endpoint"), token: try endpoint("token_endpoint"),
            usesBasic: !(methods ?? ["client_secret_basic"]).contains("client_secret_post"),
            requiresIssuer: root["authorization_response_iss_parameter_supported"]?.bool == true)
        return Document(endpoints: endpoints, revocation: try? endpoint("revocation_endpoint"))
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
