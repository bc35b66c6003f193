package import GatewayCore
package import HTTPServer
import HTTPWire
package import JOSE

/// The response 200 to a permitted request: the identity fields, and for Envoy the names of the fields to remove.
package struct PermittingResponse: Sendable {
    /// A field of the identity.
    struct Line: Equatable {
        /// In lower case.
        let name: String
        let range: Range<Int>
    }

    private let fields: DecisionFields
    private let isCompact: Bool
    private let limit: Int

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - isCompact: Whether the field with the whole `auth` variable is omitted.
    ///   - limit: The maximum size of the head, in bytes.
    package init(_ fields: DecisionFields, isCompact: Bool, limit: Int) {
        self.fields = fields
        self.isCompact = isCompact
        self.limit = limit
    }

    /// At least the size of the fields that are added to every response: `Date`, `X-Request-Id`, `Connection`, `Vary`.
    private static let addedSize = 384

    /// Returns the response. `nil` if its head would exceed the limit.
    ///
    /// - Parameters:
    ///   - identity: The complete identity lines. Empty for an anonymous request.
    ///   - isEnvoy: Whether the names of the fields to remove are listed.
    ///   - request: The request of the proxy.
    package func render(identity: [UInt8], isEnvoy: Bool, for request: RequestView) -> StaticResponse? {
        var lines = Array("Cache-Control: no-store\r\n".utf8)
        var set: Set<String> = []
        for line in Self.lines(of: identity) where !(isCompact && line.name == fields.variable) {
            lines.append(contentsOf: identity[line.range])
            set.insert(line.name)
        }
        if isEnvoy { appendRemoved(besides: set, request, to: &lines) }
        let response = StaticResponse(emptyWith: lines)
        return response.headSize + Self.addedSize <= limit ? response : nil
    }

    /// Returns the message for a request that Envoy asks about over gRPC. `nil` if its fields would exceed the limit.
    ///
    /// - Parameters:
    ///   - identity: The complete identity lines. Empty for an anonymous request.
    ///   - auth: The `auth` variable. `nil` for an anonymous request.
    package func render(identity: [UInt8], auth: JSONValue?, for check: CheckRequest) -> [UInt8]? {
        var set: [(name: String, value: ArraySlice<UInt8>)] = []
        for line in Self.lines(of: identity) where !(isCompact && line.name == fields.variable) {
            let value = identity[line.range].drop { $0 != UInt8(ascii: ":") }.dropFirst(2).dropLast(2)
            set.append((line.name, value))
        }
        let size = set.reduce(Self.addedSize) { $0 + $1.name.utf8.count + $1.value.count + 4 }
        guard size <= limit else { return nil }
        return CheckResponse.permitting(
            set, removed: removed(besides: Set(set.map(\.name)), sent: check.names), auth: auth)
    }

    /// Envoy removes after it sets. So no name is in both lists.
    private func appendRemoved(besides set: Set<String>, _ request: RequestView, to lines: inout [UInt8]) {
        lines.append(contentsOf: "x-envoy-auth-headers-to-remove: ".utf8)
        lines.append(contentsOf: removed(besides: set, request).joined(separator: ", ").utf8)
        lines.append(contentsOf: "\r\n".utf8)
    }

    /// Returns the names of the identity fields that are not set, of those that the client sent, other spellings of all
    /// of them, and the names of fields by which services replace the path or the method.
    func removed(besides set: Set<String>, _ request: RequestView) -> [String] {
        let sent = (0..<request.fields.count).map {
            String(decoding: request.fields[$0].name.bytes(in: request.bytes), as: UTF8.self).lowercased()
        }
        return removed(besides: set, sent: sent)
    }

    private func removed(besides set: Set<String>, sent: [String]) -> [String] {
        let others = sent.filter { name in
            Array(name.utf8).withUnsafeBytes { fields.identity.matches($0) }
        }
        var seen = set
        return (fields.names + others + fields.otherNames).filter { seen.insert($0).inserted }
    }

    /// Returns the lines of rendered fields, each with its CRLF.
    static func lines(of identity: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var start = 0
        while start < identity.count {
            let end = (identity[start...].firstIndex(of: 0x0A) ?? identity.count - 1) + 1
            let name = identity[start..<end].prefix { $0 != UInt8(ascii: ":") }
            lines.append(Line(name: String(decoding: name, as: UTF8.self).lowercased(), range: start..<end))
            start = end
        }
        return lines
    }
}
