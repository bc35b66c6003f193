/// A JSON text (RFC 8259), read strictly and once.
///
/// The text must be valid UTF-8 without a byte order mark, no object may have two members of the same name, and its size,
/// depth and number of values are bounded. Reading does not recurse. What is kept is the text and one small node a value.
public struct JSONDocument: Sendable {
    let storage: JSONStorage

    /// Reads `bytes`.
    public init(_ bytes: [UInt8], limits: JSONLimits = .token) throws(JSONError) {
        let parsed = bytes.withUnsafeBufferPointer { JSONParser.parse($0, limits: limits) }
        let (nodes, hasWhitespace) = try parsed.get()
        storage = JSONStorage(bytes: bytes, nodes: nodes, hasWhitespace: hasWhitespace)
    }

    /// The text's one value.
    public var root: JSONValue { JSONValue(storage: storage, index: 0) }

    /// How many bytes the text has.
    public var byteCount: Int { storage.bytes.count }
}

/// What the cursors of one document share.
final class JSONStorage: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]
    /// Whether there is whitespace outside strings anywhere.
    let hasWhitespace: Bool

    init(bytes: [UInt8], nodes: [JSONNode], hasWhitespace: Bool) {
        self.bytes = bytes
        self.nodes = nodes
        self.hasWhitespace = hasWhitespace
    }

    /// Calls `body` with the bytes that `node` spans.
    @inline(__always)
    func withText<R>(of node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)])) }
    }
}
