package import HTTPWire
package import NIOCore

/// What the answers of a route have besides what is in them: CORS, and fields that the configuration sets and leaves out. Rendered
/// beforehand; an object, so that a request holds it by one reference.
package final class ResponseFieldPolicy: Sendable {
    package let cors: CORSPolicy?
    /// The upstream's fields that are left out; nil: none is.
    package let removed: ManagedFieldMatcher?
    /// The fields that are set, as whole lines, in upstreams' answers.
    private let lines: [UInt8]
    /// The same in our own, which say themselves how they may be kept.
    private let ownLines: [UInt8]

    /// `nil` if responses are left as they are.
    ///
    /// - Parameters:
    ///   - set: fields that are set.
    ///   - removed: names of fields of the upstream that are left out.
    package init?(cors: CORSPolicy?, set: [(name: String, value: String)], removed: [String]) {
        let names = set.map(\.name) + removed
        guard cors != nil || !names.isEmpty else { return nil }
        self.cors = cors
        self.removed =
            names.isEmpty && cors == nil
            ? nil : ManagedFieldMatcher(exact: names, prefixes: cors == nil ? [] : ["Access-Control-"])
        lines = Self.lines(of: set)
        ownLines = Self.lines(of: set.filter { FieldName.normalized($0.name) != "cache-control" })
    }

    private static func lines(of fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\($0.name): \($0.value)\r\n" }.joined().utf8)
    }

    /// How many bytes `write` adds to an upstream's answer.
    package func count(to origin: Int) -> Int { lines.count + (cors?.lines(to: origin).count ?? 0) }

    /// Adds the lines to an upstream's answer.
    package func write(to origin: Int, _ writer: inout HeadWriter) {
        writer.append(lines)
        if let cors { writer.append(cors.lines(to: origin)) }
    }

    /// Adds the lines to an answer of our own.
    package func writeOwn(to origin: Int, into output: inout ByteBuffer) {
        output.writeBytes(ownLines)
        if let cors { output.writeBytes(cors.lines(to: origin)) }
    }
}
