internal import CHiredis

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
