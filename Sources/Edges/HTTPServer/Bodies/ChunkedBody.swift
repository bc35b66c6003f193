import HTTPWire
package import NIOCore

/// The decoding of a chunked body from received bytes, payload by payload, without copying.
package enum ChunkedBody {
    static func next(_ decoder: inout ChunkDecoder, from inbound: inout ByteBuffer) -> BodyReader.Part {
        let event: ChunkDecoder.Event
        do throws(ChunkError) {
            event = try step(&decoder, inbound)
        } catch {
            return .malformed
        }
        switch event {
        case .needsMore(let consumed):
            inbound.moveReaderIndex(forwardBy: consumed)
            return .needsMore
        case .payload(let range):
            inbound.moveReaderIndex(forwardBy: range.lowerBound)
            return inbound.readSlice(length: range.count).map { .data($0) } ?? .needsMore
        case .end(let consumed, let trailers):
            let section = inbound.getSlice(at: inbound.readerIndex + trailers.lowerBound, length: trailers.count)
            inbound.moveReaderIndex(forwardBy: consumed)
            return .end(trailers: section ?? ByteBuffer())
        }
    }

    /// Returns whether a body that begins with `inbound` is malformed within its first `parts` parts.
    package static func isMalformed(_ inbound: ByteBuffer, parts: Int) -> Bool {
        var (decoder, rest) = (ChunkDecoder(), inbound)
        for _ in 0..<parts {
            switch next(&decoder, from: &rest) {
            case .data: continue
            case .malformed: return true
            case .needsMore, .end: return false
            }
        }
        return false
    }

    private static func step(
        _ decoder: inout ChunkDecoder, _ inbound: ByteBuffer
    ) throws(ChunkError) -> ChunkDecoder.Event {
        // `withUnsafeReadableBytes` rethrows untyped errors only.
        var result: Result<ChunkDecoder.Event, ChunkError> = .success(.needsMore(consumed: 0))
        inbound.withUnsafeReadableBytes { bytes in
            do throws(ChunkError) {
                result = .success(try decoder.next(bytes))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}
