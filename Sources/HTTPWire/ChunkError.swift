/// Why a chunked body was refused. Where the message ends is then not known, so its connection must close.
public enum ChunkError: Error, Sendable, Equatable {
    /// A chunk does not begin with one to 16 hexadecimal digits and then CRLF or an extension.
    case invalidSize
    /// The size is above `Int64.max`.
    case sizeTooLarge
    /// A control byte, a bare CR or a bare LF in a chunk extension.
    case invalidExtension
    /// The extension has more than ``ChunkDecoder/maximumExtension`` bytes.
    case extensionTooLong
    /// No CRLF where a chunk's payload ends.
    case missingLineEnd
    /// The trailer section has more than ``ChunkDecoder/maximumTrailers`` bytes.
    case trailersTooLarge
    /// The trailer section breaks the rules of field lines.
    case malformedTrailers(HeadError)
}
