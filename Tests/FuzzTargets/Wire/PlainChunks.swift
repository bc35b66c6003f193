internal import HTTPWire

/// A chunked body, read whole and line by line by the words of RFC 9112 section 7.1 and our bounds: slow and plain, to
/// compare with.
struct PlainChunks {
    var payload: [UInt8] = []
    var trailers: [UInt8] = []
    var rest: ArraySlice<UInt8>

    /// Nil when the bytes are no whole body.
    static func read(_ bytes: [UInt8]) -> (payload: [UInt8], trailers: [UInt8], rest: Int)? {
        var body = PlainChunks(rest: bytes[...])
        while let size = body.size() {
            if size == 0 { return body.readTrailers() ? (body.payload, body.trailers, body.rest.count) : nil }
            guard body.rest.count >= size + 2, body.takeChunk(size) else { return nil }
        }
        return nil
    }

    private mutating func takeChunk(_ size: Int) -> Bool {
        payload += rest.prefix(size)
        rest = rest.dropFirst(size)
        defer { rest = rest.dropFirst(2) }
        return rest.starts(with: [13, 10])
    }

    /// The bytes up to the next CR LF, which is taken too; nil without one, or where a bare CR or LF comes first.
    private mutating func line() -> [UInt8]? {
        guard let end = rest.firstIndex(where: { $0 == 13 || $0 == 10 }), rest[end...].starts(with: [13, 10]) else {
            return nil
        }
        defer { rest = rest[(end + 2)...] }
        return Array(rest[..<end])
    }

    private mutating func size() -> Int? {
        guard let line = line() else { return nil }
        let digits = line.prefix { isHexadecimal($0) }
        let suffix = line.dropFirst(digits.count)
        guard (1...16).contains(digits.count), suffix.first.map({ $0 == 0x3B }) ?? true else { return nil }
        guard suffix.count <= ChunkDecoder.maximumExtension, areExtensions(suffix[...]) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: 16).flatMap { $0 <= .max - 2 ? $0 : nil }
    }

    /// Reads up to and with the empty line; that alone is no trailers.
    private mutating func readTrailers() -> Bool {
        var fields = 0
        while let line = line() {
            trailers += line + [13, 10]
            if line.isEmpty {
                if trailers.count == 2 { trailers = [] }
                return trailers.count <= ChunkDecoder.maximumTrailers && fields <= ChunkDecoder.maximumTrailerFields
            }
            fields += 1
            let name = line.prefix { $0 != 0x3A }
            guard !name.isEmpty, name.count < line.count, name.allSatisfy(isTokenByte), line.allSatisfy(isText) else {
                return false
            }
        }
        return false
    }
}

/// Semicolons, each with a token and perhaps `=` and a token or a quoted string.
private func areExtensions(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while !rest.isEmpty {
        guard rest.popFirst() == 0x3B, takeToken(&rest) else { return false }
        guard rest.first == 0x3D else { continue }
        rest = rest.dropFirst()
        guard rest.first == 0x22 ? takeQuoted(&rest) : takeToken(&rest) else { return false }
    }
    return true
}

private func takeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let token = rest.prefix { isTokenByte($0) }
    rest = rest.dropFirst(token.count)
    return !token.isEmpty
}

private func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
        if byte == 0x22 { return true }
        guard isText(byte == 0x5C ? rest.popFirst() ?? 0 : byte) else { return false }
    }
    return false
}

private func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 9 }

private func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
}
