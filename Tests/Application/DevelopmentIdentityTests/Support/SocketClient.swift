import Foundation

@testable import SystemFixtures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client that sends and receives raw bytes on a blocking socket. Each call has its own thread and waits for at most
/// 120 seconds.
final class SocketClient: Sendable {
    struct Failure: Error, Equatable {
        let call: String
        let number: Int32
    }

    private let descriptor: Int32

    init(port: Int) async throws {
        descriptor = try await blocking {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var timeout = timeval(tv_sec: 120, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    address in
                    uninterrupted { connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) }
                }
            }
            guard result == 0 else {
                defer { close(descriptor) }
                throw Failure(call: "connect", number: errno)
            }
            return descriptor
        }
    }

    deinit {
        close(descriptor)
    }

    /// Closes both directions of the connection.
    func shutDown() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func transmit(_ text: String) async throws {
        try await transmit(bytes: Array(text.utf8))
    }

    func transmit(bytes: [UInt8]) async throws {
        try await blocking { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { bytes in
                    uninterrupted { send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
                }
                guard count > 0 else { throw Failure(call: "send", number: errno) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Reads until the server closes the connection.
    func readToEnd() async throws -> [UInt8] {
        try await read { _ in false }
    }

    /// Reads until the received bytes contain `text` or the server closes the connection.
    func read(until text: String) async throws -> String {
        let bytes = try await read { Data($0.suffix(65_536 + text.utf8.count)).range(of: Data(text.utf8)) != nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func read(_ isEnough: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8] {
        try await blocking { [descriptor] in
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while !isEnough(all) {
                let count = uninterrupted { recv(descriptor, &buffer, buffer.count, 0) }
                guard count >= 0 else { throw Failure(call: "recv", number: errno) }
                guard count > 0 else { break }
                all.append(contentsOf: buffer[..<count])
            }
            return all
        }
    }
}

private func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
