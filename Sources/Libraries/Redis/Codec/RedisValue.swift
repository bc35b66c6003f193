/// A copy of a reply.
public enum RedisValue: Sendable, Equatable {
    /// No value: the requested entry does not exist.
    case null
    /// A number.
    case integer(Int64)
    /// A short status text such as `OK`.
    case status(String)
    /// An error from the server.
    case error(RedisServerError)
    /// Bytes.
    case string([UInt8])
    /// A list of values.
    case array([RedisValue])

    /// The text of a string or status; `nil` if it is not UTF-8.
    public var text: String? {
        switch self {
        case .status(let text): text
        case .string(let bytes): String(validating: bytes, as: UTF8.self)
        case .null, .integer, .error, .array: nil
        }
    }

    /// The server's error, or `nil` for other types.
    public var serverError: RedisServerError? {
        if case .error(let error) = self { error } else { nil }
    }
}

/// An error reply of the server.
public struct RedisServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The maximum number of bytes that are kept of an error reply.
    public static let maximumLength = 512

    /// The first word of the reply, such as `ERR`, `WRONGTYPE`, `READONLY`, `LOADING`, `OOM` or `NOPERM`.
    public let code: String
    /// The text after the code. It may repeat arguments of the command.
    public let message: String

    /// Creates an error from its code and text.
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

    /// The code and the text.
    public var description: String { message.isEmpty ? code : "\(code) \(message)" }
}
