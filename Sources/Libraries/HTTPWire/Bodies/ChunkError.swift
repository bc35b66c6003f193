/// Why a chunked body was refused. Where the message ends is then not known, so its connection must close.
public enum ChunkError: Error, Sendable, Equatable {
    /// A chunk does not begin with one to 16 hexadecimal digits and then CRLF or an extension.
    case invalidSize
    /// The size is above `Int64.max`.
    case sizeTooLarge
    /// A chunk extension that is not a token with, perhaps, a token or a quoted string as its value; a bare CR or LF.
    case invalidExtension
    /// The extensions have more than ``ChunkDecoder/maximumExtension`` bytes.
    case extensionTooLong
    /// No CRLF where a chunk's payload ends.
    case missingLineEnd
    /// The trailer section has more than ``ChunkDecoder/maximumTrailers`` bytes.
    case trailersTooLarge
    /// The trailer section breaks the rules of field lines.
    case malformedTrailers(HeadError)
}
