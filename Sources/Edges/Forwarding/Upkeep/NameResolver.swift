import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds the addresses of a name; nil: they could not be found now.
struct NameResolver: Sendable {
    let resolve: @Sendable (_ host: String, _ port: Int) async -> [SocketAddress]?

    /// The system's, which blocks: each question has one of the pool's threads for as long as it takes.
    static func system(_ threads: NIOThreadPool) -> NameResolver {
        NameResolver { host, port in
            (try? await threads.runIfActive { addresses(of: host, port: port) }) ?? nil
        }
    }

    private static func addresses(of host: String, port: Int) -> [SocketAddress]? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_ADDRCONFIG
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = found else { return nil }
        defer { freeaddrinfo(first) }
        let addresses = sequence(first: first, next: { $0.pointee.ai_next }).compactMap { address(of: $0.pointee) }
        return addresses.isEmpty ? nil : addresses
    }

    private static func address(of info: addrinfo) -> SocketAddress? {
        guard let address = info.ai_addr else { return nil }
        let bytes = UnsafeRawPointer(address)
        switch info.ai_family {
        case AF_INET: return SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: return SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }
}
