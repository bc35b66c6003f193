/// Why a text is not JSON as this module reads it, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// The kinds of failure; more may be added.
    public enum Code: String, Hashable, Sendable {
        /// More bytes than `JSONLimits.size`.
        case tooLarge
        /// Nested deeper than `JSONLimits.depth`.
        case tooDeep
        /// More values than `JSONLimits.members`.
        case tooManyValues
        /// A byte that the grammar of RFC 8259 does not allow there.
        case unexpectedByte
        /// The text ends within a value.
        case unexpectedEnd
        /// A number with a leading zero, without digits, or the like.
        case invalidNumber
        /// An escape that RFC 8259 section 7 does not have.
        case invalidEscape
        /// A `\u` escape of half a surrogate pair.
        case loneSurrogate
        /// Bytes in a string that are not UTF-8 (RFC 3629).
        case invalidUTF8
        /// A control character in a string that is not escaped.
        case controlCharacter
        /// Two members of one object with the same name, escapes resolved.
        case duplicateMember
        /// Something after the value.
        case trailingBytes
    }

    /// What is wrong.
    public let code: Code
    /// The offset of the byte at which it was noticed.
    public let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// `CODE at byte OFFSET`; nothing of the text itself.
    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
