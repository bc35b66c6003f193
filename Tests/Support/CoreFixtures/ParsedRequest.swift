import GatewayCore
import HTTPWire

/// Parses a head and passes it to `body`, as the server does.
func withRequest<Result>(_ text: String, _ body: (RequestView) throws -> Result) throws -> Result {
    let fields = FieldTable(capacity: 128)
    return try Array(text.utf8).withUnsafeBytes { bytes in
        let head = try RequestParser.parse(bytes, fields: fields, limits: HeadLimits(size: 65_536, fields: 128))
        return try body(RequestView(head: head, bytes: bytes, fields: fields))
    }
}
