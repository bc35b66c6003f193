package import GatewayCore
package import HTTPWire

/// The request that a proxy asks about, as a head of its own, so that the pipeline reads it like any other.
package final class OriginalRequest {
    /// The bytes of the head.
    package let bytes: [UInt8]
    package let head: RequestHead
    /// The client that sent the request to the proxy.
    package let client: PeerAddress
    private let fields: FieldTable

    /// Parses a head.
    ///
    /// - Parameter fieldCount: At least the number of its fields.
    package init(_ bytes: [UInt8], fieldCount: Int, from client: PeerAddress) throws(HeadError) {
        let table = FieldTable(capacity: fieldCount)
        var head: RequestHead?
        var failure: HeadError?
        bytes.withUnsafeBytes { buffer in
            do throws(HeadError) {
                let limits = HeadLimits(size: buffer.count, fields: fieldCount)
                head = try RequestParser.parse(buffer, fields: table, limits: limits)
            } catch {
                failure = error
            }
        }
        guard let head, failure == nil else { throw failure ?? .malformed(reason: "empty head") }
        self.bytes = bytes
        self.head = head
        self.client = client
        fields = table
    }

    /// Calls `body` with the request.
    package func withView<Result>(_ body: (RequestView) -> Result) -> Result {
        bytes.withUnsafeBytes { body(RequestView(head: head, bytes: $0, fields: fields)) }
    }
}

/// The reason that a description of a request is rejected. It names the field and contains no input.
package struct DescriptionError: Error, Equatable, Sendable {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
