package import GatewayConfiguration
package import GatewayCore
import JOSE
import OutboundHTTP
import PrintableText
package import Revocation
import TextCoding

/// A client of a running gateway's admin API.
package struct AdminClient: Sendable {
    /// The gateway's address: the configured one, or loopback if that is a wildcard.
    package let address: ListenAddress
    /// `nil` for health only.
    private let token: Secret?
    /// The timeout of a reload: the gateway responds after at most 30 s.
    private static let reloadTimeout = Duration.seconds(35)

    /// A record of the store, and the document in which it was received, on one line.
    package struct Reply<Record: Sendable>: Sendable {
        package let record: Record
        package let json: String
    }

    /// A change of a user.
    package enum UserChange: String, Sendable {
        case unrevoke, disable, enable
    }

    /// Creates a client of the configured admin listener.
    ///
    /// - Parameter needsToken: Whether the client makes calls in addition to `status`.
    /// - Throws: `noListener`, `noPort` or `noToken` if the configuration has no admin API.
    package init(_ admin: Configuration.Admin, needsToken: Bool = true) throws(AdminClientError) {
        guard var address = admin.address else { throw .noListener }
        guard address.port != 0 else { throw .noPort }
        let token = admin.token.flatMap { $0.count > 0 ? $0 : nil }
        guard !needsToken || token != nil else { throw .noToken }
        if address.isWildcard { address.host = address.host.contains(":") ? "::1" : "127.0.0.1" }
        self.address = address
        self.token = token
    }

    /// Returns the store's record of a user.
    package func user(_ user: UserKey) async throws(AdminClientError) -> Reply<UserRecord> {
        try Self.userRecord(try await call("GET", Self.path(of: user)))
    }

    /// Changes a user.
    ///
    /// - Returns: The updated record.
    package func change(
        _ user: UserKey, _ change: UserChange
    ) async throws(AdminClientError) -> Reply<UserRecord> {
        try Self.userRecord(try await call("POST", Self.path(of: user) + [change.rawValue]))
    }

    /// Returns the store's record of one session of a user.
    package func session(
        _ user: UserKey, _ session: String
    ) async throws(AdminClientError) -> Reply<SessionRecord> {
        try Self.sessionRecord(try await call("GET", Self.path(of: user) + ["sessions", session]))
    }

    /// Revokes one session of a user.
    ///
    /// - Returns: The updated record.
    package func revokeSession(
        _ user: UserKey, _ session: String
    ) async throws(AdminClientError) -> Reply<SessionRecord> {
        try Self.sessionRecord(try await call("POST", Self.path(of: user) + ["sessions", session, "revoke"]))
    }

    /// Revokes the user's tokens with an `auth_time` before `at`, in seconds since 1970, or before now.
    ///
    /// - Returns: The updated record.
    package func revoke(_ user: UserKey, at: UnixTime? = nil) async throws(AdminClientError) -> Reply<UserRecord> {
        let body = at.map { Array("{\"at\":\($0)}".utf8) } ?? []
        return try Self.userRecord(try await call("POST", Self.path(of: user) + ["revoke"], body: body))
    }

    /// Returns the path of a user. A gateway of a version without support of tenants or projects has no such path, so
    /// that it cannot revoke another user's tokens.
    static func path(of user: UserKey, _ kind: String = "users") -> [String] {
        ["v1"] + (user.project.map { ["projects", $0] } ?? []) + (user.tenant.map { ["tenants", $0] } ?? []) + [
            kind, user.uid,
        ]
    }

    private static func userRecord(_ document: JSONDocument) throws(AdminClientError) -> Reply<UserRecord> {
        guard let disabled = document.root["disabled"]?.bool else { throw .foreign(200) }
        return Reply(
            record: UserRecord(
                validSince: document.root["valid_since"]?.integer.flatMap(UnixTime.init(_:)), disabled: disabled),
            json: text(of: document))
    }

    private static func sessionRecord(_ document: JSONDocument) throws(AdminClientError) -> Reply<SessionRecord> {
        guard let revoked = document.root["revoked"]?.bool else { throw .foreign(200) }
        return Reply(
            record: SessionRecord(
                revoked: revoked, signedInAt: document.root["signed_in_at"]?.integer.flatMap(UnixTime.init(_:))),
            json: text(of: document))
    }

    static func text(of document: JSONDocument) -> String {
        String(decoding: document.root.compact, as: UTF8.self)
    }

    // MARK: - The gateway

    /// Returns the state of the gateway. Without a token, or if the gateway has none, this is its health only.
    package func status() async throws(AdminClientError) -> GatewayReport {
        if token != nil {
            let response = try await send("GET", ["v1", "status"])
            if response.status != 404 { return try report(response) }
        }
        return try report(try await send("GET", ["readyz"]))
    }

    /// Returns the reasons why the gateway is not ready. Empty if it is.
    package func readiness(within timeout: Duration) async throws(AdminClientError) -> [String] {
        let report = try report(try await send("GET", ["readyz"], within: timeout))
        let reasons = report.checks.compactMap { check in check.why.map { "\(check.name): \($0)" } }
        return report.isReady || !reasons.isEmpty ? reasons : ["no reason"]
    }

    /// Throws if the gateway does not serve its admin listener.
    package func checkLiveness(within timeout: Duration) async throws(AdminClientError) {
        let response = try await send("GET", ["livez"], within: timeout)
        guard response.status == 200, response.body == Array("ok\n".utf8) else { throw .foreign(response.status) }
    }

    private func report(_ response: PlainResponse) throws(AdminClientError) -> GatewayReport {
        // A gateway that is not ready sends its readiness with 503.
        guard let document = try? JSONDocument(response.body, limits: .keySet), let report = GatewayReport(document)
        else { throw response.status == 200 ? AdminClientError.foreign(200) : refusal(response) }
        return report
    }

    /// Reloads the gateway's configuration, and waits for the outcome.
    ///
    /// - Returns: The number of the configuration that is now active.
    /// - Throws: `refused` with the errors of the configuration; nothing has changed then.
    package func reload() async throws(AdminClientError) -> Reply<Int64> {
        let response = try await send("POST", ["v1", "reload"], within: Self.reloadTimeout)
        guard response.status != 400 else {
            throw .rejected(problemDetail(of: response) ?? "the response has no reason")
        }
        let document = try self.document(of: response)
        guard let generation = document.root["generation"]?.integer else { throw .foreign(200) }
        return Reply(record: generation, json: Self.text(of: document))
    }

    // MARK: - The call

    func call(
        _ method: String, _ segments: [String], query: [(name: String, value: String)] = [], body: [UInt8] = []
    ) async throws(AdminClientError) -> JSONDocument {
        try document(of: try await send(method, segments, query: query, body: body))
    }

    private func document(of response: PlainResponse) throws(AdminClientError) -> JSONDocument {
        guard response.status == 200 else { throw refusal(response) }
        guard let document = try? JSONDocument(response.body, limits: .keySet) else { throw .foreign(200) }
        return document
    }

    private func send(
        _ method: String, _ segments: [String], query: [(name: String, value: String)] = [], body: [UInt8] = [],
        within timeout: Duration = PlainHTTPClient.timeLimit
    ) async throws(AdminClientError) -> PlainResponse {
        let parameters = query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        let path = segments.map { "/" + Self.encoded($0) }.joined() + (parameters.isEmpty ? "" : "?\(parameters)")
        let credential = token?.withBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
        let request = PlainRequest(
            method, "http://\(address)\(path)", fields: credential.map { [(name: "Authorization", value: $0)] } ?? [],
            body: body)
        do {
            return try await PlainHTTPClient.send(request, within: timeout)
        } catch {
            throw .unreachable("\(address)", KeyFetchError(failure: error).code)
        }
    }

    private func refusal(_ response: PlainResponse) -> AdminClientError {
        let problem = try? JSONDocument(response.body, limits: .keySet)
        guard let code = problem?.root["code"]?.string else { return .foreign(response.status) }
        let detail = problemDetail(of: response) ?? code
        return switch response.status {
        case 401: .wrongToken("\(address)")
        case 404 where code == "route/not-found": .noAPI("\(address)")
        case 503: .unavailable(detail)
        default: .refused(detail)
        }
    }

    /// Returns the detail of a problem document. The errors of a configuration are on several lines.
    private func problemDetail(of response: PlainResponse) -> String? {
        let problem = try? JSONDocument(response.body, limits: .keySet)
        return problem?.root["detail"]?.string.map { PrintableText.escaped($0, keepsLineFeeds: true) }
    }

    /// Returns the percent-encoded path segment of a text. Only letters, digits, `-`, `_` and `~` are not encoded. Dots
    /// are, because `..` would be resolved.
    static func encoded(_ segment: String) -> String {
        String(decoding: PercentEncoding.encoded(segment.utf8), as: UTF8.self).replacing(".", with: "%2E")
    }
}

