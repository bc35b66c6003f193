import GatewayConfiguration
package import GatewayCore
import HTTPWire
import NIOCore
package import Revocation

/// The value by which a request's server is chosen, and its hash.
///
/// The key of the hash is derived from the upstream's name, so that all workers and all gateways of one configuration
/// agree. Overload by a single value is prevented by the limit in the choice of the ring.
package struct BalanceValue: Sendable {
    enum Source: Sendable {
        case uid, address
        /// The first field with that name.
        case header([UInt8])
    }

    let source: Source
    private let hasher: SipHash

    init(_ key: Configuration.Upstream.HashKey, upstream: String) {
        hasher = Self.hasher(upstream)
        switch key {
        case .uid: source = .uid
        case .address: source = .address
        case .header(let name): source = .header(Array(name.utf8))
        }
    }

    /// Returns the hash of the request's value. `nil` if the request has no such value.
    package func hash(user: @autoclosure () -> UserKey?, address: @autoclosure () -> String, request: RequestView)
        -> UInt64?
    {
        switch source {
        case .uid: user().map { hasher.hash($0.name) }
        case .address: hasher.hash(address())
        case .header(let name):
            (0..<request.fields.count).first { index in
                ASCII.equals(request.fields[index].name.bytes(in: request.bytes), name)
            }.map { hasher.hash(request.fields[$0].value.bytes(in: request.bytes)) }
        }
    }

    /// Returns the hash of a server's name for the ring.
    static func hash(of endpoint: UpstreamEndpoint, in settings: UpstreamSettings) -> UInt64 {
        let server = settings.servers[endpoint.server]
        let address = server.isName ? endpoint.address?.ipAddress ?? "" : ""
        return hasher(settings.name).hash("\(server.url)#\(address)")
    }

    private static func hasher(_ upstream: String) -> SipHash {
        let name = SipHash(key: (0x6761_7465_686f_7573, 0x6520_7570_7374_7265)).hash(upstream)
        return SipHash(key: (name, name.mixed))
    }
}
