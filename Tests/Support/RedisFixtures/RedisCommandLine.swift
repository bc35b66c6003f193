import Foundation

@testable import SystemFixtures

/// Commands to a Redis server on loopback, each on its own connection.
///
/// The result has the format of `redis-cli` without a terminal. Starting that program costs a hundred times as much.
enum RedisCommandLine {
    /// Runs a command and returns its reply without the line end.
    ///
    /// - Parameter arguments: `-n` and the number of a database, if it is not 0, then the command.
    static func run(_ arguments: [String], port: Int, user: RedisServer.User? = nil) throws -> String {
        let connection = try LoopbackSocket(connectingTo: port)
        defer { connection.close() }
        if let user { _ = try reply(to: ["AUTH", user.name, user.password], on: connection) }
        guard arguments.first == "-n" else { return try reply(to: arguments, on: connection) }
        _ = try reply(to: ["SELECT", arguments[1]], on: connection)
        return try reply(to: Array(arguments.dropFirst(2)), on: connection)
    }

    private static func reply(to command: [String], on connection: LoopbackSocket) throws -> String {
        let arguments = command.map { "$\($0.utf8.count)\r\n\($0)\r\n" }
        try connection.send("*\(command.count)\r\n" + arguments.joined())
        return try readReply(of: connection)
    }

    private static func readReply(of connection: LoopbackSocket) throws -> String {
        // A line end is one character.
        let line = try connection.read(through: "\r\n").dropLast()
        let text = String(line.dropFirst())
        switch line.first {
        case "+", ":": return text
        case "-": return text + "\n"
        case "$":
            guard let length = Int(text), length >= 0 else { return "" }
            return String(decoding: try connection.readBytes(length + 2).dropLast(2), as: UTF8.self)
        case "*":
            return try (0..<max(Int(text) ?? 0, 0)).map { _ in try readReply(of: connection) }.joined(separator: "\n")
        default: throw Impatience("a reply of Redis, it is \(line)")
        }
    }
}
