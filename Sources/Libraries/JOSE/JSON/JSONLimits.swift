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
