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

/// The server's refusal of a command.
public struct RedisServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The most bytes of a refusal that are kept.
    public static let maximumLength = 512

    /// Its first word, which tells what is wrong: `ERR`, `WRONGTYPE`, `READONLY`, `LOADING`, `OOM`, `NOPERM` and others.
    public let code: String
    /// The rest of it. It may repeat what was in the command.
    public let message: String

    /// A refusal by its code and text.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        let kept = bytes.prefix(Self.maximumLength)
        let end = kept.firstIndex(of: UInt8(ascii: " ")) ?? kept.endIndex
        code = String(decoding: kept[..<end], as: UTF8.self)
        message = String(decoding: kept[end...].dropFirst(), as: UTF8.self)
    }

    /// The whole of it.
    public var description: String { message.isEmpty ? code : "\(code) \(message)" }
}
