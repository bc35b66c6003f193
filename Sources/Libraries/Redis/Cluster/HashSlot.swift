/// A hash slot of a Redis Cluster. Each slot belongs to one master, which stores all of its keys.
public struct HashSlot: Sendable, Hashable, CustomStringConvertible {
    /// The number of slots.
    public static let count = 16_384

    /// 0 to 16383.
    public let number: Int

    /// Returns the slot of a key: the CRC16 (XMODEM) of its hash tag, or of the whole key.
    ///
    /// The hash tag is the text between the first `{` and the next `}`, unless it is empty
    /// (<https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags>).
    public init(of key: some Collection<UInt8>) {
        number = Int(Self.crc16(Self.tag(of: key) ?? key[...])) % Self.count
    }

    /// The number.
    public var description: String { "\(number)" }

    private static func tag<Key: Collection<UInt8>>(of key: Key) -> Key.SubSequence? {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        let rest = key[key.index(after: open)...]
        guard let close = rest.firstIndex(of: UInt8(ascii: "}")), close != rest.startIndex else { return nil }
        return rest[..<close]
    }

    /// Returns the CRC16 with the polynomial 0x1021, the initial value 0, and no reflection. It is computed once for
    /// each configuration, so that it needs no table.
    static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var crc: UInt16 = 0
        for byte in bytes {
            crc ^= UInt16(byte) << 8
            for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
        }
        return crc
    }
}

/// The place of all keys of a client in a Redis Cluster: one hash tag, and so one slot of one master.
public struct ClusterKeyspace: Sendable, Equatable {
    /// The text of the hash tag.
    public let tag: String
    /// `{TAG}`, which precedes each key.
    public let prefix: [UInt8]
    /// The slot of all keys.
    public let slot: HashSlot

    /// Creates a keyspace.
    ///
    /// - Parameter tag: At least one byte, and none of `{}*?[]\`, so that keys can be found by a pattern.
    public init(tag: String) {
        self.tag = tag
        prefix = Array("{\(tag)}".utf8)
        slot = HashSlot(of: prefix)
    }
}
