import NIOCore

/// Where the servers of an upstream are, from what their names were resolved to: a pure value.
struct UpstreamPlaces: Sendable {
    private let servers: [UpstreamSettings.Server]
    private var resolved: [Int: [SocketAddress]] = [:]

    init(_ settings: UpstreamSettings) {
        servers = settings.servers
    }

    /// The servers whose names are to be resolved.
    var names: [Int] { servers.indices.filter { servers[$0].isName } }

    /// Whether every name was resolved once.
    var isComplete: Bool { names.allSatisfy { resolved[$0] != nil } }

    /// - Parameter addresses: nil where the name could not be resolved: the last ones stay.
    /// - Returns: whether anything changed.
    mutating func note(_ addresses: [SocketAddress]?, of server: Int) -> Bool {
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
