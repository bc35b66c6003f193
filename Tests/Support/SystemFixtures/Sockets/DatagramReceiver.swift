import Foundation

/// A Unix datagram socket that receives messages, like the socket of a service manager.
final class DatagramReceiver: Sendable {
    private let descriptor: Int32

    /// Binds a path, or with `@NAME` a name of Linux's abstract namespace.
    init(_ address: String) throws {
        let name = Array(address.utf8)
        let bytes = name.first == UInt8(ascii: "@") ? [0] + name.dropFirst() : name + [0]
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: socketAddress.sun_path)
        guard bytes.count <= capacity else { throw Impatience("a path of at most \(capacity) bytes") }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + bytes.count)
        #if canImport(Darwin)
            descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        let bound = withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw Impatience("a datagram socket at \(address): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Returns the next message. `nil` before it arrives.
    func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Returns the next message that begins with `prefix`, and discards the messages before it.
    func next(_ prefix: String) async throws -> String {
        try await eventually("a message \(prefix)") {
            while let message = receive() {
                if message.hasPrefix(prefix) { return message }
            }
            return nil
        }
    }
}
