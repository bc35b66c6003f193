import Foundation

@testable import SystemFixtures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client that sends exactly the given bytes and reads one response at a time. It blocks until its timeout at most.
final class RawClient {
    struct Failure: Error, Equatable, CustomStringConvertible {
        let call: String
        let number: Int32
        var description: String { "\(call): \(String(cString: strerror(number)))" }
    }

    private var descriptor: Int32
    private var buffer: [UInt8] = []
    private(set) var hasEnded = false

    /// - Parameters:
    ///   - loopback: The last byte of the address 127.0.0.N that it connects to.
    ///   - source: The last byte of the address 127.0.0.N that it connects from. `nil` for the default, 127.0.0.1.
    ///   - receiveBuffer: The size of the receive buffer in bytes. `nil` for the default of the system.
    convenience init(
        port: Int, timeout: Int = Allowance.hangSeconds, loopback: UInt8 = 1, from source: UInt8? = nil,
        receiveBuffer: Int32? = nil
    ) throws {
        self.init(
            descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), timeout: timeout)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let descriptor = descriptor
        if let source, Self.withAddress(source, port: 0, { bind(descriptor, $0, $1) }) != 0 {
            throw Failure(call: "bind", number: errno)
        }
        let connected = Self.withAddress(loopback, port: port) { address, size in
            uninterrupted { connect(descriptor, address, size) }
        }
        if connected != 0 {
            throw Failure(call: "connect", number: errno)
        }
    }

    /// Calls `body` with the address 127.0.0.`host` and a port.
    private static func withAddress(
        _ host: UInt8, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0000 | UInt32(host)).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The accepted end of a connection.
    init(descriptor: Int32, timeout: Int = Allowance.hangSeconds) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Closes the connection by a reset, which discards unsent and unread data.
    func reset() {
        var none = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
        descriptor = -1
    }

    /// Sends a request on a new connection and returns its response.
    static func exchange(_ port: Int, _ request: WireRequest) throws -> WireResponse {
        let client = try RawClient(port: port)
        return try client.exchange(request)
    }

    /// Sends a request and returns its response.
    func exchange(_ request: WireRequest) throws -> WireResponse {
        try send(request.bytes)
        return try response(to: request.method)
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = transmit(UnsafeRawBufferPointer(rebasing: bytes[sent...]), on: descriptor)
                guard count > 0 else { throw Failure(call: "send", number: errno) }
                sent += count
            }
        }
    }

    /// Sends one byte at a time with `pause` milliseconds after each, until there is a response or the peer closes.
    func drip(_ bytes: some Sequence<UInt8>, pause: Int32) throws {
        for byte in bytes {
            guard (try? send([byte])) != nil, !waitForBytes(pause) else { return }
        }
    }

    /// Returns whether there is data or an end to read within `milliseconds`.
    func waitForBytes(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !buffer.isEmpty || uninterrupted { poll(&entry, 1, milliseconds) } > 0
    }

    /// Closes the sending direction.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next response, including interim ones. `method` is the method of the request.
    func response(to method: String = "GET") throws -> WireResponse {
        let head = try readHead()
        guard var response = WireResponse(head: head) else {
            throw Impatience("no response: \(String(decoding: head.prefix(200), as: UTF8.self))")
        }
        guard method != "HEAD", response.status >= 200, response.status != 204, response.status != 304 else {
            return response
        }
        if response["Transfer-Encoding"]?.lowercased() == "chunked" {
            try readChunks(into: &response)
        } else if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try take(length)
        } else {
            response.body = try readToEnd()
        }
        return response
    }

    /// The bytes of the next read. Empty at the end.
    func readSome() throws -> [UInt8] {
        if buffer.isEmpty { _ = try fill() }
        defer { buffer = [] }
        return buffer
    }

    /// Reads `count` bytes.
    func read(_ count: Int) throws -> [UInt8] { try take(count) }

    /// The head of a message, without the empty line.
    func readHead() throws -> [UInt8] { try read(until: "\r\n\r\n") }

    /// Reads until the peer closes the connection.
    func readToEnd() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Discards the available data. Returns `false` at the end.
    func discard() -> Bool {
        defer { buffer = [] }
        return (try? fill()) == true
    }

    // MARK: - Reading

    /// Reads more data. Returns `false` at the end.
    private func fill() throws -> Bool {
        var part = [UInt8](repeating: 0, count: 262_144)
        let count = uninterrupted { recv(descriptor, &part, part.count, 0) }
        guard count >= 0 else { throw Failure(call: "recv", number: errno) }
        hasEnded = count == 0
        buffer.append(contentsOf: part[..<count])
        return count > 0
    }

    private func need(_ count: Int) throws {
        while buffer.count < count {
            guard try fill() else {
                throw Impatience("the connection ended after \(buffer.count) of \(count) bytes")
            }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        try need(count)
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Reads the bytes before `end`.
    private func read(until end: String) throws -> [UInt8] {
        while true {
            if let range = Data(buffer).range(of: Data(end.utf8)) {
                defer { buffer.removeFirst(range.upperBound) }
                return Array(buffer[..<range.lowerBound])
            }
            guard try fill() else {
                let text = String(decoding: buffer.prefix(200), as: UTF8.self)
                throw Impatience("the connection ended after \"\(text)\"")
            }
        }
    }

    private func readChunks(into response: inout WireResponse) throws {
        while true {
            let size = String(decoding: try read(until: "\r\n"), as: UTF8.self)
            guard let count = Int(size, radix: 16) else { throw Impatience("no chunk size: \(size)") }
            guard count > 0 else { break }
            response.body += try take(count)
            guard try take(2) == [13, 10] else { throw Impatience("no line end after a chunk") }
        }
        while case let line = String(decoding: try read(until: "\r\n"), as: UTF8.self), !line.isEmpty {
            if let field = WireResponse.field(line) { response.trailers.append(field) }
        }
    }
}

/// Outside of the class, because its method `send` hides the system call.
private func transmit(_ bytes: UnsafeRawBufferPointer, on descriptor: Int32) -> Int {
    uninterrupted { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
}
