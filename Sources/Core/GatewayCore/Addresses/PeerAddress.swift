package import HTTPWire
package import NIOCore

/// Whom requests come from, spelled once for each connection, or for each client that a trusted proxy tells of.
package final class PeerAddress: Sendable {
    /// The IP address without a port; `unix` for a peer of a `unix:` listener, `unknown` where nobody can say.
    package let text: String
    /// Who the client is where clients share something scarce.
    package let network: PeerNetwork
    /// Nil where there is none, or none that is known.
    let address: IPAddress?
    /// The peer of a `unix:` listener.
    let isUnix: Bool
    /// The client speaks TLS, to us or to the trusted proxy that says so.
    let isSecure: Bool
    /// The field lines that tell the upstream where the request comes from, each with its CRLF.
    package let forwardedLines: [UInt8]
    /// The `for=` and `proto=` parts of `Forwarded` (RFC 7239); the host is added for each request.
    package let forwardedParameters: [UInt8]
    /// The elements of `Forwarded` that follow: the proxies between the client and us.
    package let forwardedHops: [UInt8]

    /// The peer of a socket.
    package convenience init(_ address: SocketAddress?, isSecure: Bool = false) {
        if case .unixDomainSocket? = address {
            self.init(isSecure: isSecure)
        } else {
            self.init(IPAddress(address), network: PeerNetwork(address), isSecure: isSecure, through: [])
        }
    }

    /// A client that a trusted proxy tells of.
    ///
    /// - Parameter proxies: those between it and us, the nearest to us last.
    package convenience init(_ address: IPAddress?, isSecure: Bool, through proxies: [IPAddress]) {
        self.init(address, network: address.map(PeerNetwork.init) ?? .unknown, isSecure: isSecure, through: proxies)
    }

    /// The same peer with another scheme, as a trusted proxy tells of it.
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

    /// The peer of a `unix:` listener.
    private init(isSecure: Bool) {
        text = "unix"
        network = .unknown
        address = nil
        isUnix = true
        self.isSecure = isSecure
        (forwardedLines, forwardedParameters) = Self.fields(nil, isSecure, [])
        forwardedHops = []
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

    /// An IPv6 address is quoted and bracketed in `Forwarded` (RFC 7239 section 6).
    private static func node(_ address: IPAddress) -> String {
        switch address {
        case .version4: "\(address)"
        case .version6: "\"[\(address)]\""
        }
    }
}

extension IPAddress {
    /// The addresses lie at these places of `sockaddr_in` and `sockaddr_in6` on every system.
    private static let offsets = (version4: 4, version6: 8)

    /// The address of a socket; nil for one that has none.
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
