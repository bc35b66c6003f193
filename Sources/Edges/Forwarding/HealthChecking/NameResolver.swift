import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A DNS lookup. Its result is `nil` if the lookup failed.
struct NameResolver: Sendable {
    let resolve: @Sendable (_ host: String, _ port: Int) async -> [SocketAddress]?

    /// Returns the system's resolver, which blocks a thread of the pool during each lookup.
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

/// The endpoints of an upstream's servers after DNS resolution, as a pure value.
struct ResolvedEndpoints: Sendable {
    private let servers: [UpstreamSettings.Server]
    private var resolved: [Int: [SocketAddress]] = [:]

    init(_ settings: UpstreamSettings) {
        servers = settings.servers
    }

    /// The servers whose names must be resolved.
    var names: [Int] { servers.indices.filter { servers[$0].isName } }

    /// Whether every name was resolved at least once.
    var isComplete: Bool { names.allSatisfy { resolved[$0] != nil } }

    /// Records a lookup.
    ///
    /// - Parameter addresses: The result. `nil` if the lookup failed; the last addresses are kept.
    /// - Returns: Whether the endpoints changed.
    mutating func record(_ addresses: [SocketAddress]?, of server: Int) -> Bool {
        guard let addresses, !addresses.isEmpty else { return false }
        var seen: Set<SocketAddress> = []
        let kept = addresses.filter { seen.insert($0).inserted }.prefix(UpstreamSettings.addressesEach)
        guard Set(kept) != resolved[server].map({ Set($0) }) else { return false }
        resolved[server] = Array(kept)
        return true
    }

    var endpoints: [UpstreamEndpoint] {
        servers.indices.flatMap { server -> [UpstreamEndpoint] in
            guard servers[server].isName, let addresses = resolved[server] else {
                return [UpstreamEndpoint(server: server, address: servers[server].address)]
            }
            return addresses.map { UpstreamEndpoint(server: server, address: $0) }
        }
    }
}
