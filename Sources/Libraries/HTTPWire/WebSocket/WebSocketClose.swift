/// Close frames (RFC 6455 section 5.5.1).
public enum WebSocketClose {
    /// The longest reason that a close frame has room for, in bytes.
    public static let maximumReason = 123

    /// A whole frame.
    ///
    /// - Parameters:
    ///   - code: a status code of section 7.4.1.
    ///   - reason: UTF-8; what is too long of it is left out.
    ///   - mask: of the client's side, whose frames must have one; nil: the server's.
    public static func frame(code: UInt16, reason: StaticString = "", mask: UInt32? = nil) -> [UInt8] {
        let text = UnsafeRawBufferPointer(start: reason.utf8Start, count: reason.utf8CodeUnitCount).prefix(
            maximumReason)
        let payload = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + text
        let length = UInt8(truncatingIfNeeded: payload.count)
        guard let mask else { return [0x88, length] + payload }
        let key = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: mask >> $0) }
        return [0x88, 0x80 | length] + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }
}
