import HTTPWire

/// The PROXY protocol header, versions 1 and 2, as specified in HAProxy's `proxy-protocol.txt`. A load balancer sends
/// it before a connection's own bytes to state the client's address.
enum ProxyHeader {
    /// The result of parsing the available bytes.
    enum Finding: Equatable {
        case needsMore
        /// A complete header of `length` bytes. `source` is the client; `nil` if the connection is the load balancer's
        /// own or the source is not stated, so that the socket's peer applies.
        case complete(length: Int, source: IPAddress?)
        case malformed
    }

    /// The maximum size of a version 1 header, including its CRLF.
    static let longestText = 107
    /// The maximum size of the data after the addresses of version 2. It is skipped.
    static let longestExtensions = 4_096
    /// The maximum size of a version 2 header. Its addresses may be two paths of 108 bytes.
    static let longest = 16 + 216 + longestExtensions

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let word = Array("PROXY ".utf8)

    /// Parses a header at the start of `bytes`.
    static func find(in bytes: UnsafeRawBufferPointer) -> Finding {
        guard let first = bytes.first else { return .needsMore }
        if first == signature[0] {
            guard bytes.starts(with: signature.prefix(bytes.count)) else { return .malformed }
            return bytes.count < 16 ? .needsMore : binary(bytes)
        }
        guard bytes.starts(with: word.prefix(bytes.count)) else { return .malformed }
        return bytes.count < word.count ? .needsMore : text(bytes)
    }

    // MARK: - Version 1

    private static func text(_ bytes: UnsafeRawBufferPointer) -> Finding {
        let line = bytes.prefix(longestText)
        guard let end = line.firstIndex(of: 0x0A) else {
            return bytes.count < longestText ? .needsMore : .malformed
        }
        guard end > word.count, bytes[end - 1] == 0x0D else { return .malformed }
        let parts = bytes[word.count..<(end - 1)].split(separator: 0x20, omittingEmptySubsequences: false)
        guard let family = parts.first else { return .malformed }
        if family.elementsEqual("UNKNOWN".utf8) { return .complete(length: end + 1, source: nil) }
        guard parts.count == 5, isPort(parts[3]), isPort(parts[4]),
            let source = address(parts[1], family), address(parts[2], family) != nil
        else { return .malformed }
        return .complete(length: end + 1, source: source)
    }

    private typealias Part = Slice<UnsafeRawBufferPointer>

    private static func address(_ text: Part, _ family: Part) -> IPAddress? {
        let hasColon = text.contains(UInt8(ascii: ":"))
        guard family.elementsEqual("TCP4".utf8) && !hasColon || family.elementsEqual("TCP6".utf8) && hasColon else {
            return nil
        }
        return IPAddress(parsing: UnsafeRawBufferPointer(rebasing: text))
    }

    /// Returns whether text is a number from 0 to 65535 without leading zeros.
    private static func isPort(_ text: Part) -> Bool {
        guard (1...5).contains(text.count), text.count == 1 || text.first != UInt8(ascii: "0") else { return false }
        var value = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return false }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value <= 65_535
    }

    // MARK: - Version 2

    private static func binary(_ bytes: UnsafeRawBufferPointer) -> Finding {
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        guard bytes[12] == 0x20 || bytes[12] == 0x21, let addresses = lengthOfAddresses(bytes[13]),
            length <= addresses + longestExtensions
        else { return .malformed }
        let isLocal = bytes[12] == 0x20
        guard isLocal || length >= addresses else { return .malformed }
        guard bytes.count >= 16 + length else { return .needsMore }
        return .complete(length: 16 + length, source: isLocal ? nil : source(bytes))
    }

    /// Returns the size of the addresses. `nil` if the family or protocol is not supported.
    private static func lengthOfAddresses(_ family: UInt8) -> Int? {
        switch family {
        case 0x00: 0
        case 0x11: 12
        case 0x21: 36
        case 0x31: 216
        default: nil
        }
    }

    private static func source(_ bytes: UnsafeRawBufferPointer) -> IPAddress? {
        switch bytes[13] {
        case 0x11: .version4(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)))
        case 0x21: IPAddress(version6: UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt128.self)))
        default: nil
        }
    }
}
