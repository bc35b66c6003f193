package import GatewayCore
package import HTTPServer
package import HTTPWire

/// The parsed head of an explained or simulated request.
package struct ParsedRequest {
    /// The head.
    package let head: RequestHead
    private let bytes: [UInt8]
    private let table: FieldTable

    /// Parses a head.
    package init(_ bytes: [UInt8], limits: ConnectionLimits) throws(HeadError) {
        let table = FieldTable(capacity: limits.headFields)
        let bounds = HeadLimits(size: limits.headSize, fields: limits.headFields)
        let parsed = bytes.withUnsafeBytes { bytes in
            Result { () throws(HeadError) in try RequestParser.parse(bytes, fields: table, limits: bounds) }
        }
        head = try parsed.get()
        self.bytes = bytes
        self.table = table
    }

    /// Passes the request to a stage of the request path.
    package func withView<Output>(_ body: (RequestView) -> Output) -> Output {
        bytes.withUnsafeBytes { body(RequestView(head: head, bytes: $0, fields: table)) }
    }

    /// Whether the request is a gRPC call.
    package var isGRPC: Bool { withView { $0.isGRPCCall } }

    /// Returns a part of the head as text.
    package func text(_ range: ByteRange) -> String {
        bytes.withUnsafeBytes { String(decoding: range.bytes(in: $0), as: UTF8.self) }
    }

    /// Returns a part of the head.
    package func bytes(_ range: ByteRange) -> [UInt8] {
        bytes.withUnsafeBytes { Array(range.bytes(in: $0)) }
    }
}
