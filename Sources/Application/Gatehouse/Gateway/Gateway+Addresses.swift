package import GatewayCore
import HTTPServer
import NIOCore
import Synchronization

extension Gateway {
    /// The addresses that clients can connect to, with the ports that were taken where 0 was asked for.
    package var listenAddresses: [ListenAddress] { addresses.compactMap(ListenAddress.init) }

    /// The same with `https://` before those that speak TLS, for people.
    package var listenNames: [String] {
        listeners.withLock { $0 }.map { name(of: $0) }
    }

    func name(of listener: Listener) -> String {
        let address = ListenAddress(listener.address) ?? listener.wanted
        return listener.front.tls == nil ? "\(address)" : "https://\(address)"
    }

    /// Where the admin listener is; nil without one.
    package var adminListenAddress: ListenAddress? { adminAddress.flatMap(ListenAddress.init) }
}

extension ListenAddress {
    /// Nil for an address that is no listener's.
    fileprivate init?(_ address: SocketAddress) {
        if let path = address.pathname, !path.isEmpty {
            self.init(path: path)
            return
        }
        guard let host = address.ipAddress, let port = address.port else { return nil }
        self.init(host: host, port: port)
    }
}
