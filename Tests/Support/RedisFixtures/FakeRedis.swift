import Foundation
import Synchronization

@testable import SystemFixtures

/// A listener that reads commands like Redis and responds with arbitrary bytes.
final class FakeRedis: Sendable {
    /// The response to a command.
    enum Answer: Sendable {
        /// Sends these bytes.
        case bytes([UInt8])
        /// Sends the bytes of this text.
        case text(String)
        /// Sends this text one byte at a time, each in its own packet.
        case trickle(String)
        /// Sends this text repeatedly until the client closes the connection.
        case endless(String)
        /// Sends nothing until `answerSilenced`. Later commands of the connection wait, like in a server.
        case silence
        /// Sends this text and closes the connection.
        case close(after: String = "")
    }

    /// A received command.
    struct Command: Sendable {
        /// The name and the arguments of the command.
        let arguments: [String]
        /// The index of its connection, from 0.
        let connection: Int

        /// The name in upper case.
        var name: String { arguments.first?.uppercased() ?? "" }

        /// The text that the server must repeat. `nil` for other commands.
        var marker: String? { arguments.count == 2 && (name == "ECHO" || name == "PING") ? arguments[1] : nil }
    }

    fileprivate struct State {
        var commands: [Command] = []
        var connections: [Int32] = []
        var outputs: [[Output]] = []
        var isStopped = false

        /// Sends the outstanding responses of a connection, up to the first command without a response.
        mutating func flush(_ number: Int) -> Bool {
            while case .bytes(let bytes)? = outputs[number].first {
                outputs[number].removeFirst()
                guard connections[number] >= 0, sendAll(connections[number], bytes) else { return false }
            }
            return true
        }
    }

    fileprivate enum Output {
        case bytes([UInt8])
        /// The response to a command that got no response at first.
        case owed
    }

    /// The port on 127.0.0.1.
    let port: Int
    private let listener: Int32
    private let core: Core

    fileprivate final class Core: Sendable {
        let state = Mutex(State())
        let answer: @Sendable (Command) -> Answer

        init(_ answer: @escaping @Sendable (Command) -> Answer) { self.answer = answer }
    }

    /// Starts the listener. It responds to each command with `answer`, concurrently for each connection.
    ///
    /// ECHO, and PING with an argument, get the response of Redis and are not among `commands`.
    init(_ answer: @escaping @Sendable (Command) -> Answer) throws {
        (listener, port) = try Ports.listener()
        core = Core(answer)
        let (listener, core) = (listener, core)
        PlainThread.start { core.takeConnections(on: listener) }
    }

    deinit { stop() }

    /// Closes the listener and all connections.
    func stop() {
        core.state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            // Wakes the threads, which close their own sockets.
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.connections where connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// All commands so far.
    var commands: [Command] { core.state.withLock { $0.commands } }

    /// The number of connections so far.
    var connectionCount: Int { core.state.withLock { $0.connections.count } }

    /// The number of open connections.
    var openConnectionCount: Int { core.state.withLock { $0.connections.count { $0 >= 0 } } }

    /// Responds to the oldest commands without a response, the earliest connection first.
    func answerSilenced(_ texts: String...) {
        core.state.withLock { state in
            for text in texts {
                guard let number = state.outputs.firstIndex(where: { !$0.isEmpty }) else { return }
                state.outputs[number][0] = .bytes(Array(text.utf8))
                _ = state.flush(number)
            }
        }
    }

    /// Sends unsolicited bytes on every connection.
    func sendUnasked(_ text: String) {
        core.state.withLock { state in
            for connection in state.connections where connection >= 0 { _ = sendAll(connection, Array(text.utf8)) }
        }
    }
}

/// Writes all bytes. Returns `false` if the client has disconnected.
@discardableResult
func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
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
                state.outputs.append([])
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
                if let marker = command.marker {
                    queue(.bytes(Array("$\(marker.utf8.count)\r\n\(marker)\r\n".utf8)), on: number)
                    continue
                }
                state.withLock { $0.commands.append(command) }
                guard respond(answer(command), to: descriptor, number) else { break reading }
            }
        }
        state.withLock { $0.connections[number] = -1 }
        close(descriptor)
    }

    /// Sends output in the order of its commands. Returns `false` if the client has disconnected.
    @discardableResult
    private func queue(_ output: FakeRedis.Output, on number: Int) -> Bool {
        state.withLock { state in
            state.outputs[number].append(output)
            return state.flush(number)
        }
    }

    /// Returns `false` if the connection must be closed.
    private func respond(_ answer: FakeRedis.Answer, to descriptor: Int32, _ number: Int) -> Bool {
        switch answer {
        case .bytes(let bytes): return queue(.bytes(bytes), on: number)
        case .text(let text): return queue(.bytes(Array(text.utf8)), on: number)
        case .trickle(let text):
            return text.utf8.allSatisfy { byte in
                usleep(300)
                return sendAll(descriptor, [byte])
            }
        case .endless(let text):
            let bytes = Array(text.utf8)
            while sendAll(descriptor, bytes) {}
            return false
        case .silence: return queue(.owed, on: number)
        case .close(let text):
            sendAll(descriptor, Array(text.utf8))
            return false
        }
    }
}

/// Parses the commands of clients: arrays of strings.
struct CommandParser {
    private var bytes: [UInt8] = []
    private var position = 0

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.removeFirst(position)
        position = 0
        bytes += more
    }

    /// Returns the next complete command.
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
