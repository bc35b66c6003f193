import Foundation
import NIOCore

/// A blocking TCP socket on loopback. Every call has a timeout of `patience`.
final class LoopbackSocket {
    enum Problem: Error {
        case system(String, Int32)
        case timeout(received: String)
        case ended(received: String)
    }

    /// How the peer ended its sending direction.
    enum End: Equatable {
        case finished
        case reset
    }

    /// The timeout in milliseconds. It only ends a test that hangs.
    fileprivate static let patience = Int32(Duration.hangLimit / .milliseconds(1))

    private let descriptor: Int32
    private var isOpen = true
    private var pending: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
        // Without TCP_NODELAY, the second of two small writes waits 40 ms for a delayed acknowledgement of the first.
        set(TCP_NODELAY, to: 1, of: Int32(IPPROTO_TCP))
    }

    /// Limits the bytes that the kernel holds until the peer reads them.
    func limitSendBuffer(to bytes: Int32) { set(SO_SNDBUF, to: bytes) }

    private func set(_ option: Int32, to value: Int32, of level: Int32 = SOL_SOCKET) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Connects from 127.0.0.`source`. A small `receiveBuffer` limits the bytes that the kernel holds.
    convenience init(connectingTo port: Int, receiveBuffer: Int32? = nil, from source: UInt8? = nil) throws {
        let descriptor = socket(AF_INET, LoopbackListener.stream, 0)
        if let source { try Self.bind(descriptor, to: source) }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = try LoopbackListener.address(port: port).withSockAddr {
            address, size in uninterrupted { connect(descriptor, address, socklen_t(size)) }
        }
        guard result == 0 else { throw Problem.system("connect", errno) }
        self.init(descriptor: descriptor)
    }

    private static func bind(_ descriptor: Int32, to source: UInt8) throws {
        let result = try LoopbackListener.address(port: 0, host: source).withSockAddr {
            Foundation.bind(descriptor, $0, socklen_t($1))
        }
        guard result == 0 else { throw Problem.system("bind", errno) }
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        Foundation.close(descriptor)
    }

    /// Closes with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: - Sending

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = sendNow(bytes[sent...])
            guard count > 0 else {
                try wait(for: Int16(POLLOUT))
                continue
            }
            sent += count
        }
    }

    /// Sends the bytes that the kernel accepts without blocking, and returns their number. 0 if its buffer is full.
    func sendNow(_ bytes: ArraySlice<UInt8>) -> Int {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        return bytes.withUnsafeBytes { max(Foundation.send(descriptor, $0.baseAddress, $0.count, flags), 0) }
    }

    // MARK: - Receiving

    /// Reads the next bytes up to and including `marker`.
    func read(through marker: String) throws -> String {
        let marker = Array(marker.utf8)
        while true {
            if let range = pending.firstRange(of: marker) { return take(range.upperBound) }
            try receiveMore()
        }
    }

    func readBytes(_ count: Int) throws -> [UInt8] {
        while pending.count < count { try receiveMore() }
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
    }

    func read(_ count: Int) throws -> String {
        while pending.count < count { try receiveMore() }
        return take(count)
    }

    /// Reads until the end of the connection.
    func readToEnd() throws -> (text: String, end: End) {
        while true {
            do {
                try receiveMore()
            } catch Problem.ended {
                return (take(pending.count), .finished)
            } catch Problem.system {
                return (take(pending.count), .reset)
            }
        }
    }

    /// Reads to the end, discards the bytes and returns their number. `meanwhile` is called before each read.
    func countToEnd(meanwhile: () -> Void = {}) throws -> Int {
        var count = 0
        while true {
            meanwhile()
            count += pending.count
            pending = []
            do { try receiveMore() } catch Problem.ended { return count }
        }
    }

    /// Discards the bytes that are available without blocking, and returns their number.
    func discardNow() -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return max(count, 0)
    }

    /// Whether a read would block, that is, there are no bytes and no end.
    var isQuiet: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return pending.isEmpty && uninterrupted { poll(&entry, 1, 0) } == 0
    }

    private func take(_ count: Int) -> String {
        defer { pending.removeFirst(count) }
        return String(decoding: pending[..<count], as: UTF8.self)
    }

    private func receiveMore() throws {
        try wait(for: Int16(POLLIN))
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
        guard count >= 0 else { throw Problem.system("recv", errno) }
        guard count > 0 else { throw Problem.ended(received: String(decoding: pending, as: UTF8.self)) }
        pending.append(contentsOf: buffer[..<count])
    }

    private func wait(for events: Int16) throws {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        guard uninterrupted({ poll(&entry, 1, Self.patience) }) > 0 else {
            throw Problem.timeout(received: String(decoding: pending, as: UTF8.self))
        }
    }
}

/// A listening socket on loopback whose connections the test accepts one by one, as an upstream.
final class LoopbackListener {
    let port: Int
    private let descriptor: Int32
    private var isOpen = true

    /// Listens on `port`, or on a free port that nothing else takes after ``close()``.
    init(port: Int? = nil) throws {
        self.port = try port ?? Ports.free()
        descriptor = try Ports.listener(on: self.port, backlog: 1024)
    }

    deinit { close() }

    /// Closes the socket. Further connections are rejected.
    func close() {
        guard isOpen else { return }
        isOpen = false
        Foundation.close(descriptor)
    }

    /// Waits for the next connection.
    func accept() throws -> LoopbackSocket {
        guard waits(LoopbackSocket.patience) else {
            throw LoopbackSocket.Problem.timeout(received: "no connection")
        }
        return LoopbackSocket(descriptor: uninterrupted { Foundation.accept(descriptor, nil, nil) })
    }

    /// Whether a connection waits to be accepted.
    var hasConnection: Bool { waits(0) }

    private func waits(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return uninterrupted { poll(&entry, 1, milliseconds) } > 0
    }

    #if os(Linux)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif

    /// - Parameter host: The last byte of 127.0.0.N.
    static func address(port: Int, host: UInt8 = 1) throws -> SocketAddress {
        try SocketAddress(ipAddress: "127.0.0.\(host)", port: port)
    }
}
