#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IP address as a number. An IPv4-mapped IPv6 address (`::ffff:a.b.c.d`) is the IPv4 address.
package enum IPAddress: Hashable, Sendable {
    case version4(UInt32)
    case version6(UInt128)

    /// The maximum length of the text, in bytes: an IPv6 address that ends in dotted decimal.
    static let longestText = 45

    private static let mapped: UInt128 = 0xffff << 32

    /// Creates an address from a 128-bit number.
    package init(version6 value: UInt128) {
        self = value >> 32 == Self.mapped >> 32 ? .version4(UInt32(truncatingIfNeeded: value)) : .version6(value)
    }

    /// Parses dotted decimal or RFC 4291 text, without brackets and zone, with `inet_pton`. `nil` if the text is
    /// invalid.
    package init?(parsing text: UnsafeRawBufferPointer) {
        guard !text.isEmpty, text.count <= Self.longestText else { return nil }
        let parsed = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.longestText + 1) { spelling in
            for (index, byte) in text.enumerated() { spelling[index] = CChar(bitPattern: byte) }
            spelling[text.count] = 0
            return Self(terminated: UnsafePointer(spelling.baseAddress), hasColon: text.contains(UInt8(ascii: ":")))
        }
        // A NUL would have ended the text early.
        guard let parsed, !text.contains(0) else { return nil }
        self = parsed
    }

    /// Parses a text like ``init(parsing:)``.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let parsed = text.withUTF8({ IPAddress(parsing: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = parsed
    }

    private init?(terminated text: UnsafePointer<CChar>?, hasColon: Bool) {
        guard let text else { return nil }
        if hasColon {
            var value: UInt128 = 0
            guard inet_pton(AF_INET6, text, &value) == 1 else { return nil }
            self.init(version6: UInt128(bigEndian: value))
        } else {
            var value: UInt32 = 0
            guard inet_pton(AF_INET, text, &value) == 1 else { return nil }
            self = .version4(UInt32(bigEndian: value))
        }
    }
}

extension IPAddress {
    /// Whether the address is a loopback address: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        switch self {
        case .version4(let value): value >> 24 == 127
        case .version6(let value): value == 1
        }
    }

    /// Returns whether the host is `localhost` or a loopback address.
    package static func isLoopback(host: String) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
    }

    /// Whether the address is of this machine, or of a private or link-local network (RFC 6890).
    package var isLocal: Bool {
        switch self {
        case .version4(let value):
            isLoopback || value >> 24 == 0 || value >> 24 == 10 || value >> 20 == 0xAC1 || value >> 16 == 0xC0A8
                || value >> 16 == 0xA9FE || value >> 22 == 0x191
        case .version6(let value): value <= 1 || value >> 121 == 0x7E || value >> 118 == 0x3FA
        }
    }

    /// Returns whether the host is `localhost` or the text of a local address.
    package static func isLocal(host: String) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host)?.isLocal == true
    }

    /// Whether the address is the wildcard address: `0.0.0.0` or `::`.
    package var isUnspecified: Bool { self == .version4(0) || self == .version6(0) }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or the canonical text of RFC 5952.
    package var description: String {
        switch self {
        case .version4(let value):
            var address = value.bigEndian
            return Self.text(AF_INET, &address)
        case .version6(let value):
            var address = value.bigEndian
            return Self.text(AF_INET6, &address)
        }
    }

    private static func text(_ family: CInt, _ address: UnsafeRawPointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: longestText + 1) { spelling in
            guard let base = inet_ntop(family, address, spelling.baseAddress, socklen_t(longestText + 1)) else {
                return "unknown"
            }
            return String(cString: base)
        }
    }
}
