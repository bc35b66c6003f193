/// Why a message head was refused.
///
/// Of a request: `malformed` is answered 400, `tooLarge` and `tooManyFields` 431, `versionUnsupported` 505, each with
/// the connection closed, since where the next message begins is not known. Of a response: 502.
public enum HeadError: Error, Sendable {
    /// The head breaks a rule of RFC 9110 or RFC 9112, or one of ours that is stricter. The reason is for the log and
    /// for the client: it holds none of the head's bytes.
    case malformed(reason: StaticString)
    /// The head has more bytes than ``HeadLimits/size``.
    case tooLarge
    /// The head has more field lines than ``HeadLimits/fields`` or the table has room for.
    case tooManyFields
    /// The version is well formed, but neither HTTP/1.0 nor HTTP/1.1.
    case versionUnsupported
}

extension HeadError: Equatable {
    /// Equal cases, and for `malformed` equal texts.
    public static func == (left: HeadError, right: HeadError) -> Bool {
        switch (left, right) {
        case (.malformed(let a), .malformed(let b)): a.description == b.description
        case (.tooLarge, .tooLarge), (.tooManyFields, .tooManyFields): true
        case (.versionUnsupported, .versionUnsupported): true
        default: false
        }
    }
}

extension HeadError: CustomStringConvertible {
    /// What was wrong, in a few words.
    public var description: String {
        switch self {
        case .malformed(let reason): reason.description
        case .tooLarge: "the head is too large"
        case .tooManyFields: "the head has too many fields"
        case .versionUnsupported: "the HTTP version is not supported"
        }
    }
}

/// The version in a first line (RFC 9112 section 2.3): `HTTP/1.0` or `HTTP/1.1`.
enum HTTPVersion {
    /// The bytes of a version.
    static var length: Int { 8 }

    /// The minor version of the text at `position`.
    @inline(__always)
    static func minor(_ input: HeadInput, at position: Int) throws(HeadError) -> UInt8 {
        guard position &+ length <= input.count else { throw .malformed(reason: "head ends within its first line") }
        let word = input.base.word(position)
        if word == word11 { return 1 }
        if word == word10 { return 0 }
        throw error(input, at: position)
    }

    /// `HTTP/1.1` and `HTTP/1.0`, the first byte lowest.
    private static var word11: UInt64 { 0x312E_312F_5054_5448 }
    private static var word10: UInt64 { 0x302E_312F_5054_5448 }

    @inline(never)
    private static func error(_ input: HeadInput, at position: Int) -> HeadError {
        let bytes = UnsafeRawBufferPointer(start: input.base + position, count: length)
        let isVersion =
            bytes.starts(with: [0x48, 0x54, 0x54, 0x50, 0x2F]) && ByteClass.isDigit(bytes[5]) && bytes[6] == 0x2E
            && ByteClass.isDigit(bytes[7])
        return isVersion ? .versionUnsupported : .malformed(reason: "invalid HTTP version")
    }
}
