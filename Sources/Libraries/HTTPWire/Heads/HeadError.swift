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
