/// The bounds of one message head.
public struct HeadLimits: Sendable, Hashable {
    /// The most bytes of a head, from its first byte to the end of its empty line.
    public var size: Int
    /// The most field lines.
    public var fields: Int

    /// Bounds of `size` bytes and `fields` field lines; by default 64 KiB and 128.
    public init(size: Int = 65_536, fields: Int = 128) {
        self.size = size
        self.fields = fields
    }
}
