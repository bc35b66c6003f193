internal import JOSE

/// A corruption of a signed token.
public enum Tampering: Sendable, CaseIterable {
    /// One bit of the signature is flipped.
    case signatureBit
    /// The last byte of the signature is removed.
    case signatureTruncated
    /// The signature is empty.
    case signatureRemoved
    /// The payload's `sub` is changed; the signature is not.
    case payload
    /// The header has an additional member; the signature is not changed.
    case header
}

extension Tampering {
    /// Returns the corrupted token. A token without three parts is returned unchanged.
    public func applied(to token: String) -> String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return token }
        switch self {
        case .signatureBit: parts[2] = Self.edited(parts[2]) { $0[$0.count / 2] ^= 1 }
        case .signatureTruncated: parts[2] = Self.edited(parts[2]) { $0.removeLast() }
        case .signatureRemoved: parts[2] = ""
        case .payload: parts[1] = Self.adding("sub", "mallory", to: parts[1])
        case .header: parts[0] = Self.adding("x", "y", to: parts[0])
        }
        return parts.joined(separator: ".")
    }

    private static func edited(_ part: String, _ edit: (inout [UInt8]) -> Void) -> String {
        guard var bytes = Base64URL.decode(part), !bytes.isEmpty else { return part }
        edit(&bytes)
        return Base64URL.encode(bytes)
    }

    private static func adding(_ name: String, _ value: String, to part: String) -> String {
        guard let bytes = Base64URL.decode(part), case .object(var object)? = JSON(parsing: bytes) else { return part }
        object[name] = .string(value)
        return Base64URL.encode(object.bytes)
    }
}