/// The reason why a call of the admin API failed, and the remedy.
package struct AdminClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its remedy.
    package let description: String
    /// Whether no gateway listens at the address.
    let isConnectionRefused: Bool

    private init(_ description: String, isConnectionRefused: Bool = false) {
        self.description = description
        self.isConnectionRefused = isConnectionRefused
    }

    static let noListener = AdminClientError(
        "the admin listener is disabled; set admin.address and restart the gateway")
    static let noPort = AdminClientError(
        "admin.address has port 0, so the actual port is unknown; set a port and restart the gateway")
    static let noToken = AdminClientError(
        "admin.token is not set; set it, for this command too, and restart the gateway")

    static func unreachable(_ address: String, _ why: KeyFetchError.Code) -> AdminClientError {
        let reason =
            switch why {
            case .unreachable: "the connection failed"
            case .timedOut: "timed out"
            case .closed: "the connection was closed"
            default: why.rawValue
            }
        return AdminClientError(
            "no gateway responds at \(address) (\(reason)); start it, or correct admin.address",
            isConnectionRefused: why == .unreachable)
    }

    static func wrongToken(_ address: String) -> AdminClientError {
        AdminClientError("the gateway at \(address) refused the token; use the admin.token that it was started with")
    }

    static func noAPI(_ address: String) -> AdminClientError {
        AdminClientError("the gateway at \(address) runs without an admin.token; set it and restart the gateway")
    }

    static func unavailable(_ detail: String) -> AdminClientError {
        AdminClientError("the gateway could not respond: \(detail) Try again.")
    }

    static func rejected(_ errors: String) -> AdminClientError {
        AdminClientError("the gateway rejected the configuration, and the previous one stays active:\n\(errors)")
    }

    static func refused(_ detail: String) -> AdminClientError {
        AdminClientError("the gateway refused the call: \(detail)")
    }

    static func foreign(_ status: Int) -> AdminClientError {
        AdminClientError("the response (status \(status)) is not from Gatehouse's admin API; correct admin.address")
    }
}
