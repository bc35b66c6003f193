/// The reason that bytes are not a message of the expected form. It contains no input.
package struct ProtobufError: Error, Equatable, Sendable {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// A reader of the fields of one message (Protocol Buffers, "Encoding"), in the order in which they were written.
///
/// It reads each byte once, and allocates nothing. It knows no schema: unknown fields are values that the caller
/// ignores. A nested message is a value that the caller reads with a further reader, so that the depth is the caller's.
struct ProtobufReader {
    enum Value: Equatable {
        case varint(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A number with 32 or 64 bits, which no field of this module has.
        case fixed
    }

    private var rest: ArraySlice<UInt8>

    init(_ message: ArraySlice<UInt8>) {
        rest = message
    }

    /// Returns the next field. `nil` at the end of the message.
    mutating func next() throws(ProtobufError) -> (number: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let tag = try varint()
        let number = tag >> 3
        guard number > 0, number < 1 << 29 else { throw ProtobufError("a field has an invalid number") }
        switch tag & 7 {
        case 0: return (number, .varint(try varint()))
        case 1: return (number, try fixed(8))
        case 2: return (number, .bytes(try bytes(try varint())))
        case 5: return (number, try fixed(4))
        // Groups are deprecated, and no message of Envoy has one.
        default: throw ProtobufError("a field has an invalid wire type")
        }
    }

    private mutating func varint() throws(ProtobufError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw ProtobufError("the message ends within a number") }
            // The tenth byte has one bit.
            guard shift < 63 || byte < 2 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw ProtobufError("a number exceeds 64 bits")
    }

    private mutating func fixed(_ size: UInt64) throws(ProtobufError) -> Value {
        _ = try bytes(size)
        return .fixed
    }

    private mutating func bytes(_ count: UInt64) throws(ProtobufError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw ProtobufError("the message ends within a field") }
        let value = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return value
    }
}

extension ProtobufReader.Value {
    /// Returns the bytes of a text or of a nested message.
    func bytes(of name: StaticString) throws(ProtobufError) -> ArraySlice<UInt8> {
        guard case .bytes(let bytes) = self else { throw ProtobufError("\(name) has an invalid wire type") }
        return bytes
    }

    /// Stores the bytes of a field that occurs at most once. Programs could read different values of a repeated one.
    func store(in place: inout ArraySlice<UInt8>?, _ name: StaticString) throws(ProtobufError) {
        guard place == nil else { throw ProtobufError("\(name) occurs twice") }
        place = try bytes(of: name)
    }
}

/// A message under construction.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: UInt8, varint value: UInt64) {
        append(UInt64(number) << 3)
        append(value)
    }

    /// Adds a number with 64 bits.
    mutating func add(_ number: UInt8, double value: Double) {
        append(UInt64(number) << 3 | 1)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Adds a text or a nested message, also an empty one.
    mutating func add(_ number: UInt8, _ value: some Collection<UInt8>) {
        append(UInt64(number) << 3 | 2)
        append(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func append(_ varint: UInt64) {
        var value = varint
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}
