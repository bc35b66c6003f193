/// The form of a request target (RFC 9112 section 3.2).
public enum TargetForm: UInt8, Sendable {
    /// A path and perhaps a query: `/where?q=now`.
    case origin
    /// A whole `http` or `https` URI.
    case absolute
    /// `*`, of OPTIONS only.
    case asterisk
    /// A host and a port, of CONNECT only.
    case authority
}

/// A request's head, checked and taken apart. Ranges are of the head's bytes, which it does not hold.
public struct RequestHead: Sendable {
    /// The bytes of the head: an empty line before it and the one that ends it among them.
    public var length: Int
    /// The method.
    public var method: Method
    /// The method's bytes.
    public var methodRange: ByteRange
    /// The request target as it was sent: visible ASCII without `#`.
    public var target: ByteRange
    /// The target's form.
    public var targetForm: TargetForm
    /// The path as it was sent, from its `/` up to the query. `*` in asterisk form, empty in authority form. In
    /// absolute form without a path, one `/` of the target that stands for it.
    public var path: ByteRange
    /// What follows the first `?` of the target; it may be empty. Nil without a `?`.
    public var query: ByteRange?
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    public var minorVersion: UInt8
    /// The value of the one `Host` field. A request of HTTP/1.0 may have none: then the target's authority, or empty.
    public var host: ByteRange
    /// The same taken apart; its name is empty where `host` is.
    public var hostName: HostName
    /// The authority of a target in absolute or authority form. It agrees with `host`.
    public var authority: ByteRange?
    /// How the body ends: `none`, `length` or `chunked`.
    public var framing: BodyFraming
    /// Whether the connection may serve another request after this one.
    public var keepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends its body.
    public var expectsContinue: Bool
    /// Whether the client asks to change the protocol: HTTP/1.1, with an `Upgrade` field that `Connection` names.
    public var hasUpgrade: Bool
    /// How many `Authorization` fields there are.
    public var authorizationCount: Int
    /// The index of the first of them in the table.
    public var authorizationIndex: Int?
    /// Whether `Connection` names fields besides those that are hop-by-hop by their kind: only then are any
    /// ``Field/isNamedByConnection``.
    public var hasConnectionOptions: Bool
}
