/// The extensions of one chunk, which are checked and dropped (RFC 9112 section 7.1.1): each is a semicolon and a
/// token, optionally with `=` and a token or a quoted string.
///
/// Anything else is rejected, since one parser would end it at the CRLF and another at a closing quote. Whitespace
/// outside quotes is rejected too, for example before the first semicolon.
struct ChunkExtension: Sendable, Equatable {
    private enum Part {
        case nameStart
        case name
        case valueStart
        case value
        case quoted
        case escaped
        case quotedEnd
    }

    private var part = Part.nameStart
    /// The number of bytes so far, including the first semicolon.
    private var length = 1

    /// Processes the next byte. Returns `true` for the CR after the last extension.
    mutating func take(_ byte: UInt8) throws(ChunkError) -> Bool {
        if byte == 0x0D, mayEnd { return true }
        guard let next = part(after: byte) else { throw .invalidExtension }
        guard length < ChunkDecoder.maximumExtension else { throw .extensionTooLong }
        part = next
        length &+= 1
        return false
    }

    private var mayEnd: Bool {
        switch part {
        case .name, .value, .quotedEnd: true
        case .nameStart, .valueStart, .quoted, .escaped: false
        }
    }

    private func part(after byte: UInt8) -> Part? {
        switch part {
        case .nameStart: ByteClass.isToken(byte) ? .name : nil
        case .name: ByteClass.isToken(byte) ? .name : byte == 0x3D ? .valueStart : nextExtension(byte)
        case .valueStart: byte == 0x22 ? .quoted : ByteClass.isToken(byte) ? .value : nil
        case .value: ByteClass.isToken(byte) ? .value : nextExtension(byte)
        case .quoted: byte == 0x22 ? .quotedEnd : byte == 0x5C ? .escaped : quotedText(byte)
        case .escaped: quotedText(byte)
        case .quotedEnd: nextExtension(byte)
        }
    }

    private func nextExtension(_ byte: UInt8) -> Part? { byte == 0x3B ? .nameStart : nil }

    private func quotedText(_ byte: UInt8) -> Part? {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F) ? .quoted : nil
    }
}
