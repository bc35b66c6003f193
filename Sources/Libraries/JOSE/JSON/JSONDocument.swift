/// A JSON text (RFC 8259), parsed strictly and once.
///
/// The text must be valid UTF-8 without a byte order mark. Objects must not have duplicate names. Size, depth and
/// number of values are bounded. Parsing does not recurse. The document stores the text and one small node for each
/// value.
public struct JSONDocument: Sendable {
    let storage: JSONStorage

    /// Parses `bytes`.
    public init(_ bytes: [UInt8], limits: JSONLimits = .token) throws(JSONError) {
        let parsed = bytes.withUnsafeBufferPointer { JSONParser.parse($0, limits: limits) }
        let (nodes, hasWhitespace) = try parsed.get()
        storage = JSONStorage(bytes: bytes, nodes: nodes, hasWhitespace: hasWhitespace)
    }

    /// The top-level value.
    public var root: JSONValue { JSONValue(storage: storage, index: 0) }

    /// The size of the text in bytes.
    public var byteCount: Int { storage.bytes.count }
}

/// The storage that the cursors of one document share.
final class JSONStorage: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]
    /// Whether there is whitespace outside strings.
    let hasWhitespace: Bool

    init(bytes: [UInt8], nodes: [JSONNode], hasWhitespace: Bool) {
        self.bytes = bytes
        self.nodes = nodes
        self.hasWhitespace = hasWhitespace
    }

    /// Calls `body` with the bytes of `node`.
    @inline(__always)
    func withText<R>(of node: JSONNode, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[Int(node.start)..<Int(node.end)])) }
    }
}

/// Bounds on parsing a JSON text.
public struct JSONLimits: Sendable {
    /// The maximum size of the text, in bytes.
    public var size: Int
    /// The maximum nesting of objects and arrays. A text with one empty object has depth 1.
    public var depth: Int
    /// The maximum number of values in the whole text. Containers count, member names do not.
    public var members: Int

    /// Creates limits. `size` is at most 1 GiB.
    public init(size: Int, depth: Int, members: Int) {
        self.size = min(size, 1 << 30)
        self.depth = depth
        self.members = members
    }

    /// Limits for a token's header or payload: 16 KiB, depth 64, 4096 values.
    public static let token = JSONLimits(size: 16_384, depth: 64, members: 4096)
    /// Limits for a key set: 1 MiB, depth 16, 32768 values.
    public static let keySet = JSONLimits(size: 1 << 20, depth: 16, members: 32_768)
}

/// The reason that a text is rejected, with its position.
public struct JSONError: Error, Hashable, Sendable {
    /// The kind of error. The list can grow.
    public enum Code: String, Hashable, Sendable {
        /// More bytes than `JSONLimits.size`.
        case tooLarge
        /// Nesting deeper than `JSONLimits.depth`.
        case tooDeep
        /// More values than `JSONLimits.members`.
        case tooManyValues
        /// A byte that the grammar of RFC 8259 does not permit at this position.
        case unexpectedByte
        /// The text ends within a value.
        case unexpectedEnd
        /// An invalid number, such as one with a leading zero or without digits.
        case invalidNumber
        /// An escape that is not in RFC 8259 section 7.
        case invalidEscape
        /// A `\u` escape for half of a surrogate pair.
        case loneSurrogate
        /// Invalid UTF-8 in a string (RFC 3629).
        case invalidUTF8
        /// An unescaped control character in a string.
        case controlCharacter
        /// Two members of an object with the same name after unescaping.
        case duplicateMember
        /// Bytes after the value.
        case trailingBytes
    }

    /// The kind of error.
    public let code: Code
    /// The offset of the byte at which the error was detected.
    public let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// `CODE at byte OFFSET`, without any of the text.
    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
