extension ChunkDecoder {
    /// Looks for the end of the trailer section, which begins at `start` and of which `scanned` bytes were searched.
    /// Its bytes stay unconsumed until it is whole, so that they need not be kept here.
    mutating func trailers(
        _ base: UnsafeRawPointer, from start: Int, count: Int, _ scanned: Int
    ) throws(ChunkError) -> Event {
        let section = UnsafeRawBufferPointer(start: base + start, count: count &- start)
        if section[0] == 0x0D { return try withoutTrailers(section, start) }
        var scanned = scanned
        guard let length = HeadScan.end(in: section, scanned: &scanned) else {
            guard section.count < ChunkDecoder.maximumTrailers else { throw .trailersTooLarge }
            state = .trailers(scanned: scanned)
            return .needsMore(consumed: start)
        }
        guard length <= ChunkDecoder.maximumTrailers else { throw .trailersTooLarge }
        try validate(UnsafeRawBufferPointer(rebasing: section[..<length]))
        return finish(start &+ length, trailers: start..<start &+ length)
    }

    /// The section begins with CR: it is the empty line alone.
    private mutating func withoutTrailers(_ section: UnsafeRawBufferPointer, _ start: Int) throws(ChunkError) -> Event {
        guard section.count >= 2 else { return .needsMore(consumed: start) }
        guard section[1] == 0x0A else { throw .malformedTrailers(.malformed(reason: "bare CR")) }
        return finish(start &+ 2, trailers: start &+ 2..<start &+ 2)
    }

    private mutating func finish(_ consumed: Int, trailers: Range<Int>) -> Event {
        state = .finished
        return .end(consumed: consumed, trailers: trailers)
    }

    private func validate(_ section: UnsafeRawBufferPointer) throws(ChunkError) {
        do throws(HeadError) {
            let input = try HeadInput(section, HeadLimits(size: ChunkDecoder.maximumTrailers))
            let end = try FieldLines.validate(input, from: 0, limit: ChunkDecoder.maximumTrailerFields)
            guard end == input.count else { throw .malformed(reason: "bytes after the trailers") }
        } catch {
            throw .malformedTrailers(error)
        }
    }
}
