import Gatehouse
import GatewayCore
import HTTPServer
import HTTPWire

/// The parsed head of an explained request.
struct ParsedRequest {
    let head: RequestHead
    private let bytes: [UInt8]
    private let table: FieldTable

    init(_ bytes: [UInt8], limits: ConnectionLimits) throws(HeadError) {
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
    func withView<Output>(_ body: (RequestView) -> Output) -> Output {
        bytes.withUnsafeBytes { body(RequestView(head: head, bytes: $0, fields: table)) }
    }

    /// Whether the request is a gRPC call.
    var isGRPC: Bool { withView { $0.isGRPCCall } }

    func text(_ range: ByteRange) -> String {
        bytes.withUnsafeBytes { String(decoding: range.bytes(in: $0), as: UTF8.self) }
    }

    func bytes(_ range: ByteRange) -> [UInt8] {
        bytes.withUnsafeBytes { Array(range.bytes(in: $0)) }
    }
}
