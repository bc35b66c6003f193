internal import HTTPWire

/// Chunked bodies: however the bytes are split, the decoder tells the same, and it is what a plain reading tells.
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

/// What came of a body.
private struct Decoded: Equatable {
    var payload: [UInt8] = []
    var trailers: [UInt8] = []
    /// How many bytes were consumed.
    var consumed = 0
    var refusal: ChunkError?
    var isFinished = false

    /// What was consumed of refused bytes depends on the splits and on nothing that matters.
    static func == (one: Decoded, other: Decoded) -> Bool {
        one.payload == other.payload && one.trailers == other.trailers && one.isFinished == other.isFinished
            && one.refusal == other.refusal && (one.refusal != nil || one.consumed == other.consumed)
    }
}

/// Feeds `input` in pieces of the lengths that `step` gives for what is left of it.
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

/// Takes all that the first `fed` bytes hold.
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

/// Trailers that the decoder takes, the trailer parser takes too, but for their number.
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

/// The same body, in chunks as a gateway writes them, has the same payload and trailers.
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
