import GatewayCore
import JOSE
import OutboundHTTP
import Revocation
import TextCoding

/// The access tokens of a managed identity at Microsoft Entra for Azure's Redis: from the metadata service of a virtual
/// machine, from the endpoint of App Service and Container Apps, or by the exchange of a token of Kubernetes.
struct AzureIdentity: Sendable {
    private enum Location: Sendable {
        case endpoint(OutboundRequest)
        case workload(AzureWorkload)
    }

    /// The resource of tokens, which is the scope without `/.default`.
    static let resource = "https://redis.azure.com"
    private static let metadataHost = "169.254.169.254"
    /// The variable that replaces the address of the metadata service.
    private static let hostVariable = "AZURE_POD_IDENTITY_AUTHORITY_HOST"
    /// The variables of identities on servers outside Azure and of Service Fabric, whose tokens need further steps.
    private static let unsupported = ["IMDS_ENDPOINT", "IDENTITY_SERVER_THUMBPRINT"]

    private let location: Location
    /// The kind of the source, for the log.
    let name: String

    /// - Parameter clientID: The client ID of the identity. `nil` for the only one.
    init(clientID: String?, environment: [String: String]) throws(ServiceAccount.Failure) {
        let text = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let variable = Self.unsupported.first(where: { text($0) != nil }) {
            throw ServiceAccount.Failure(
                description: "the managed identity of \(variable) is not supported; use password_command")
        }
        if let workload = try AzureWorkload(clientID: clientID, environment: environment) {
            (location, name) = (.workload(workload), "workload")
            return
        }
        let base: String
        var (version, fields) = ("2018-02-01", [(name: "metadata", value: "true")])
        if let endpoint = text("IDENTITY_ENDPOINT"), let secret = text("IDENTITY_HEADER") {
            guard let url = try? HTTPURL(parsing: endpoint), url.isLocal, !endpoint.contains("?"),
                secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw ServiceAccount.Failure(
                    description: "the environment variable IDENTITY_ENDPOINT is not a URL on this machine")
            }
            (base, version, fields) = (endpoint, "2019-08-01", [("x-identity-header", secret)])
            name = "app_service"
        } else {
            let host = text(Self.hostVariable) ?? "http://\(Self.metadataHost)"
            guard let url = try? HTTPURL(parsing: host), url.target.isEmpty || url.target == "/",
                url.host == Self.metadataHost && !url.isSecure && url.port == 80 || url.isLoopback
            else {
                throw ServiceAccount.Failure(
                    description: "the environment variable \(Self.hostVariable) is not http://\(Self.metadataHost)")
            }
            base = "\(host.hasSuffix("/") ? String(host.dropLast()) : host)/metadata/identity/oauth2/token"
            name = "instance"
        }
        var url = "\(base)?api-version=\(version)&resource="
        url += String(decoding: PercentEncoding.encoded(Self.resource.utf8), as: UTF8.self)
        if let clientID { url += "&client_id=\(clientID)" }
        fields.append(("accept", "application/json"))
        location = .endpoint(OutboundRequest(method: .get, url: url, fields: fields))
    }

    /// Returns a token.
    ///
    /// - Parameter step: The timeout of the request. The read of a file has none.
    func token(
        _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> StoreToken {
        switch location {
        case .workload(let workload): try await workload.token(transport, step: step, now: now)
        case .endpoint(let request):
            switch await transport.send(request, within: step) {
            case .success(let response): try Self.read(response, now: now)
            case .failure(let failure): throw Self.failure(failure.kind, failure.detail)
            }
        }
    }

    /// Parses a response. `expires_on` is read, because `expires_in` counts from the issue of a token that the service
    /// may have kept.
    static func read(_ response: OutboundResponse, now: Int64) throws(LookupFailure) -> StoreToken {
        guard response.status == 200 else {
            let failure = LookupFailure(response, ownCredentials: [400, 401, 403, 404], now: now)
            throw Self.failure(failure.kind, failure.detail)
        }
        guard let root = (try? JSONDocument(response.body, limits: AccessTokenGrant.limits))?.root,
            let token = root["access_token"]?.string, AccessTokenGrant.isSendable(token), let end = root["expires_on"],
            let seconds = end.string.flatMap({ Int64($0) }) ?? end.integer, let expires = UnixTime(seconds)
        else { throw Self.failure(.malformed, "no access_token with expires_on") }
        guard expires > UnixTime(clamping: now) else {
            throw Self.failure(.malformed, "expires_on is in the past; check the clock")
        }
        return StoreToken(Secret(token), expires: expires)
    }

    private static func failure(_ kind: LookupFailure.Kind, _ what: String) -> LookupFailure {
        LookupFailure(kind, "the identity service of Azure\(what.isEmpty ? "" : ": \(what)")")
    }
}

/// A workload identity of Kubernetes at Azure: a token of the cluster is exchanged at Entra (RFC 7523).
struct AzureWorkload: Sendable {
    /// The hosts of Entra that may receive the token: of Azure, of its clouds in China, and for the US government.
    private static let hosts = [
        "login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
        "login.chinacloudapi.cn",
    ]
    private static let fileVariable = "AZURE_FEDERATED_TOKEN_FILE"

    private let file: SubjectTokenFile
    private let clientID: String
    private let url: String

    /// Creates the identity of the environment. `nil` if the environment names none.
    init?(clientID: String?, environment: [String: String]) throws(ServiceAccount.Failure) {
        guard let path = environment[Self.fileVariable], !path.isEmpty else { return nil }
        let client = clientID ?? environment["AZURE_CLIENT_ID"] ?? ""
        let tenant = environment["AZURE_TENANT_ID"] ?? ""
        for (name, value) in [("AZURE_CLIENT_ID", client), ("AZURE_TENANT_ID", tenant)] {
            guard !value.isEmpty, value.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) }) else {
                throw ServiceAccount.Failure(
                    description: "\(Self.fileVariable) is set, but \(name) is absent or invalid")
            }
        }
        let named = environment["AZURE_AUTHORITY_HOST"] ?? ""
        let authority = named.isEmpty ? "https://\(Self.hosts[0])/" : named.hasSuffix("/") ? named : "\(named)/"
        guard let parsed = try? HTTPURL(parsing: authority), parsed.target == "/",
            parsed.isSecure && Self.hosts.contains(parsed.host) && parsed.port == 443 || parsed.isLoopback
        else {
            throw ServiceAccount.Failure(
                description: "the environment variable AZURE_AUTHORITY_HOST is not https://\(Self.hosts[0])")
        }
        file = SubjectTokenFile(path: path, name: "the file of \(Self.fileVariable)")
        self.clientID = client
        url = "\(authority)\(tenant)/oauth2/v2.0/token"
    }

    func token(
        _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> StoreToken {
        let assertion = try await file.token().get()
        var request = OutboundRequest(
            method: .post, url: url,
            fields: [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")])
        for (name, value) in [
            ("grant_type", "client_credentials"), ("client_id", clientID),
            ("scope", "\(AzureIdentity.resource)/.default"),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ] { FormEncoding.append(name, value.utf8, to: &request.body) }
        assertion.withBytes { FormEncoding.append("client_assertion", $0, to: &request.body) }
        let response = try await transport.send(request, within: step).get()
        let token = try AccessTokenGrant.read(response, now: now).get()
        return StoreToken(token.value, expires: UnixTime(clamping: now).adding(token.lifetime))
    }
}
