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

    /// The value of a hexadecimal digit in either case, or nil.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }
}
