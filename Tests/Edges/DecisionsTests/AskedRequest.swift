import GatewayCore
import HTTPWire
import Routing

@testable import Decisions
@testable import Forwarding

/// A request of a proxy, as text.
struct AskedRequest {
    var line = "GET /authz/forward HTTP/1.1"
    var fields: [String] = [
        "Host: gatehouse", "X-Forwarded-Method: GET", "X-Forwarded-Uri: /a", "X-Forwarded-Host: example.com",
        "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7",
    ]

    static let names = DecisionFields(
        prefix: "X-Auth-", extra: ["X-Role"],
        managed: HeaderHygiene(prefix: "X-Auth-", extra: ["X-Role"]).managed, credentialHeader: "Authorization")

    /// Replaces the fields with the names of the new ones, and adds them.
    func with(_ lines: String...) -> AskedRequest {
        var copy = self
        let names = lines.map { $0.prefix { $0 != ":" }.lowercased() }
        copy.fields.removeAll { names.contains($0.prefix { $0 != ":" }.lowercased()) }
        copy.fields += lines
        return copy
    }

    func adding(_ lines: String...) -> AskedRequest {
        var copy = self
        copy.fields += lines
        return copy
    }

    func without(_ name: String) -> AskedRequest {
        var copy = self
        copy.fields.removeAll { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        return copy
    }

    /// The described request, or the reason that it is rejected.
    func read(as family: ProxyFamily = .forward) throws -> Result<OriginalRequest, DescriptionError> {
        let text = "\(line)\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
        let table = FieldTable(capacity: 512)
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: table, limits: HeadLimits(size: 1 << 20, fields: 512))
            let request = RequestView(head: head, bytes: bytes, fields: table)
            return Result { () throws(DescriptionError) in
                try OriginalRequestReader(Self.names, scratch: PathScratch()).read(request, of: family)
            }
        }
    }

    /// The head of the described request as text. The reason if it is rejected.
    func described(as family: ProxyFamily = .forward) throws -> String {
        switch try read(as: family) {
        case .success(let original): String(decoding: original.bytes, as: UTF8.self)
        case .failure(let error): error.reason
        }
    }

    /// Whether the request itself or its description is rejected.
    func isRejected(as family: ProxyFamily = .forward) -> Bool {
        if case .success? = try? read(as: family) { false } else { true }
    }

    func reason(as family: ProxyFamily = .forward) throws -> String? {
        if case .failure(let error) = try read(as: family) { error.reason } else { nil }
    }
}
