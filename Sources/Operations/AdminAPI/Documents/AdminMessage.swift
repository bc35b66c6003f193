import GatewayCore
import PrintableText

/// A complete request to the admin listener, within its limits.
struct AdminRequest: Sendable {
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var body: [UInt8] = []
    /// The local address of the connection without a port. `nil` for a Unix socket.
    var localAddress: String?
    /// The client of the connection.
    var peer: PeerAddress?

    /// The client's address, for the audit log.
    var address: String { peer?.text ?? "unknown" }

    /// Returns all values of a field, by its lower-case name.
    func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}

/// A response of the admin listener.
struct AdminResponse: Sendable, Equatable {
    var status: Int
    var contentType: String
    var body: [UInt8]
    /// Further fields, such as `Allow`, `WWW-Authenticate`, `Retry-After`.
    var extra: [String: String] = [:]
    /// The number of accounts in a list of accounts, for the audit log. `nil` for other responses.
    var accounts: Int?

    static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> AdminResponse {
        AdminResponse(status: 200, contentType: contentType, body: Array(text.utf8))
    }

    static func json(_ body: [UInt8], status: Int = 200, accounts: Int? = nil) -> AdminResponse {
        AdminResponse(status: status, contentType: "application/json", body: printable(body), accounts: accounts)
    }

    /// Returns a problem document (RFC 9457).
    static func problem(
        _ code: AdminErrorCode, title: String, detail: String, extra: [String: String] = [:]
    ) -> AdminResponse {
        let body = ObjectText.object { body in
            body.add("title", title)
            body.add("status", Int64(code.status))
            body.add("detail", detail)
            body.add("code", code.rawValue)
        }
        return AdminResponse(
            status: code.status, contentType: "application/problem+json", body: printable(body), extra: extra)
    }

    /// Escapes a document for display on a terminal, and appends a line feed.
    private static func printable(_ json: [UInt8]) -> [UInt8] {
        Array(PrintableText.escaped(String(decoding: json, as: UTF8.self)).utf8) + [UInt8(ascii: "\n")]
    }
}
