package import NIOHPACK

/// The syntax of HTTP/2 fields (RFC 9113 section 8.2.1), stricter than the RFC where HTTP/1.1 is.
package enum FieldSyntax {
    /// Returns whether a name is a token without upper-case letters, or a pseudo-header: a colon and such a token.
    package static func isName(_ name: some Collection<UInt8>) -> Bool {
        guard let first = name.first else { return false }
        let token = first == colon ? name.dropFirst() : name[...]
        return !token.isEmpty && token.allSatisfy(isNameByte)
    }

    /// Returns whether a value has only visible characters, SP, HTAB and obs-text, and neither begins nor ends with
    /// whitespace.
    ///
    /// U+FFFD is rejected: NIO replaces bytes that are not UTF-8 by it, so that the value is not the one that was sent.
    package static func isValue(_ value: some Collection<UInt8>) -> Bool {
        guard let first = value.first else { return true }
        var last = first
        var (beforeLast, isFirst): (UInt8, Bool) = (0, true)
        if isWhitespace(first) { return false }
        for byte in value {
            if (byte < 0x20 && byte != 0x09) || byte == 0x7F { return false }
            if byte == 0xBD, !isFirst, last == 0xBF, beforeLast == 0xEF { return false }
            (beforeLast, last, isFirst) = (isFirst ? 0 : last, byte, false)
        }
        return !isWhitespace(last)
    }

    /// Returns whether NIO has replaced bytes of a name or a value that are not UTF-8 by U+FFFD, or received that.
    package static func isRepaired(_ headers: HPACKHeaders) -> Bool {
        headers.contains { name, value, _ in isRepaired(name.utf8) || isRepaired(value.utf8) }
    }

    private static func isRepaired(_ text: some Collection<UInt8>) -> Bool {
        var (beforeLast, last): (UInt8, UInt8) = (0, 0)
        for byte in text {
            if byte == 0xBD, last == 0xBF, beforeLast == 0xEF { return true }
            (beforeLast, last) = (last, byte)
        }
        return false
    }

    /// Returns whether a field concerns one connection of HTTP/1.1. No message of HTTP/2 has it (section 8.2.2).
    package static func isConnectionSpecific(_ name: String) -> Bool {
        switch name {
        case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade": true
        default: false
        }
    }

    /// Returns the number of a `content-length`: digits only, at most `Int64.max`. `nil` if it is invalid.
    package static func length(_ value: some Collection<UInt8>) -> UInt64? {
        guard !value.isEmpty, value.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in value {
            guard byte &- 0x30 < 10 else { return nil }
            number = number * 10 + UInt64(byte &- 0x30)
        }
        return number <= UInt64(Int64.max) ? number : nil
    }

    private static let colon = UInt8(ascii: ":")

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"): true
        case UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
