import Foundation
import Synchronization

@testable import SystemFixtures

/// A TCP proxy in front of a Redis server that can drop, repeat or reorder a reply, and replace commands.
final class RedisMiddlebox: Sendable {
    /// The fault of a reply.
    enum Fault: Sendable, CaseIterable {
        case lost
        case repeated
        /// The reply is sent after the next reply.
        case swapped
    }

    /// Returns the command to send in place of that of a connection, or `nil` to close the connection.
    typealias Rewriting = @Sendable (_ command: [String], _ connection: Int) -> [String]?

    fileprivate struct State {
        var fault: (Fault, @Sendable ([UInt8]) -> Bool)?
        var faults = 0
        var sockets: [Int32] = []
        var isStopped = false
    }

    /// The port on 127.0.0.1.
    let port: Int
    private let listener: Int32
    private let core: Core

    fileprivate final class Core: Sendable {
        let state = Mutex(State())
        let server: Int
        let rewriting: Rewriting?

        init(server: Int, _ rewriting: Rewriting?) { (self.server, self.rewriting) = (server, rewriting) }
    }

    /// Forwards everything between its clients and a server on 127.0.0.1.
    init(before server: RedisServer, rewriting: Rewriting? = nil) throws {
        (listener, port) = try Ports.listener()
        core = Core(server: server.port, rewriting)
        let (listener, core) = (listener, core)
        PlainThread.start { core.takeConnections(on: listener) }
    }

    deinit { stop() }

    /// Closes the listener and all connections.
    func stop() {
        core.state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Applies the fault once, to the next reply of any connection that `matches` accepts.
    func apply(_ fault: Fault, to matches: @escaping @Sendable ([UInt8]) -> Bool) {
        core.state.withLock { $0.fault = (fault, matches) }
    }

    /// The number of dropped, repeated or reordered replies.
    var faults: Int { core.state.withLock { $0.faults } }
}

extension RedisMiddlebox.Core {
    func takeConnections(on listener: Int32) {
        while true {
            let client = uninterrupted { accept(listener, nil, nil) }
            guard client >= 0, !state.withLock({ $0.isStopped }) else {
                if client >= 0 { close(client) }
                break
            }
            guard let server = connectToServer() else {
                close(client)
                continue
            }
            for socket in [client, server] {
                var on: Int32 = 1
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            state.withLock { $0.sockets += [client, server] }
            PlainThread.start { self.passCommands(from: client, to: server) }
            PlainThread.start { self.passReplies(from: server, to: client) }
        }
        close(listener)
    }

    private func connectToServer() -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        address.sin_port = in_port_t(UInt16(clamping: server)).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private func passCommands(from client: Int32, to server: Int32) {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        var parser = CommandParser()
        while true {
            let count = uninterrupted { recv(client, &chunk, chunk.count, 0) }
            guard count > 0, let bytes = rewritten(chunk[..<count], of: Int(client), &parser), sendAll(server, bytes)
            else { break }
        }
        shutdown(server, Int32(SHUT_RDWR))
        shutdown(client, Int32(SHUT_RDWR))
    }

    /// Returns the bytes to send in place of the bytes of a client. `nil` if its connection is to be closed.
    private func rewritten(
        _ chunk: ArraySlice<UInt8>, of connection: Int, _ parser: inout CommandParser
    ) -> [UInt8]? {
        guard let rewriting else { return Array(chunk) }
        parser.append(chunk)
        var bytes: [UInt8] = []
        while let command = parser.next() {
            guard let command = rewriting(command, connection) else { return nil }
            bytes += Array("*\(command.count)\r\n".utf8)
            for argument in command { bytes += Array("$\(argument.utf8.count)\r\n\(argument)\r\n".utf8) }
        }
        return bytes
    }

    private func passReplies(from server: Int32, to client: Int32) {
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        var bytes: [UInt8] = []
        var held: [UInt8]?
        reading: while true {
            let count = uninterrupted { recv(server, &chunk, chunk.count, 0) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
            while let end = Self.endOfReply(in: bytes, from: 0) {
                let reply = Array(bytes[..<end])
                bytes.removeFirst(end)
                var output = reply
                if let earlier = held {
                    output += earlier
                    held = nil
                } else {
                    switch takeFault(for: reply) {
                    case nil: break
                    case .lost: output = []
                    case .repeated: output += reply
                    case .swapped:
                        held = reply
                        output = []
                    }
                }
                guard sendAll(client, output) else { break reading }
            }
        }
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
    }

    private func takeFault(for reply: [UInt8]) -> RedisMiddlebox.Fault? {
        state.withLock { state in
            guard let (fault, matches) = state.fault, matches(reply) else { return nil }
            state.fault = nil
            state.faults += 1
            return fault
        }
    }

    /// Returns the end of the reply that begins at `start`. `nil` if the reply is incomplete.
    private static func endOfReply(in bytes: [UInt8], from start: Int) -> Int? {
        guard start < bytes.count, let lineEnd = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let next = lineEnd + 1
        guard bytes[start] == UInt8(ascii: "$") || bytes[start] == UInt8(ascii: "*") else { return next }
        let count = Int(String(decoding: bytes[(start + 1)..<(lineEnd - 1)], as: UTF8.self)) ?? 0
        if count < 0 { return next }
        if bytes[start] == UInt8(ascii: "$") { return next + count + 2 <= bytes.count ? next + count + 2 : nil }
        var end = next
        for _ in 0..<count {
            guard let element = endOfReply(in: bytes, from: end) else { return nil }
            end = element
        }
        return end
    }
}
