/// The extensions of one chunk, checked byte by byte and dropped (RFC 9112 section 7.1.1): each a semicolon and a token,
/// and perhaps `=` and a token or a quoted string.
///
/// What is not of this grammar ends for one reader at the CRLF and for another at a quote that does not come, so it is
/// refused; so is whitespace outside quotes, as before the first semicolon.
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
    /// The bytes so far, the first semicolon among them.
    private var length = 1

    /// Takes the next byte; true when it is the CR after the last extension.
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
