/// ASCII text operations, independent of the locale.
public enum ASCII {
    /// Returns whether `bytes` equal the ASCII literal `text`, ignoring case.
    @inline(__always)
    public static func equals(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        return equals(bytes, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Returns whether `bytes` equal `other`, ignoring the case of ASCII letters.
    public static func equals(_ bytes: UnsafeRawBufferPointer, _ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { equals(bytes, $0) }
    }

    /// Returns whether `bytes` equal `other`, ignoring the case of ASCII letters.
    public static func equals(_ bytes: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == other.count else { return false }
        guard let left = bytes.baseAddress, let right = other.baseAddress else { return true }
        for offset in 0..<bytes.count where !sameLetter(left.byte(offset), right.byte(offset)) { return false }
        return true
    }

    /// Returns whether `bytes` are one token (RFC 9110 section 5.6.2).
    public static func isToken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(ByteClass.isToken)
    }

    /// Writes `bytes` with ASCII letters in lower case to the start of `output`, which must have room for them.
    public static func lowercase(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= bytes.count, "insufficient space for the lowercased bytes")
        for offset in 0..<bytes.count { output[offset] = ByteClass.lowercase(bytes[offset]) }
    }

    @inline(__always)
    private static func sameLetter(_ left: UInt8, _ right: UInt8) -> Bool {
        left == right || ByteClass.lowercase(left) == ByteClass.lowercase(right)
    }
}

/// Sets and maps of bytes, with one character for each of the 256 values.
///
/// String literals are constant memory, which needs no check for lazy initialization. The dot at the end of a table
/// keeps the trailing spaces of its last row visible.
enum ByteClass {
    /// The bytes of a token (RFC 9110 section 5.6.2), each at its own index; a space for other bytes.
    private static var tokens: StaticString {
        """
                                         ! #$%&'  *+ -. 0123456789      \
         ABCDEFGHIJKLMNOPQRSTUVWXYZ   ^_`abcdefghijklmnopqrstuvwxyz | ~ \
                                                                        \
                                                                        .
        """
    }

    /// The accepted bytes of a host name: the unreserved characters of RFC 3986. Escapes and sub-delimiters are
    /// rejected, since no real name has them and they are ambiguous to rules.
    private static var hostNames: StaticString {
        """
                                                     -. 0123456789      \
         ABCDEFGHIJKLMNOPQRSTUVWXYZ    _ abcdefghijklmnopqrstuvwxyz   ~ \
                                                                        \
                                                                        .
        """
    }

    /// The normalized bytes of a managed field's name: letters in lower case, digits, and a hyphen for all other bytes.
    private static var normalized: StaticString {
        """
        ------------------------------------------------0123456789------\
        -abcdefghijklmnopqrstuvwxyz------abcdefghijklmnopqrstuvwxyz-----\
        ----------------------------------------------------------------\
        ----------------------------------------------------------------
        """
    }

    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool { tokens.utf8Start[Int(byte)] != 0x20 }

    @inline(__always)
    static func isHostName(_ byte: UInt8) -> Bool { hostNames.utf8Start[Int(byte)] != 0x20 }

    @inline(__always)
    static func normalize(_ byte: UInt8) -> UInt8 { normalized.utf8Start[Int(byte)] }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isUppercase(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }

    @inline(__always)
    static func lowercase(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

    /// Whether the byte is optional whitespace: SP or HTAB.
    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
