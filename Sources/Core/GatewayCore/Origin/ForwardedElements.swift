import HTTPWire

/// A parser of one `Forwarded` field line (RFC 7239 section 4).
enum ForwardedElements {
    /// The report of one proxy.
    struct Element: Equatable {
        /// `nil` if the value is not an address.
        var node: ForwardedNode? = .unknown
        /// `nil` if there is no `proto`. Any value other than `http` and `https` is an error of the line.
        var isSecure: Bool?
    }

    /// Parses a line. `nil` if it is malformed.
    static func read(_ line: UnsafeRawBufferPointer) -> [Element]? {
        var scanner = ForwardedScanner(bytes: line)
        var elements: [Element] = []
        repeat {
            scanner.skipSpace()
            // Empty members of a list are ignored (RFC 9110 section 5.6.1).
            if scanner.isAtEnd || scanner.isAt(",") { continue }
            guard let element = read(&scanner) else { return nil }
            elements.append(element)
        } while scanner.take(",")
        return scanner.isAtEnd ? elements : nil
    }

    private static func read(_ scanner: inout ForwardedScanner) -> Element? {
        var element = Element()
        var seen: (node: Bool, scheme: Bool) = (false, false)
        repeat {
            scanner.skipSpace()
            guard let pair = scanner.pair() else { return nil }
            if ASCII.equals(pair.name, "for") {
                guard !seen.node else { return nil }
                seen.node = true
                element.node = ForwardedNode(pair.value)
            } else if ASCII.equals(pair.name, "proto") {
                guard !seen.scheme, let isSecure = ForwardedScheme.isSecure(pair.value) else { return nil }
                seen.scheme = true
                element.isSecure = isSecure
            }
            scanner.skipSpace()
        } while scanner.take(";")
        return element
    }
}

/// The schemes `http` and `https`.
enum ForwardedScheme {
    /// Returns whether the scheme is `https`. `nil` for any other word.
    static func isSecure(_ word: UnsafeRawBufferPointer) -> Bool? {
        if ASCII.equals(word, "https") { return true }
        return ASCII.equals(word, "http") ? false : nil
    }
}

/// A scanner of names and values.
private struct ForwardedScanner {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position >= bytes.count }

    func isAt(_ mark: Unicode.Scalar) -> Bool { !isAtEnd && bytes[position] == UInt8(ascii: mark) }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard isAt(mark) else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while !isAtEnd, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    /// Reads `token "=" ( token / quoted-string )`. The quotes are removed; escapes are rejected, since addresses
    /// have none.
    mutating func pair() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard let name = word(), take("="), let value = isAt("\"") ? quoted() : word() else { return nil }
        return (name, value)
    }

    /// Reads up to a delimiter. It accepts unquoted addresses with `:` and brackets, which occur in practice.
    private mutating func word() -> UnsafeRawBufferPointer? {
        let start = position
        while !isAtEnd, !Self.delimiters.contains(bytes[position]) { position += 1 }
        return position > start ? UnsafeRawBufferPointer(rebasing: bytes[start..<position]) : nil
    }

    private mutating func quoted() -> UnsafeRawBufferPointer? {
        position += 1
        let start = position
        while !isAtEnd, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        guard !isAtEnd else { return nil }
        position += 1
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position - 1])
    }

    private static let delimiters: [UInt8] = Array(" \t\",;=\\".utf8)
}
