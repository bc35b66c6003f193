/// One field line of a head: where its parts are, and what it is.
public struct Field: Sendable, Hashable {
    /// The name, as it was spelled.
    public var name: ByteRange
    /// The value without the whitespace around it; it may be empty.
    public var value: ByteRange
    /// The bytes of the whole line, its CRLF among them.
    public var lineLength: UInt32
    /// Which field it is.
    public var kind: FieldKind
    /// Whether a `Connection` field of the same head names this field, so that it is for this connection only.
    public var isNamedByConnection: Bool

    /// The whole line, its CRLF among it.
    @inlinable
    public var line: ByteRange { ByteRange(start: name.start, length: lineLength) }

    /// Whether a gateway must not pass the field on: a hop-by-hop field by its kind or because `Connection` names it.
    @inlinable
    public var isHopByHop: Bool { isNamedByConnection || kind.isHopByHop }
}
