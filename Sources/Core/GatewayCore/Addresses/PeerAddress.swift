package import HTTPWire
package import NIOCore

/// The client of a connection, or the client that a trusted proxy reports, with its rendered header fields.
package final class PeerAddress: Sendable {
    /// The IP address without a port; `unix` for a peer of a `unix:` listener, `unknown` if there is no address.
    package let text: String
    /// The network that limits on scarce resources apply to.
    package let network: PeerNetwork
    /// The address. `nil` if it is absent or unknown.
    let address: IPAddress?
    /// Whether this is the peer of a `unix:` listener.
    let isUnix: Bool
    /// Whether the client uses TLS to the gateway, or to the trusted proxy that reports it.
    package let isSecure: Bool
    /// The field lines that report the origin to the upstream, each with its CRLF.
    package let forwardedLines: [UInt8]
    /// The `for=` and `proto=` parameters of `Forwarded` (RFC 7239). The host is added for each request.
    package let forwardedParameters: [UInt8]
    /// The elements of `Forwarded` for the proxies between the client and the gateway.
    package let forwardedHops: [UInt8]

    /// Creates the peer of a socket.
    package convenience init(_ address: SocketAddress?, isSecure: Bool = false) {
        if case .unixDomainSocket? = address {
            self.init(isSecure: isSecure)
        } else {
            self.init(IPAddress(address), network: PeerNetwork(address), isSecure: isSecure, through: [])
        }
    }

    /// Creates a client that a trusted proxy reports.
    ///
    /// - Parameter proxies: The proxies between the client and the gateway, the nearest to the gateway last.
    package convenience init(_ address: IPAddress?, isSecure: Bool, through proxies: [IPAddress]) {
        self.init(address, network: address.map(PeerNetwork.init) ?? .unknown, isSecure: isSecure, through: proxies)
    }

    /// Creates a copy with the scheme that a trusted proxy reports.
    convenience init(_ peer: PeerAddress, isSecure: Bool) {
        if peer.isUnix {
            self.init(isSecure: isSecure)
        } else {
            self.init(peer.address, network: peer.network, isSecure: isSecure, through: [])
        }
    }

    private init(_ address: IPAddress?, network: PeerNetwork, isSecure: Bool, through proxies: [IPAddress]) {
        text = address.map { "\($0)" } ?? "unknown"
        self.network = network
        self.address = address
        isUnix = false
        self.isSecure = isSecure
        (forwardedLines, forwardedParameters) = Self.fields(address, isSecure, proxies)
        forwardedHops = Array(proxies.map { ", for=\(Self.node($0))" }.joined().utf8)
    }

    /// Creates the peer of a `unix:` listener.
    private init(isSecure: Bool) {
        text = "unix"
        network = .unknown
        address = nil
        isUnix = true
        self.isSecure = isSecure
        (forwardedLines, forwardedParameters) = Self.fields(nil, isSecure, [])
        forwardedHops = []
    }

    /// Returns whether the address is known and in a network.
    package func isIn(_ range: AddressRange) -> Bool { address.map(range.contains) ?? false }

    /// Returns the network of the address in CIDR notation, by the numbers of fixed bits. `nil` without an address.
    package func networkText(_ version4: Int, _ version6: Int) -> String? {
        address.map { "\(AddressRange($0, length: $0.width == 32 ? version4 : version6))" }
    }

    private static func fields(
        _ address: IPAddress?, _ isSecure: Bool, _ proxies: [IPAddress]
    ) -> (lines: [UInt8], parameters: [UInt8]) {
        let scheme = isSecure ? "https" : "http"
        let text = address.map { "\($0)" } ?? "unknown"
        let hops = proxies.map { ", \($0)" }.joined()
        let node = address.map(node) ?? "unknown"
        return (
            Array("X-Forwarded-For: \(text)\(hops)\r\nX-Forwarded-Proto: \(scheme)\r\n".utf8),
            Array("for=\(node);proto=\(scheme);host=".utf8)
        )
    }

    /// Returns an address in the form of `Forwarded`: IPv6 is quoted and in brackets (RFC 7239 section 6).
    private static func node(_ address: IPAddress) -> String {
        switch address {
        case .version4: "\(address)"
        case .version6: "\"[\(address)]\""
        }
    }
}

extension IPAddress {
    /// The offsets of the addresses in `sockaddr_in` and `sockaddr_in6`, equal on all systems.
    private static let offsets = (version4: 4, version6: 8)

    /// Creates the address of a socket. `nil` if it has no IP address.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self = withUnsafeBytes(of: address.address) { bytes in
                .version4(
                    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: Self.offsets.version4, as: UInt32.self)))
            }
        case .v6(let address):
            self = withUnsafeBytes(of: address.address) { bytes in
                let value = bytes.loadUnaligned(fromByteOffset: Self.offsets.version6, as: UInt128.self)
                return Self(version6: UInt128(bigEndian: value))
            }
        case .unixDomainSocket, nil: return nil
        }
    }
}
