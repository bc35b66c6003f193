/// Comparison of names by ASCII's letters alone, whatever the locale.
public enum ASCII {
    /// Whether `bytes` are `text`, letters compared without case. `text` is a literal of ASCII.
    @inline(__always)
    public static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        return equals(bytes, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Whether `bytes` are `other`, letters compared without case.
    public static func equals(_ bytes: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { equals(bytes, $0) }
    }

    /// Whether `bytes` are `other`, letters compared without case.
    public static func equals(_ bytes: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == other.count else { return false }
        guard let left = bytes.baseAddress, let right = other.baseAddress else { return true }
        for offset in 0..<bytes.count where !sameLetter(left.byte(offset), right.byte(offset)) { return false }
        return true
    }

    /// Whether `bytes` are one token (RFC 9110 section 5.6.2).
    public static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(ByteClass.isToken)
    }

    /// Writes `bytes` with letters in lower case to the start of `output`, which has room for them.
    public static func lowercase(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= bytes.count, "no room for the lower-cased bytes")
        for offset in 0..<bytes.count { output[offset] = ByteClass.lowercase(bytes[offset]) }
    }

    @inline(__always)
    private static func sameLetter(_ left: UInt8, _ right: UInt8) -> Bool {
        left == right || ByteClass.lowercase(left) == ByteClass.lowercase(right)
    }
}
