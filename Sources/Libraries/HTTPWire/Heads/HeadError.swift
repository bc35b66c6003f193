/// The reason that a message head is rejected.
///
/// For a request, the response is 400 for `malformed`, 431 for `tooLarge` and `tooManyFields`, and 505 for
/// `versionUnsupported`. The connection closes, since the start of the next message is unknown. For a response of an
/// upstream, it is 502.
public enum HeadError: Error, Sendable {
    /// The head violates RFC 9110, RFC 9112, or a stricter rule of this parser. The reason is for the log and the
    /// client, and contains no bytes of the head.
    case malformed(reason: StaticString)
    /// The head has more bytes than ``HeadLimits/size``.
    case tooLarge
    /// The head has more field lines than ``HeadLimits/fields`` or the capacity of the table.
    case tooManyFields
    /// The version is well-formed but neither HTTP/1.0 nor HTTP/1.1.
    case versionUnsupported
}

extension HeadError: Equatable {
    /// Returns whether the cases and, for `malformed`, the reasons are equal.
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
    /// A short description of the error.
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
    /// The size of a version, in bytes.
    static var length: Int { 8 }

    /// Parses the version at `position` and returns the minor version.
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
