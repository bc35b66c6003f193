internal import CHiredis

/// One command or a pipeline of commands, encoded for sending. An encoded command can be sent any number of times.
///
/// hiredis formats the command with the length of each argument, so no argument can be parsed as another.
public struct RedisCommand: Sendable, Equatable {
    /// The maximum size of the arguments of one command, in bytes.
    public static let maximumSize = 256 * 1024 * 1024

    /// The bytes on the wire.
    public private(set) var bytes: [UInt8]
    /// The number of commands, and of expected replies.
    public private(set) var count: Int
    /// Whether the only command follows `ASKING`, which has no reply of its own.
    let isAsking: Bool
    /// Whether the order of the commands of this pipeline does not matter. After redirects of a cluster, its executed
    /// commands are then not executed again.
    public var isIndependent = false
    /// The offsets of all commands after the first.
    private var starts: [Int] = []

    /// Formats one command.
    ///
    /// - Parameter arguments: The command's name followed by its arguments, at most `maximumSize` bytes.
    public init(_ arguments: [any RedisArgument]) {
        precondition(!arguments.isEmpty, "a command has a name")
        var joined: [UInt8] = []
        var lengths: [Int] = []
        lengths.reserveCapacity(arguments.count)
        for argument in arguments {
            let start = joined.count
            argument.append(to: &joined)
            lengths.append(joined.count - start)
        }
        // A programming error or a failed allocation; no server can cause either.
        precondition(joined.count <= Self.maximumSize, "a command of \(joined.count) bytes")
        self.init(encoded: Self.format(joined, lengths))
    }

    /// Creates one command from its bytes on the wire.
    init(encoded bytes: [UInt8], isAsking: Bool = false) {
        self.bytes = bytes
        self.isAsking = isAsking
        count = 1
    }

    /// Appends another command to the pipeline.
    public mutating func append(_ other: RedisCommand) {
        starts.append(bytes.count)
        for start in other.starts { starts.append(bytes.count + start) }
        bytes += other.bytes
        count += other.count
    }

    /// Returns a pipeline of both commands.
    public static func + (first: RedisCommand, second: RedisCommand) -> RedisCommand {
        var both = first
        both.append(second)
        return both
    }

    /// Calls `body` with the bytes of each command, in order.
    func forEachCommand(_ body: (ArraySlice<UInt8>) -> Void) {
        var start = 0
        for next in starts {
            body(bytes[start..<next])
            start = next
        }
        body(bytes[start...])
    }

    private static func format(_ joined: [UInt8], _ lengths: [Int]) -> [UInt8] {
        var command: UnsafeMutablePointer<CChar>?
        let length = joined.withUnsafeBytes { bytes in
            lengths.withUnsafeBytes { lengths in
                chiredis_format(
                    &command, Int32(lengths.count / MemoryLayout<Int>.size),
                    bytes.assumingMemoryBound(to: CChar.self).baseAddress,
                    lengths.baseAddress?.assumingMemoryBound(to: Int.self))
            }
        }
        defer { chiredis_free_command(command) }
        guard length >= 0, let command else { preconditionFailure("out of memory while formatting a command") }
        return [UInt8](UnsafeRawBufferPointer(start: command, count: Int(length)))
    }
}

/// A type that can be a command argument: text, bytes, integers.
public protocol RedisArgument {
    /// Appends the argument's bytes.
    func append(to bytes: inout [UInt8])
}

extension String: RedisArgument {
    /// Appends the UTF-8 bytes.
    public func append(to bytes: inout [UInt8]) { bytes += utf8 }
}

extension [UInt8]: RedisArgument {
    /// Appends the bytes.
    public func append(to bytes: inout [UInt8]) { bytes += self }
}

extension Int64: RedisArgument {
    /// Appends the decimal digits.
    public func append(to bytes: inout [UInt8]) { bytes += description.utf8 }
}

extension Int: RedisArgument {
    /// Appends the decimal digits.
    public func append(to bytes: inout [UInt8]) { bytes += description.utf8 }
}
