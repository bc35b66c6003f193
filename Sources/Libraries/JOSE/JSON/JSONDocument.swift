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

/// What a JSON text may cost to read.
public struct JSONLimits: Sendable {
    /// The longest text, in bytes.
    public var size: Int
    /// How deep objects and arrays may nest; a text that is one empty object has depth 1.
    public var depth: Int
    /// The most values in the whole text, containers included, member names not.
    public var members: Int

    /// Limits of one's own. `size` is taken as 1 GiB where it is more.
    public init(size: Int, depth: Int, members: Int) {
        self.size = min(size, 1 << 30)
        self.depth = depth
        self.members = members
    }

    /// For a token's header or payload: 16 KiB, 64 deep, 4096 values.
    public static let token = JSONLimits(size: 16_384, depth: 64, members: 4096)
    /// For a key set: 1 MiB, 16 deep, 32768 values.
    public static let keySet = JSONLimits(size: 1 << 20, depth: 16, members: 32_768)
}

/// Why a text is not JSON as this module reads it, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// The kinds of failure; more may be added.
    public enum Code: String, Hashable, Sendable {
        /// More bytes than `JSONLimits.size`.
        case tooLarge
        /// Nested deeper than `JSONLimits.depth`.
        case tooDeep
        /// More values than `JSONLimits.members`.
        case tooManyValues
        /// A byte that the grammar of RFC 8259 does not allow there.
        case unexpectedByte
        /// The text ends within a value.
        case unexpectedEnd
        /// A number with a leading zero, without digits, or the like.
        case invalidNumber
        /// An escape that RFC 8259 section 7 does not have.
        case invalidEscape
        /// A `\u` escape of half a surrogate pair.
        case loneSurrogate
        /// Bytes in a string that are not UTF-8 (RFC 3629).
        case invalidUTF8
        /// A control character in a string that is not escaped.
        case controlCharacter
        /// Two members of one object with the same name, escapes resolved.
        case duplicateMember
        /// Something after the value.
        case trailingBytes
    }

    /// What is wrong.
    public let code: Code
    /// The offset of the byte at which it was noticed.
    public let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// `CODE at byte OFFSET`; nothing of the text itself.
    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
