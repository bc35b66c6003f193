#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// IP addresses as text, read by the system's own parser.
package enum IPLiteral {
    /// The four bytes of a dotted-decimal IPv4 address.
    package static func v4(_ text: String) -> [UInt8]? {
        bytes(text, family: AF_INET, count: 4)
    }

    /// The sixteen bytes of an IPv6 address without brackets and zone.
    package static func v6(_ text: String) -> [UInt8]? {
        bytes(text, family: AF_INET6, count: 16)
    }

    /// Whether only this machine is reached by that host: `localhost`, 127.0.0.0/8, `::1`, or the former as mapped
    /// IPv6.
    package static func isLoopback(host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        if let address = v4(host) { return address[0] == 127 }
        guard let address = v6(host) else { return false }
        if let mapped = mappedV4(address) { return mapped[0] == 127 }
        return address.dropLast().allSatisfy { $0 == 0 } && address[15] == 1
    }

    /// Whether the host means every address of the machine.
    static func isUnspecified(host: String) -> Bool {
        (v4(host) ?? v6(host))?.allSatisfy { $0 == 0 } ?? false
    }

    private static func mappedV4(_ address: [UInt8]) -> [UInt8]? {
        guard address.prefix(10).allSatisfy({ $0 == 0 }), address[10] == 0xFF, address[11] == 0xFF else { return nil }
        return Array(address.suffix(4))
    }

    private static func bytes(_ text: String, family: Int32, count: Int) -> [UInt8]? {
        var storage = [UInt8](repeating: 0, count: count)
        let status = storage.withUnsafeMutableBytes { inet_pton(family, text, $0.baseAddress) }
        return status == 1 && !text.utf8.contains(0) ? storage : nil
    }
}
