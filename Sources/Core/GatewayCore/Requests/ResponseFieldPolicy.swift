package import HTTPWire
package import NIOCore

/// The changes to a route's response fields: CORS, and fields that the configuration sets and removes. Rendered in
/// advance. A class, so that a request holds one reference.
package final class ResponseFieldPolicy: Sendable {
    package let cors: CORSPolicy?
    /// The fields of the upstream that are removed. `nil` if there are none.
    package let removed: ManagedFieldMatcher?
    /// The statements of the set fields about shared caches.
    package let caching: ResponseCaching
    /// The field lines that are set in responses of upstreams.
    private let lines: [UInt8]
    /// The field lines that are set in the gateway's responses, which have their own `Cache-Control`.
    private let ownLines: [UInt8]

    /// Creates a policy. `nil` if responses are not changed.
    ///
    /// - Parameters:
    ///   - set: The fields to set.
    ///   - removed: The names of fields of the upstream to remove.
    package init?(cors: CORSPolicy?, set: [(name: String, value: String)], removed: [String]) {
        let names = set.map(\.name) + removed
        guard cors != nil || !names.isEmpty else { return nil }
        self.cors = cors
        self.removed =
            names.isEmpty && cors == nil
            ? nil : ManagedFieldMatcher(exact: names, prefixes: cors == nil ? [] : ["Access-Control-"])
        var caching = ResponseCaching()
        for (name, value) in set { caching.read(name, value) }
        self.caching = caching
        lines = Self.lines(of: set)
        ownLines = Self.lines(of: set.filter { FieldName.normalized($0.name) != "cache-control" })
    }

    private static func lines(of fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
    }

    /// Returns the number of bytes that `write` adds to a response of an upstream.
    package func count(to origin: Int) -> Int { lines.count + (cors?.lines(to: origin).count ?? 0) }

    /// Adds the field lines to a response of an upstream.
    package func write(to origin: Int, _ writer: inout HeadWriter) {
        writer.append(lines)
        if let cors { writer.append(cors.lines(to: origin)) }
    }

    /// Adds the field lines to a response of the gateway.
    package func writeOwn(to origin: Int, into output: inout ByteBuffer) {
        output.writeBytes(ownLines)
        if let cors { output.writeBytes(cors.lines(to: origin)) }
    }
}
