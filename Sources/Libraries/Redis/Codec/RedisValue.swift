/// A reply that may be kept and passed on.
public enum RedisValue: Sendable, Equatable {
    /// Nothing: what was asked for does not exist.
    case null
    /// A number.
    case integer(Int64)
    /// A short word such as `OK`.
    case status(String)
    /// The server refuses.
    case error(RedisServerError)
    /// Bytes.
    case string([UInt8])
    /// Other values.
    case array([RedisValue])

    /// The text of a string or status, where it is UTF-8.
    public var text: String? {
        switch self {
        case .status(let text): text
        case .string(let bytes): String(validating: bytes, as: UTF8.self)
        case .null, .integer, .error, .array: nil
        }
    }

    /// The server's refusal, where it is one.
    public var serverError: RedisServerError? {
        if case .error(let error) = self { error } else { nil }
    }
}
