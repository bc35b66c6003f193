internal import CHiredis

/// A view of a reply, or of one element of it, in the reader's memory.
///
/// It is valid only during the call that delivers it, on that thread. `value()` copies it.
public struct RedisReply {
    /// The type of a reply.
    public enum Kind: UInt8, Sendable {
        /// No value: the requested entry does not exist.
        case null
        /// A number.
        case integer
        /// A short status text such as `OK`.
        case status
        /// An error from the server; `bytes` is its text.
        case error
        /// Bytes.
        case string
        /// A list of replies.
        case array
    }

    private let nodes: UnsafePointer<chiredis_node>
    private let strings: UnsafePointer<UInt8>?
    fileprivate let index: Int

    init(nodes: UnsafePointer<chiredis_node>, strings: UnsafePointer<UInt8>?, index: Int = 0) {
        self.nodes = nodes
        self.strings = strings
        self.index = index
    }

    fileprivate var node: chiredis_node { nodes[index] }

    /// The type of the reply.
    public var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: node.kind)) ?? .error }

    /// Whether the reply is null.
    public var isNull: Bool { kind == .null }

    /// The value of an integer; 0 for other types.
    public var integer: Int64 { kind == .integer ? node.value : 0 }

    /// The bytes of a string, status or error; empty for other types.
    public var bytes: UnsafeRawBufferPointer {
        switch kind {
        case .string, .status, .error:
            UnsafeRawBufferPointer(
                start: strings.map { $0 + Int(node.value) }, count: strings == nil ? 0 : Int(node.count))
        case .null, .integer, .array:
            UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// The number of elements of an array; 0 for other types.
    public var count: Int { kind == .array ? Int(node.count) : 0 }

    /// Returns an element of an array. A missing element is an error with the code `ABSENT`, so that it cannot be
    /// taken for null.
    ///
    /// Constant time in an array without nested arrays, linear otherwise.
    public subscript(position: Int) -> RedisReply {
        guard position >= 0, position < count else { return .absent }
        let isFlat = Int(node.next) - index - 1 == count
        guard !isFlat else { return element(at: index + 1 + position) }
        var place = index + 1
        for _ in 0..<position { place = Int(nodes[place].next) }
        return element(at: place)
    }

    fileprivate func element(at place: Int) -> RedisReply {
        RedisReply(nodes: nodes, strings: strings, index: place)
    }

    private static var absent: RedisReply {
        RedisReply(nodes: chiredis_absent_node(), strings: chiredis_absent_bytes())
    }

    /// The elements of an array, in order. Each step takes constant time.
    public var elements: Elements { Elements(following: element(at: index + 1), left: count) }

    /// The elements of an array.
    public struct Elements: Sequence, IteratorProtocol {
        fileprivate var following: RedisReply
        fileprivate var left: Int

        /// Returns the next element.
        public mutating func next() -> RedisReply? {
            guard left > 0 else { return nil }
            left -= 1
            defer { if left > 0 { following = following.element(at: Int(following.node.next)) } }
            return following
        }

        /// The number of remaining elements.
        public var underestimatedCount: Int { left }
    }
}

// MARK: - Reading

extension RedisReply {
    /// Returns whether the reply is a string or status with this text.
    public func equals(_ text: StaticString) -> Bool {
        guard kind == .string || kind == .status else { return false }
        return bytes.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The value of an integer, or of a string in canonical decimal form: no plus sign, leading zeros or spaces.
    public var decimal: Int64? {
        switch kind {
        case .integer: node.value
        case .string: Self.decimal(bytes)
        case .null, .status, .error, .array: nil
        }
    }

    private static func decimal(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes[...]
        guard let first = digits.first, digits.count <= 19 else { return nil }
        guard first != UInt8(ascii: "0") || bytes.count == 1 else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            let (shifted, isTooLong) = value.multipliedReportingOverflow(by: 10)
            let step = Int64(digit - UInt8(ascii: "0"))
            let (sum, isTooLarge) =
                isNegative
                ? shifted.subtractingReportingOverflow(step) : shifted.addingReportingOverflow(step)
            guard !isTooLong, !isTooLarge else { return nil }
            value = sum
        }
        return value
    }

    /// The server's error, or `nil` for other types.
    public var serverError: RedisServerError? { kind == .error ? RedisServerError(bytes) : nil }

    /// Returns a copy that outlives the call.
    public func value() -> RedisValue {
        switch kind {
        case .null: .null
        case .integer: .integer(node.value)
        case .status: .status(String(decoding: bytes, as: UTF8.self))
        case .error: .error(RedisServerError(bytes))
        case .string: .string([UInt8](bytes))
        case .array: .array(elements.map { $0.value() })
        }
    }
}

/// Bounds on one reply. The connection is closed when a reply exceeds them, before memory is reserved.
public struct RedisReplyLimits: Sendable, Equatable {
    /// The maximum nesting of arrays that hiredis reads.
    public static let maximumDepth = 7

    /// The maximum number of elements of one array.
    public var elements: Int
    /// The maximum number of values of a reply, counting arrays and their elements. Each takes 24 bytes while the
    /// reply is read.
    public var values: Int
    /// The maximum size of one string, in bytes.
    public var stringSize: Int
    /// The maximum size of all strings of a reply, in bytes.
    public var size: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - elements: The maximum number of elements of one array.
    ///   - values: The maximum number of values of a reply.
    ///   - stringSize: The maximum size of one string, in bytes.
    ///   - size: The maximum size of all strings, in bytes.
    public init(elements: Int, values: Int, stringSize: Int, size: Int) {
        self.elements = elements
        self.values = values
        self.stringSize = stringSize
        self.size = size
    }

    /// Limits for commands with small replies: 64 Ki values, 1 MiB.
    public static let standard = RedisReplyLimits(
        elements: 65_536, values: 65_536, stringSize: 1 << 20, size: 1 << 20)

    /// Limits for the topology of a cluster: 16,384 ranges of slots with three nodes each, 8 MiB.
    static let topology = RedisReplyLimits(
        elements: 65_536, values: 32 * HashSlot.count, stringSize: 1 << 20, size: 8 << 20)

    /// Limits for bulk reads: 1,000,000 values, 64 MiB.
    public static let bulk = RedisReplyLimits(
        elements: 1_000_000, values: 1_000_000, stringSize: 64 << 20, size: 64 << 20)

    /// Returns limits for replies within either of the limits.
    func including(_ other: RedisReplyLimits) -> RedisReplyLimits {
        RedisReplyLimits(
            elements: max(elements, other.elements), values: max(values, other.values),
            stringSize: max(stringSize, other.stringSize), size: max(size, other.size))
    }

    var forReader: chiredis_limits {
        chiredis_limits(
            elements: UInt32(clamping: elements), nodes: UInt32(clamping: values), depth: UInt32(Self.maximumDepth),
            string: UInt32(clamping: min(stringSize, Int(Int32.max))), bytes: UInt64(clamping: size))
    }
}

/// A copy of a reply that can be read after the call that delivered it.
struct RetainedReply {
    private var nodes: [chiredis_node] = []
    private var strings: [UInt8] = []

    init(_ reply: RedisReply) {
        let first = reply.index
        for place in first..<max(Int(reply.node.next), first + 1) {
            let value = reply.element(at: place)
            var node = value.node
            node.next -= UInt32(first)
            switch value.kind {
            case .status, .error, .string:
                node.value = Int64(strings.count)
                strings += value.bytes
            case .null, .integer, .array: break
            }
            nodes.append(node)
        }
    }

    /// The size in bytes.
    var size: Int { strings.count + nodes.count * MemoryLayout<chiredis_node>.stride }

    /// Calls `body` with the reply, which is valid only during this call.
    func read(_ body: (RedisReply) -> Void) {
        nodes.withUnsafeBufferPointer { nodes in
            strings.withUnsafeBufferPointer { strings in
                guard let first = nodes.baseAddress else { return }
                body(RedisReply(nodes: first, strings: strings.baseAddress))
            }
        }
    }
}
