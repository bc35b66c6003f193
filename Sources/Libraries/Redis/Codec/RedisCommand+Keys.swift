extension RedisCommand {
    /// Returns the commands with a prefix before each key, and before the pattern of `SCAN`.
    ///
    /// The first argument of a command that is not listed here is its only key. The server rejects a command with
    /// further keys, since their slot is another one.
    func prefixingKeys(with prefix: [UInt8]) -> RedisCommand {
        var result: RedisCommand?
        forEachCommand { bytes in
            let command = RedisCommand(prefixed: Self.arguments(bytes), with: prefix)
            if result == nil { result = command } else { result?.append(command) }
        }
        result?.isIndependent = isIndependent
        return result ?? self
    }

    /// The key of `HMGET`. `nil` for any other command.
    var keyOfRecordRead: ArraySlice<UInt8>? {
        let arguments = Self.arguments(bytes[...])
        return arguments.count > 1 && arguments[0].elementsEqual("HMGET".utf8) ? arguments[1] : nil
    }

    /// Returns the commands one by one.
    func separated() -> [RedisCommand] {
        guard count > 1 else { return [self] }
        var commands: [RedisCommand] = []
        forEachCommand { commands.append(RedisCommand(encoded: Array($0))) }
        return commands
    }

    /// Returns the only command after `ASKING`. Both have one reply together: that of the command.
    func asking() -> RedisCommand {
        RedisCommand(encoded: Self.askingBytes + bytes, isAsking: true)
    }

    private static let askingBytes = Array("*1\r\n$6\r\nASKING\r\n".utf8)

    private init(prefixed arguments: [ArraySlice<UInt8>], with prefix: [UInt8]) {
        let keys = Self.keys(of: arguments)
        var bytes = Array("*\(arguments.count)\r\n".utf8)
        bytes.reserveCapacity(arguments.reduce(64) { $0 + $1.count + prefix.count + 16 })
        for (place, argument) in arguments.enumerated() {
            let isKey = keys.contains(place)
            bytes += "$\(argument.count + (isKey ? prefix.count : 0))\r\n".utf8
            if isKey { bytes += prefix }
            bytes += argument
            bytes += "\r\n".utf8
        }
        self.init(encoded: bytes)
    }

    /// Returns the positions of the keys.
    private static func keys(of arguments: [ArraySlice<UInt8>]) -> Range<Int> {
        let range =
            switch String(decoding: arguments[0], as: UTF8.self) {
            case "EVAL":
                3..<(3 + (arguments.count > 2 ? Int(String(decoding: arguments[2], as: UTF8.self)) ?? 0 : 0))
            case "XINFO": 2..<3
            case "XREAD": streams(of: arguments)
            case "SCAN": (arguments.firstIndex { $0.elementsEqual("MATCH".utf8) } ?? arguments.count).next
            case "PING", "ECHO", "AUTH", "SELECT", "ROLE", "INFO", "CLUSTER", "TIME": 0..<0
            default: 1..<2
            }
        return range.clamped(to: 0..<arguments.count)
    }

    /// Returns the positions of the keys after `STREAMS`: the first half of the rest.
    private static func streams(of arguments: [ArraySlice<UInt8>]) -> Range<Int> {
        guard let word = arguments.firstIndex(where: { $0.elementsEqual("STREAMS".utf8) }) else { return 0..<0 }
        return (word + 1)..<(word + 1 + (arguments.count - word - 1) / 2)
    }

    /// Returns the arguments of one encoded command.
    private static func arguments(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var arguments: [ArraySlice<UInt8>] = []
        var place = end(ofLineAt: bytes.startIndex, bytes)
        while place < bytes.endIndex {
            let start = end(ofLineAt: place, bytes)
            let size = bytes[(place + 1)..<(start - 2)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            arguments.append(bytes[start..<(start + size)])
            place = start + size + 2
        }
        return arguments
    }

    private static func end(ofLineAt start: Int, _ bytes: ArraySlice<UInt8>) -> Int {
        (bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex - 1) + 1
    }
}

extension Int {
    /// The position after this one.
    fileprivate var next: Range<Int> { (self + 1)..<(self + 2) }
}
