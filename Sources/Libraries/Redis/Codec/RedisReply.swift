internal import CHiredis

/// A reply, or one element of it, where the reader left it: valid only during the call that hands it over, and to be read on its thread.
///
/// It is a view and costs nothing. What is kept beyond the call is copied by `value()`.
public struct RedisReply {
    /// What a reply is.
    public enum Kind: UInt8, Sendable {
        /// Nothing: what was asked for does not exist.
        case null
        /// A number.
        case integer
        /// A short word such as `OK`.
        case status
        /// The server refuses; the bytes tell why.
        case error
        /// Bytes.
        case string
        /// Other replies.
        case array
    }

    private let nodes: UnsafePointer<chiredis_node>
    private let strings: UnsafePointer<UInt8>?
    private let index: Int

    init(nodes: UnsafePointer<chiredis_node>, strings: UnsafePointer<UInt8>?, index: Int = 0) {
        self.nodes = nodes
        self.strings = strings
        self.index = index
    }

    private var node: chiredis_node { nodes[index] }

    /// What it is.
    public var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: node.kind)) ?? .error }

    /// Whether it is nothing.
    public var isNull: Bool { kind == .null }

    /// An integer's value; 0 for all else.
    public var integer: Int64 { kind == .integer ? node.value : 0 }

    /// The bytes of a string, status or error; empty for all else.
    public var bytes: UnsafeRawBufferPointer {
        switch kind {
        case .string, .status, .error:
            UnsafeRawBufferPointer(
                start: strings.map { $0 + Int(node.value) }, count: strings == nil ? 0 : Int(node.count))
        case .null, .integer, .array:
            UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    /// How many elements an array has; 0 for all else.
    public var count: Int { kind == .array ? Int(node.count) : 0 }

    /// The element of an array. One that is not there is an error with the code `ABSENT`, never a null: a miss is not an error.
    ///
    /// At once in an array without arrays; otherwise the elements before it are stepped over.
    public subscript(position: Int) -> RedisReply {
        guard position >= 0, position < count else { return .absent }
        let isFlat = Int(node.next) - index - 1 == count
        guard !isFlat else { return element(at: index + 1 + position) }
        var place = index + 1
        for _ in 0..<position { place = Int(nodes[place].next) }
        return element(at: place)
    }

    private func element(at place: Int) -> RedisReply {
        RedisReply(nodes: nodes, strings: strings, index: place)
    }

    private static var absent: RedisReply {
        RedisReply(nodes: chiredis_absent_node(), strings: chiredis_absent_bytes())
    }

    /// The elements of an array in their order, each at the cost of one step.
    public var elements: Elements { Elements(following: element(at: index + 1), left: count) }

    /// The elements of an array.
    public struct Elements: Sequence, IteratorProtocol {
        fileprivate var following: RedisReply
        fileprivate var left: Int

        /// The next element.
        public mutating func next() -> RedisReply? {
            guard left > 0 else { return nil }
            left -= 1
            defer { if left > 0 { following = following.element(at: Int(following.node.next)) } }
            return following
        }

        /// How many are left.
        public var underestimatedCount: Int { left }
    }
}

// MARK: - Reading

extension RedisReply {
    /// Whether it is a string or status of these bytes.
    public func equals(_ text: StaticString) -> Bool {
        guard kind == .string || kind == .status else { return false }
        return bytes.elementsEqual(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// An integer, or a string that is one in decimal as Redis writes it: no sign but `-`, no leading zeros, no space.
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

    /// The server's refusal, where it is one.
    public var serverError: RedisServerError? { kind == .error ? RedisServerError(bytes) : nil }

    /// A copy that may be kept.
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

/// What one reply may cost. Whoever sends more is no server to go on with: the connection is closed before anything is reserved.
public struct RedisReplyLimits: Sendable, Equatable {
    /// The most levels of arrays within arrays, which hiredis reads.
    public static let maximumDepth = 7

    /// The elements of one array.
    public var elements: Int
    /// The values of a reply, arrays and their elements alike. Each costs 24 bytes while the reply is read.
    public var values: Int
    /// The bytes of one string.
    public var stringSize: Int
    /// The bytes of all strings of a reply.
    public var size: Int

    /// - Parameters:
    ///   - elements: of one array.
    ///   - values: of a reply.
    ///   - stringSize: in bytes.
    ///   - size: in bytes.
    public init(elements: Int, values: Int, stringSize: Int, size: Int) {
        self.elements = elements
        self.values = values
        self.stringSize = stringSize
        self.size = size
    }

    /// For commands whose replies are small: 64 Ki values, 1 MiB.
    public static let standard = RedisReplyLimits(
        elements: 65_536, values: 65_536, stringSize: 1 << 20, size: 1 << 20)

    /// For reading much at once: 1,000,000 values, 64 MiB.
    public static let bulk = RedisReplyLimits(
        elements: 1_000_000, values: 1_000_000, stringSize: 64 << 20, size: 64 << 20)

    var forReader: chiredis_limits {
        chiredis_limits(
            elements: UInt32(clamping: elements), nodes: UInt32(clamping: values), depth: UInt32(Self.maximumDepth),
            string: UInt32(clamping: min(stringSize, Int(Int32.max))), bytes: UInt64(clamping: size))
    }
}
