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

/// Sets and maps of bytes, one character for each of the 256.
///
/// They are string literals since those are constant memory, reached without the once-check of a global. The dot that
/// ends a table only keeps its last row's spaces in sight.
enum ByteClass {
    /// A token's bytes (RFC 9110 section 5.6.2), each at its own place; a space where no token has the byte.
    private static var tokens: StaticString {
        """
                                         ! #$%&'  *+ -. 0123456789      \
         ABCDEFGHIJKLMNOPQRSTUVWXYZ   ^_`abcdefghijklmnopqrstuvwxyz | ~ \
                                                                        \
                                                                        .
        """
    }

    /// The bytes of a host name that we take: RFC 3986's unreserved ones, without escapes and sub-delimiters, which no
    /// real name has and which rules could read in two ways.
    private static var hostNames: StaticString {
        """
                                                     -. 0123456789      \
         ABCDEFGHIJKLMNOPQRSTUVWXYZ    _ abcdefghijklmnopqrstuvwxyz   ~ \
                                                                        \
                                                                        .
        """
    }

    /// What a byte of a managed field's name counts as: letters in lower case, digits, all else a hyphen.
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
