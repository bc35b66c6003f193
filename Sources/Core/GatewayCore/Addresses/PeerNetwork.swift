import HTTPWire
package import NIOCore

/// The unit for limits on scarce resources: an IPv4 address, or the /64 network of an IPv6 address. A client
/// typically has a whole /64.
package enum PeerNetwork: Hashable, Sendable {
    case version4(UInt32)
    case version6(UInt64)
    /// A socket without an IP address.
    case unknown

    /// The offsets of the addresses in `sockaddr_in` and `sockaddr_in6`, equal on all systems.
    private static let offsets = (version4: 4, version6: 8)

    package init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self = .version4(withUnsafeBytes(of: address.address) { Self.load($0, at: Self.offsets.version4) })
        case .v6(let address):
            self = withUnsafeBytes(of: address.address) { Self(version6: $0, at: Self.offsets.version6) }
        case .unixDomainSocket, nil:
            self = .unknown
        }
    }

    init(_ address: IPAddress) {
        switch address {
        case .version4(let value): self = .version4(value.bigEndian)
        // The number is in memory order, as in a socket address.
        case .version6(let value): self = .version6(UInt64(truncatingIfNeeded: value >> 64).bigEndian)
        }
    }

    /// The network of one site that contains this one: an IPv4 /24, an IPv6 /48.
    package var wider: PeerNetwork {
        switch self {
        case .version4(let value): .version4((UInt32(bigEndian: value) & 0xFFFF_FF00).bigEndian)
        case .version6(let value): .version6((UInt64(bigEndian: value) & 0xFFFF_FFFF_FFFF_0000).bigEndian)
        case .unknown: .unknown
        }
    }

    private init(version6 bytes: UnsafeRawBufferPointer, at offset: Int) {
        let network: UInt64 = Self.load(bytes, at: offset)
        let middle: UInt32 = Self.load(bytes, at: offset + 8)
        // ::ffff:a.b.c.d, the form of IPv4 addresses on a dual-stack listener.
        let isMapped = network == 0 && middle.bigEndian == 0xffff
        self = isMapped ? .version4(Self.load(bytes, at: offset + 12)) : .version6(network)
    }

    private static func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) -> Number {
        bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)
    }
}
