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
    private let token: Secret

    /// Creates a client of the configured admin listener.
    ///
    /// - Throws: `noListener`, `noPort` or `noToken` if the configuration has no admin API.
    package init(_ admin: Configuration.Admin) throws(AdminClientError) {
        guard var address = admin.address else { throw .noListener }
        guard address.port != 0 else { throw .noPort }
        guard let token = admin.token, token.count > 0 else { throw .noToken }
        if address.isWildcard { address.host = address.host.contains(":") ? "::1" : "127.0.0.1" }
        self.address = address
        self.token = token
    }

    /// Returns the store's record of a user.
    package func user(_ user: UserKey) async throws(AdminClientError) -> UserRecord {
        try Self.userRecord(try await call("GET", Self.path(of: user)))
    }

    /// Returns the store's record of one session of a user.
    package func session(_ user: UserKey, _ session: String) async throws(AdminClientError) -> SessionRecord {
        let answer = try await call("GET", Self.path(of: user) + ["sessions", session])
        guard let revoked = answer.root["revoked"]?.bool else { throw .foreign(200) }
        return SessionRecord(
            revoked: revoked, signedInAt: answer.root["signed_in_at"]?.integer.flatMap(UnixTime.init(_:)))
    }

    /// Revokes the user's tokens with an `auth_time` before `at`, in seconds since 1970, or before now.
    ///
    /// - Returns: The updated record.
    package func revoke(_ user: UserKey, at: UnixTime? = nil) async throws(AdminClientError) -> UserRecord {
        let body = at.map { Array("{\"at\":\($0)}".utf8) } ?? []
        return try Self.userRecord(try await call("POST", Self.path(of: user) + ["revoke"], body: body))
    }

    /// Returns the path of a user. A gateway of a version without tenant support has no such path, so that it cannot
    /// revoke another user's tokens.
    private static func path(of user: UserKey) -> [String] {
        ["v1"] + (user.tenant.map { ["tenants", $0] } ?? []) + ["users", user.uid]
    }

    private static func userRecord(_ answer: JSONDocument) throws(AdminClientError) -> UserRecord {
        guard let disabled = answer.root["disabled"]?.bool else { throw .foreign(200) }
        return UserRecord(
            validSince: answer.root["valid_since"]?.integer.flatMap(UnixTime.init(_:)), disabled: disabled)
    }

    // MARK: - The call

    private func call(
        _ method: String, _ segments: [String], body: [UInt8] = []
    ) async throws(AdminClientError) -> JSONDocument {
        let path = segments.map { "/" + Self.encoded($0) }.joined()
        let credential = token.withBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
        let request = PlainRequest(
            method, "http://\(address)\(path)", fields: [("Authorization", credential)], body: body)
        let response: PlainResponse
        do {
            response = try await PlainHTTPClient.send(request)
        } catch {
            throw .unreachable("\(address)", "\(KeyFetchError(failure: error).code.rawValue)")
        }
        guard response.status == 200 else { throw refusal(response) }
        guard let document = try? JSONDocument(response.body, limits: .token) else { throw .foreign(200) }
        return document
    }

    private func refusal(_ response: PlainResponse) -> AdminClientError {
        let problem = try? JSONDocument(response.body, limits: .token)
        guard let code = problem?.root["code"]?.string else { return .foreign(response.status) }
        let detail = PrintableText.escaped(problem?.root["detail"]?.string ?? code)
        return switch response.status {
        case 401: .wrongToken("\(address)")
        case 404: .noAPI("\(address)")
        case 503: .unavailable(detail)
        default: .refused(detail)
        }
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
    static let noToken = AdminClientError("admin.token is not set; set it and restart the gateway")

    static func unreachable(_ address: String, _ why: String) -> AdminClientError {
        AdminClientError(
            "no gateway responds at \(address) (\(why)); start it, or correct admin.address",
            isConnectionRefused: why == KeyFetchError.Code.unreachable.rawValue)
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

    static func refused(_ detail: String) -> AdminClientError {
        AdminClientError("the gateway refused the call: \(detail)")
    }

    static func foreign(_ status: Int) -> AdminClientError {
        AdminClientError("the response (status \(status)) is not from Gatehouse's admin API; correct admin.address")
    }
}
