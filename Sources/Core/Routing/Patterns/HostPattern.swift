import GatewayCore

/// The reason that a route's host is rejected.
package enum HostPatternError: Error, Hashable, Sendable {
    /// An empty host or only `*`. To match any host, the key has to be omitted.
    case anyHost
    /// A port, which is not compared.
    case port
    /// `*` in a position other than the whole first label.
    case wildcard
    /// Neither a host name of letters, digits, `-`, `_` and dots (at most 253 bytes, labels of 1 to 63) nor an IPv6
    /// address in brackets.
    case notAHost
}

/// The host of a route: an exact name, or `*.example.com` for one or more labels before the dot.
struct HostPattern: Hashable, Sendable {
    /// In lower case. For a wildcard, the part after the `*` including the dot.
    let name: [UInt8]
    let isWildcard: Bool

    init(_ text: String) throws(HostPatternError) {
        var bytes = text.utf8.map(PathBytes.lowercased)
        guard !bytes.isEmpty, bytes != [UInt8(ascii: "*")] else { throw .anyHost }
        isWildcard = bytes.starts(with: "*.".utf8)
        if isWildcard { bytes.removeFirst() }
        if bytes.last == PathBytes.dot, bytes.count > 1 { bytes.removeLast() }
        name = bytes
        guard !bytes.contains(UInt8(ascii: "*")) else { throw .wildcard }
        // Colons in brackets belong to an address.
        let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) ?? bytes.endIndex : 0
        guard !bytes[end...].contains(UInt8(ascii: ":")) else { throw .port }
        guard HostName.isPattern(description) else { throw .notAHost }
    }
}

extension HostPattern: CustomStringConvertible {
    /// The pattern as in the configuration.
    var description: String { (isWildcard ? "*" : "") + String(decoding: name, as: UTF8.self) }
}
