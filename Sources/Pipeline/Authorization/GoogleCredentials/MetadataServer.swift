import GatewayCore
import OutboundHTTP

/// The metadata server of Compute Engine, Cloud Run and Kubernetes Engine, which issues the tokens of the workload's
/// service account.
package struct MetadataServer: Sendable {
    /// The variable that replaces the server's address, HOST or HOST:PORT.
    static let hostVariable = "GCE_METADATA_HOST"
    /// The variable that disables the server, if it is `true`.
    static let offVariable = "NO_GCE_CHECK"
    private static let defaultHost = "metadata.google.internal"
    private static let flavor = (name: "metadata-flavor", value: "Google")

    let url: String

    /// Creates the server of the environment. `nil` if the environment disables it.
    init?(environment: [String: String]) throws(ServiceAccount.Failure) {
        guard environment[Self.offVariable]?.lowercased() != "true" else { return nil }
        let named = environment[Self.hostVariable] ?? ""
        let host = named.isEmpty ? Self.defaultHost : named
        let base = "http://\(host)"
        guard let parsed = try? HTTPURL(parsing: base), parsed.target.isEmpty else {
            throw ServiceAccount.Failure(
                description: "the environment variable \(Self.hostVariable) is \(Quoted(named)), not HOST or HOST:PORT")
        }
        url = base + "/computeMetadata/v1/instance/service-accounts/default/token?scopes=" + GoogleCredential.scope
    }

    func request(_ scope: GoogleScope) -> OutboundRequest {
        let url = ([url] + scope.further).joined(separator: ",")
        return OutboundRequest(method: .get, url: url, fields: [Self.flavor, ("accept", "application/json")])
    }

    /// Parses a response. A server without the flavor is not Google's: a proxy or a captive portal, for example.
    static func read(_ response: OutboundResponse, now: Int64) -> Result<AccessToken, LookupFailure> {
        guard response.metadataFlavor == flavor.value else {
            return .failure(LookupFailure(.invalidResponse, "not a metadata server: no Metadata-Flavor: Google"))
        }
        return AccessTokenGrant.read(response, now: now)
    }
}
