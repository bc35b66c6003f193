/// The lines of a head that end in CRLF, without their ends, through the empty line.
struct HeadLines {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    /// Whether the empty line was read, and nothing follows it.
    private(set) var isComplete = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the next line. `nil` at the empty line, or if the line has no end.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let end = bytes[position...].firstIndex(of: 0x0A), end > position, bytes[end - 1] == 0x0D else {
            return nil
        }
        let line = UnsafeRawBufferPointer(rebasing: bytes[position..<end - 1])
        position = end + 1
        guard line.isEmpty else { return line }
        isComplete = position == bytes.count
        return nil
    }

    /// Returns the bytes from `start` without surrounding whitespace.
    static func trimmed(_ line: UnsafeRawBufferPointer, from start: Int) -> UnsafeRawBufferPointer {
        var (start, end) = (start, line.count)
        while start < end, isWhitespace(line[start]) { start += 1 }
        while end > start, isWhitespace(line[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[start..<end])
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The method and the target of a request line of HTTP/1.1. Only targets that HTTP/2 has as `:path` are accepted: a
/// path, or `*`.
struct RequestLineParts {
    let method: UnsafeRawBufferPointer
    let target: UnsafeRawBufferPointer

    init?(_ line: UnsafeRawBufferPointer) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].elementsEqual("HTTP/1.1".utf8) else { return nil }
        method = UnsafeRawBufferPointer(rebasing: parts[0])
        target = UnsafeRawBufferPointer(rebasing: parts[1])
        guard !method.isEmpty, method.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let first = target.first else {
            return nil
        }
        guard first == UInt8(ascii: "/") || target.elementsEqual("*".utf8) else { return nil }
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { return nil }
    }
}
