internal import HTTPWire

/// Chunked bodies: every split gives the same result, which is that of a plain reader.
public func fuzzChunks(_ input: UnsafeRawBufferPointer) {
    var seed = InputSeed(input)
    let whole = withExactCopy(input) { bytes in decoded(bytes) { $0 } }
    let byBytes = decoded(input) { _ in 1 }
    let bySplits = decoded(input) { _ in Int.random(in: 1...7, using: &seed) }
    let byPieces = decoded(input) { Int.random(in: 1...max($0, 1), using: &seed) }
    require(byBytes == whole, "single bytes give what the whole gives")
    require(bySplits == whole, "small splits give what the whole gives")
    require(byPieces == whole, "random splits give what the whole gives")
    let plain = PlainChunks.read([UInt8](input))
    require(
        (whole.refusal == nil && whole.isFinished) == (plain != nil), "what is accepted is what a plain reading takes")
    guard let plain, whole.isFinished else { return }
    require(plain.payload == whole.payload && plain.trailers == whole.trailers, "a plain reading reads the same")
    require(plain.rest == input.count - whole.consumed, "the body ends where a plain reading ends it")
    checkTrailers(whole.trailers)
    checkWrittenAnew(whole)
}

/// The result of decoding a body.
private struct Decoded: Equatable {
    var payload: [UInt8] = []
    var trailers: [UInt8] = []
    var consumed = 0
    var refusal: ChunkError?
    var isFinished = false

    /// The number of consumed bytes of a rejected body depends on the splits.
    static func == (one: Decoded, other: Decoded) -> Bool {
        one.payload == other.payload && one.trailers == other.trailers && one.isFinished == other.isFinished
            && one.refusal == other.refusal && (one.refusal != nil || one.consumed == other.consumed)
    }
}

/// Feeds `input` in pieces; `step` returns the length of a piece for the number of bytes that are left.
private func decoded(_ input: UnsafeRawBufferPointer, step: (Int) -> Int) -> Decoded {
    var decoder = ChunkDecoder()
    var result = Decoded()
    var fed = 0
    while fed < input.count, result.refusal == nil, !result.isFinished {
        fed = min(input.count, fed + step(input.count - fed))
        take(&decoder, input, fed, &result)
        let isOver = result.isFinished || result.refusal != nil
        require(isOver || fed - result.consumed <= ChunkDecoder.maximumTrailers, "what stays unread is bounded")
    }
    return result
}

/// Decodes the first `fed` bytes.
private func take(_ decoder: inout ChunkDecoder, _ input: UnsafeRawBufferPointer, _ fed: Int, _ result: inout Decoded) {
    while true {
        let unread = input.part(result.consumed..<fed)
        let event: ChunkDecoder.Event
        do throws(ChunkError) {
            event = try decoder.next(unread)
        } catch {
            result.refusal = error
            return
        }
        switch event {
        case .payload(let range):
            require(!range.isEmpty, "payload is at least a byte")
            result.payload += unread[range]
            result.consumed += range.upperBound
        case .needsMore(let consumed):
            result.consumed += consumed
            return
        case .end(let consumed, let trailers):
            require(trailers.upperBound == consumed, "trailers end the body")
            result.trailers = Array(unread[trailers])
            result.consumed += consumed
            result.isFinished = true
            return
        }
    }
}

/// The trailer parser accepts the trailers of the decoder, whatever their number.
private func checkTrailers(_ section: [UInt8]) {
    section.withUnsafeBytes { bytes in
        let fields = FieldTable(capacity: 65_535)
        do throws(HeadError) {
            try TrailerParser.parse(bytes, fields: fields, limits: HeadLimits(fields: 65_535))
        } catch {
            require(false, "what the decoder takes for trailers the parser takes")
        }
        require(
            fields.count == section.count { $0 == 10 } - (section.isEmpty ? 0 : 1), "each line of trailers is a field")
    }
}

/// The body in the chunks of a gateway has the same payload and trailers.
private func checkWrittenAnew(_ body: Decoded) {
    var written: [UInt8] = []
    if !body.payload.isEmpty { written += header(body.payload.count) + body.payload + [13, 10] }
    written += header(0) + (body.trailers.isEmpty ? [13, 10] : body.trailers)
    let again = written.withUnsafeBytes { bytes in decoded(bytes) { $0 } }
    require(again.isFinished && again.payload == body.payload, "written anew, the payload is the same")
    require(
        again.trailers == body.trailers && again.consumed == written.count, "written anew, the trailers are the same")
}

private func header(_ size: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ChunkHeader.maximumLength) { output, count in
        count = ChunkHeader.write(UInt64(size), into: UnsafeMutableRawBufferPointer(output))
    }
}

/// A plain reader of RFC 9112 section 7.1 with our bounds, to compare with.
private struct PlainChunks {
    var payload: [UInt8] = []
    var trailers: [UInt8] = []
    var rest: ArraySlice<UInt8>

    /// Returns `nil` if the bytes are not a whole body.
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

    /// Consumes a line and its CR LF. Returns `nil` without one, or if a bare CR or LF comes first.
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

    /// Consumes the trailers and the empty line after them.
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
