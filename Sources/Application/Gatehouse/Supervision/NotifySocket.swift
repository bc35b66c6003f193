#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The address of a service manager's socket (sd_notify(3)): the path of a file, or `@NAME` for a name of Linux's
/// abstract namespace.
struct NotifyAddress: Sendable, Equatable {
    /// The content of `sun_path`: a path with its final null byte, or a null byte and a name.
    let bytes: [UInt8]

    /// The size of `sun_path`.
    static let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// Parses the value of `NOTIFY_SOCKET`. `nil` for a relative path, an empty name, an address that is too long, or
    /// another kind of socket, such as `vsock:`.
    init?(_ text: String) {
        let name = Array(text.utf8)
        switch name.first {
        case UInt8(ascii: "/"): bytes = name + [0]
        case UInt8(ascii: "@") where name.count > 1: bytes = [0] + name.dropFirst()
        default: return nil
        }
        guard bytes.count <= Self.capacity else { return nil }
    }

    /// Calls `body` with the address for a system call.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The length ends the name of an abstract socket, which may contain null bytes.
        let length = MemoryLayout<sockaddr_un>.size - Self.capacity + bytes.count
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

/// A datagram socket for messages to a service manager. It never blocks.
final class NotifySocket: Sendable {
    /// The result of sending a message.
    enum Outcome: Equatable {
        case sent
        /// The receiver's queue is full. A later attempt may succeed.
        case full
        /// The system's error number.
        case failed(CInt)
    }

    private let descriptor: CInt
    private let address: NotifyAddress

    /// Opens a socket. `nil` if the system has none.
    init?(_ address: NotifyAddress) {
        #if canImport(Glibc)
            descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #elseif canImport(Musl)
            descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        self.address = address
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends one message as one datagram.
    func send(_ message: String) -> Outcome {
        let bytes = Array(message.utf8)
        while true {
            let count = address.withSocketAddress { sendto(descriptor, bytes, bytes.count, Self.flags, $0, $1) }
            if count >= 0 { return .sent }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .full
            case let error: return .failed(error)
            }
        }
    }

    /// Without SIGPIPE and without waiting.
    #if canImport(Darwin)
        private static let flags = CInt(MSG_DONTWAIT)
    #else
        private static let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
    #endif
}
