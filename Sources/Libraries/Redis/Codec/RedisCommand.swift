internal import CHiredis

/// One command or several in a row, as bytes ready to be sent. Made once, it may be sent any number of times.
///
/// hiredis formats it: each argument goes with its length, so that no argument can be read as another, whatever is in it.
public struct RedisCommand: Sendable, Equatable {
    /// The most bytes that the arguments of one command may have together.
    public static let maximumSize = 256 * 1024 * 1024

    /// The bytes on the wire.
    public private(set) var bytes: [UInt8]
    /// How many commands it holds, which is how many replies it gets.
    public private(set) var count: Int
    /// Where each command after the first begins.
    private var starts: [Int] = []

    /// Formats one command.
    ///
    /// - Parameter arguments: the command's name and what follows it, at least the name and at most `maximumSize` bytes.
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
        // The caller's mistake, or no memory: neither is for a server to bring about.
        precondition(joined.count <= Self.maximumSize, "a command of \(joined.count) bytes")
        bytes = Self.format(joined, lengths)
        count = 1
    }

    /// Adds another command, to be sent together with this one.
    public mutating func append(_ other: RedisCommand) {
        starts.append(bytes.count)
        for start in other.starts { starts.append(bytes.count + start) }
        bytes += other.bytes
        count += other.count
    }

    /// One command after the other, sent together.
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
        guard length >= 0, let command else { preconditionFailure("no memory to format a command") }
        return [UInt8](UnsafeRawBufferPointer(start: command, count: Int(length)))
    }
}

/// What may stand in a command: text, bytes, whole numbers.
public protocol RedisArgument {
    /// Appends the argument's bytes.
    func append(to bytes: inout [UInt8])
}

extension String: RedisArgument {
    /// Its UTF-8.
    public func append(to bytes: inout [UInt8]) { bytes += utf8 }
}

extension [UInt8]: RedisArgument {
    /// Itself.
    public func append(to bytes: inout [UInt8]) { bytes += self }
}

extension Int64: RedisArgument {
    /// In decimal.
    public func append(to bytes: inout [UInt8]) { bytes += description.utf8 }
}

extension Int: RedisArgument {
    /// In decimal.
    public func append(to bytes: inout [UInt8]) { bytes += description.utf8 }
}
