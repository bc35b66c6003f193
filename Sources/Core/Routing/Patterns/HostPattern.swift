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
        if bytes.first == UInt8(ascii: "["), !isWildcard {
            try Self.checkAddress(bytes)
        } else {
            try Self.checkName(isWildcard ? bytes.dropFirst() : bytes[...])
        }
    }

    private static func checkName(_ name: ArraySlice<UInt8>) throws(HostPatternError) {
        guard !name.contains(UInt8(ascii: ":")) else { throw .port }
        guard name.count <= 253 else { throw .notAHost }
        for label in name.split(separator: PathBytes.dot, omittingEmptySubsequences: false) {
            let isLabel = label.allSatisfy {
                PathBytes.isLetter($0) || PathBytes.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
            guard isLabel, (1...63).contains(label.count) else { throw .notAHost }
        }
    }

    private static func checkAddress(_ bytes: [UInt8]) throws(HostPatternError) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .notAHost }
        guard end == bytes.count - 1 else { throw bytes[end + 1] == UInt8(ascii: ":") ? .port : .notAHost }
        let isAddress = bytes[1..<end].allSatisfy {
            PathBytes.hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == PathBytes.dot
        }
        guard isAddress, (2...45).contains(end - 1) else { throw .notAHost }
    }
}

extension HostPattern: CustomStringConvertible {
    /// As it is written in the configuration.
    var description: String { (isWildcard ? "*" : "") + String(decoding: name, as: UTF8.self) }
}
