import GatewayCore

/// Why a route's host is refused.
package enum HostPatternError: Error, Hashable, Sendable {
    /// Nothing, or `*` alone: any host is meant by leaving the key out.
    case anyHost
    /// A port, which is not compared.
    case port
    /// `*` elsewhere than as the whole first label.
    case wildcard
    /// Not a host name of letters, digits, `-`, `_` and dots (at most 253 bytes, labels 1 to 63), nor an IPv6 address in brackets.
    case notAHost
}

/// A host that a route is for: exact, or `*.example.com`, which stands for one or more labels before the dot.
struct HostPattern: Hashable, Sendable {
    /// In lower case; of a wildcard what follows the `*`, with the dot.
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
        // Between brackets, colons are the address's.
        let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) ?? bytes.endIndex : 0
        guard !bytes[end...].contains(UInt8(ascii: ":")) else { throw .port }
        guard HostName.isPattern(description) else { throw .notAHost }
    }
}

extension HostPattern: CustomStringConvertible {
    /// As it is written in the configuration.
    var description: String { (isWildcard ? "*" : "") + String(decoding: name, as: UTF8.self) }
}
