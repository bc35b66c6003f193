import NIOCore

extension Gateway {
    /// The addresses that clients can connect to, with the ports that were taken where 0 was asked for.
    public var listenAddresses: [ListenAddress] { addresses.compactMap(ListenAddress.init) }

    /// Where the admin listener is; nil without one.
    public var adminListenAddress: ListenAddress? { adminAddress.flatMap(ListenAddress.init) }
}

extension ListenAddress {
    /// Nil for an address that is none of IP.
    fileprivate init?(_ address: SocketAddress) {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        self.init(host: host, port: port)
    }
}
