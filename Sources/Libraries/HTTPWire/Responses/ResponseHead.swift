/// A response's head, checked and taken apart. Ranges are of the head's bytes, which it does not hold.
public struct ResponseHead: Sendable {
    /// The bytes of the head, its empty line among them.
    public var length: Int
    /// The status code, 100 to 999.
    public var status: Int
    /// The reason phrase; it may be empty.
    public var reason: ByteRange
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    public var minorVersion: UInt8
    /// How the body ends, given the method of the request.
    public var framing: BodyFraming
    /// Whether the connection may serve another request after this response's body.
    public var keepAlive: Bool
    /// Whether `Connection` names fields besides those that are hop-by-hop by their kind.
    public var hasConnectionOptions: Bool
    /// Whether the response has an `Upgrade` field that `Connection` names.
    public var hasUpgrade: Bool

    /// Whether another response to the same request follows: 1xx but 101.
    public var isInterim: Bool { status < 200 && status != 101 }
    /// Whether the protocol changes after this head.
    public var isSwitchingProtocols: Bool { status == 101 }
}
