/// The sub-protocols of a WebSocket handshake (RFC 6455 section 4.1): tokens of `Sec-WebSocket-Protocol`.
public enum WebSocketProtocols {
    /// The field's name, in lower case.
    public static var fieldName: StaticString { "sec-websocket-protocol" }

    /// Whether bytes are one token.
    public static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(ByteClass.isToken)
    }
}
