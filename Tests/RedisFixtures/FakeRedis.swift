import Foundation
import Synchronization

/// A listener that takes commands as Redis does and answers with whatever bytes a test says.
public final class FakeRedis: Sendable {
    /// What to do about a command.
    public enum Answer: Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// This text's bytes.
        case text(String)
        /// This text one byte at a time, each in a packet of its own.
        case trickle(String)
        /// This text again and again, until the client closes the connection.
        case endless(String)
        /// Nothing at all.
        case silence
        /// The end of the connection, after this text.
        case close(after: String = "")
    }

    /// A command as it came.
    public struct Command: Sendable {
        /// The command's name and arguments.
        public let arguments: [String]
        /// Which connection it came on, from 0.
        public let connection: Int

        /// The name, in upper case.
        public var name: String { arguments.first?.uppercased() ?? "" }
    }

    fileprivate struct State {
        var commands: [Command] = []
        var connections: [Int32] = []
        var isStopped = false
    }

    /// Where it listens, on 127.0.0.1.
    public let port: Int
    private let listener: Int32
    private let core: Core

    fileprivate final class Core: Sendable {
        let state = Mutex(State())
        let answer: @Sendable (Command) -> Answer

        init(_ answer: @escaping @Sendable (Command) -> Answer) {
            self.answer = answer
        }
    }

    /// Listens, and answers each command by `answer`, one connection beside the other.
    public init(_ answer: @escaping @Sendable (Command) -> Answer) throws {
        (listener, port) = try Ports.listener()
        core = Core(answer)
        let (listener, core) = (listener, core)
        PlainThread.start { core.takeConnections(on: listener) }
    }

    deinit { stop() }

    /// Ends the listener and all connections.
    public func stop() {
        core.state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            // Wakes the threads, which close what is theirs.
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections where connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// All commands so far.
    public var commands: [Command] { core.state.withLock { $0.commands } }

    /// How many connections were made so far.
    public var connectionCount: Int { core.state.withLock { $0.connections.count } }

    /// How many connections are open now.
    public var openConnectionCount: Int { core.state.withLock { $0.connections.count { $0 >= 0 } } }

    /// Ends all connections; others may be made.
    public func disconnectAll() {
        core.state.withLock { state in
            for connection in state.connections where connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// Sends bytes that nobody asked for on every connection.
    public func sendUnasked(_ text: String) {
        core.state.withLock { state in
            for connection in state.connections where connection >= 0 { _ = sendAll(connection, Array(text.utf8)) }
        }
    }
}

/// Writes all bytes; false when the client is gone.
@discardableResult
private func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { bytes in
            uninterrupted { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

extension FakeRedis.Core {
    func takeConnections(on listener: Int32) {
        while true {
            let descriptor = uninterrupted { accept(listener, nil, nil) }
            let number = state.withLock { state in
                guard descriptor >= 0, !state.isStopped else { return nil as Int? }
                state.connections.append(descriptor)
                return state.connections.count - 1
            }
            guard let number else {
                if descriptor >= 0 { close(descriptor) }
                break
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            PlainThread.start { self.serve(descriptor, number: number) }
        }
        close(listener)
    }

    private func serve(_ descriptor: Int32, number: Int) {
        var parser = CommandParser()
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        reading: while true {
            let count = uninterrupted { recv(descriptor, &chunk, chunk.count, 0) }
            guard count > 0 else { break }
            parser.append(chunk[..<count])
            while let arguments = parser.next() {
                let command = FakeRedis.Command(arguments: arguments, connection: number)
                state.withLock { $0.commands.append(command) }
                guard give(answer(command), to: descriptor) else { break reading }
            }
        }
        state.withLock { $0.connections[number] = -1 }
        close(descriptor)
    }

    /// False when the connection is to end.
    private func give(_ answer: FakeRedis.Answer, to descriptor: Int32) -> Bool {
        switch answer {
        case .bytes(let bytes): return sendAll(descriptor, bytes)
        case .text(let text): return sendAll(descriptor, Array(text.utf8))
        case .trickle(let text):
            return text.utf8.allSatisfy { byte in
                usleep(300)
                return sendAll(descriptor, [byte])
            }
        case .endless(let text):
            let bytes = Array(text.utf8)
            while sendAll(descriptor, bytes) {}
            return false
        case .silence: return true
        case .close(let text):
            sendAll(descriptor, Array(text.utf8))
            return false
        }
    }
}

/// Reads commands as clients send them: arrays of strings.
private struct CommandParser {
    private var bytes: [UInt8] = []
    private var position = 0

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.removeFirst(position)
        position = 0
        bytes += more
    }

    /// The next whole command.
    mutating func next() -> [String]? {
        var place = position
        guard let count = number(after: UInt8(ascii: "*"), at: &place) else { return nil }
        var arguments: [String] = []
        for _ in 0..<count {
            guard let length = number(after: UInt8(ascii: "$"), at: &place), bytes.count >= place + length + 2 else {
                return nil
            }
            arguments.append(String(decoding: bytes[place..<place + length], as: UTF8.self))
            place += length + 2
        }
        position = place
        return arguments
    }

    private func number(after type: UInt8, at place: inout Int) -> Int? {
        guard place < bytes.count, bytes[place] == type,
            let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        defer { place = end + 1 }
        return Int(String(decoding: bytes[place + 1..<end - 1], as: UTF8.self))
    }
}
