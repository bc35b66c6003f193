/// A subject alternative name of a client certificate (RFC 5280 section 4.2.1.6).
///
/// It has visible ASCII only, so that two names are equal if and only if their bytes are.
package struct CertificateName: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        case dns
        case uri
    }

    /// The maximum length, in bytes.
    package static let maximumLength = 1_024

    package let kind: Kind
    /// A DNS name in lower case, or a URI.
    package let text: String

    /// Creates a name. `nil` if it is empty, longer than ``maximumLength``, or has other bytes than visible ASCII.
    package init?(_ kind: Kind, _ bytes: some Collection<UInt8>) {
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.kind = kind
        text = String(
            decoding: kind == .uri ? Array(bytes) : bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    /// `dns:NAME` or `uri:URI`.
    package var description: String { "\(kind.rawValue):\(text)" }
}
