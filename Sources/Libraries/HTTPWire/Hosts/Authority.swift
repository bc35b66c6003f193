/// A parsed `Host` value or authority: a host and an optional port, without user information.
///
/// The host is a name or an IPv4 address of letters, digits, `-`, `.`, `_` and `~`, at most 255 bytes, without empty
/// labels except for a trailing dot; or an IPv6 address in brackets, without a zone. Escapes and sub-delimiters,
/// which RFC 3986 permits in a name, are rejected: no real name has them, and they are ambiguous to rules.
public struct Authority: Sendable, Hashable {
    /// The host without the port. An IPv6 address includes its brackets; a name excludes a trailing dot.
    public var name: ByteRange
    /// The port, if any.
    public var port: UInt16?
    /// Whether the host has upper-case letters, so that it must be converted before a comparison.
    public var hasUppercase: Bool

    /// An absent host.
    public static var none: Authority { Authority(name: .empty, port: nil, hasUppercase: false) }

    /// Parses the `value` of a head. `nil` if it is not a valid host with an optional port.
    public init?(_ value: ByteRange, in head: UnsafeRawBufferPointer) {
        guard let base = head.baseAddress, value.upperBound <= head.count else { return nil }
        self.init(base, value)
    }

    /// Writes the host in lower case without its port to the start of `output`, which must have room for it. Returns
    /// the length.
    public func copyLowercased(from head: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
        ASCII.lowercase(name.bytes(in: head), into: output)
        return name.count
    }

    private init(name: ByteRange, port: UInt16?, hasUppercase: Bool) {
        self.name = name
        self.port = port
        self.hasUppercase = hasUppercase
    }
}

extension Authority {
    /// The maximum size of a host, in bytes.
    private static var maximumLength: Int { 255 }

    init?(_ base: UnsafeRawPointer, _ value: ByteRange) {
        guard value.count > 0 else { return nil }
        self.init(name: value, port: nil, hasUppercase: false)
        let bracketed = base.byte(value.lowerBound) == 0x5B
        guard let end = bracketed ? addressEnd(base, value) : nameEnd(base, value) else { return nil }
        guard readPort(base, from: end, to: value.upperBound) else { return nil }
    }

    /// Parses a name, records its range and case, and returns the offset after it.
    @inline(__always)
    private mutating func nameEnd(_ base: UnsafeRawPointer, _ value: ByteRange) -> Int? {
        var position = value.lowerBound
        var previous: UInt8 = 0x2E
        while position < value.upperBound {
            let byte = base.byte(position)
            guard ByteClass.isHostName(byte) else { break }
            if byte == 0x2E && previous == 0x2E { return nil }
            if ByteClass.isUppercase(byte) { hasUppercase = true }
            previous = byte
            position &+= 1
        }
        let length = position &- value.lowerBound
        guard length > 0, length <= Authority.maximumLength else { return nil }
        name = ByteRange(value.lowerBound, previous == 0x2E ? position &- 1 : position)
        return position
    }

    /// Parses an address in brackets, records its range and case, and returns the offset after it.
    private mutating func addressEnd(_ base: UnsafeRawPointer, _ value: ByteRange) -> Int? {
        var position = value.lowerBound &+ 1
        while position < value.upperBound, base.byte(position) != 0x5D {
            if ByteClass.isUppercase(base.byte(position)) { hasUppercase = true }
            position &+= 1
        }
        guard position < value.upperBound else { return nil }
        let address = ByteRange(value.lowerBound &+ 1, position)
        let bytes = UnsafeRawBufferPointer(start: base + address.lowerBound, count: address.count)
        guard bytes.contains(0x3A), IPAddress(parsing: bytes) != nil else { return nil }
        name = ByteRange(value.lowerBound, position &+ 1)
        return position &+ 1
    }

    /// Parses an optional port: a colon and one to five digits, up to 65535.
    @inline(__always)
    private mutating func readPort(_ base: UnsafeRawPointer, from start: Int, to end: Int) -> Bool {
        if start == end { return true }
        guard base.byte(start) == 0x3A, end &- start >= 2, end &- start <= 6 else { return false }
        var number: UInt32 = 0
        for position in start &+ 1..<end {
            guard ByteClass.isDigit(base.byte(position)) else { return false }
            number = number &* 10 &+ UInt32(base.byte(position) &- 0x30)
        }
        port = UInt16(exactly: number)
        return port != nil
    }
}
