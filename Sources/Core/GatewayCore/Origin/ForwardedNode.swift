import HTTPWire

/// The node of one entry of `X-Forwarded-For` or `Forwarded`.
enum ForwardedNode: Equatable {
    case address(IPAddress)
    /// The proxy does not know or does not disclose the node (RFC 7239 sections 6.2 and 6.3).
    case unknown

    /// Parses an address with an optional port (RFC 7239 section 6; IPv6 with a port in brackets), or `unknown`.
    /// `nil` if the text is invalid.
    init?(_ text: UnsafeRawBufferPointer) {
        if ASCII.equals(text, "unknown") || text.first == UInt8(ascii: "_") {
            self = .unknown
        } else if let address = Self.address(in: text) {
            self = .address(address)
        } else {
            return nil
        }
    }

    private static func address(in text: UnsafeRawBufferPointer) -> IPAddress? {
        let colon = UInt8(ascii: ":")
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")), isPort(text[(end + 1)...]) else { return nil }
            let inner = UnsafeRawBufferPointer(rebasing: text[1..<end])
            return inner.contains(colon) ? IPAddress(parsing: inner) : nil
        }
        if let first = text.firstIndex(of: colon), text[(first + 1)...].allSatisfy({ $0 != colon }) {
            guard isPort(text[first...]) else { return nil }
            return IPAddress(parsing: UnsafeRawBufferPointer(rebasing: text[..<first]))
        }
        return IPAddress(parsing: text)
    }

    /// Returns whether the text is empty, or `:` and one to five digits.
    private static func isPort(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = text.first else { return true }
        return first == UInt8(ascii: ":") && (2...6).contains(text.count)
            && text.dropFirst().allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
}
