package import HTTPWire
package import NIOCore

/// The reader of an HTTP/1.1 body, which returns its payload without framing and without copying.
package struct BodyDecoder: Sendable {
    package enum Part: Sendable {
        case needsMore
        case data(ByteBuffer)
        /// The end, with the field lines of the trailer section, usually empty.
        case end(trailers: ByteBuffer)
        case malformed
    }

    private enum State: Sendable {
        case none
        case length(UInt64)
        case chunked(ChunkDecoder)
        case untilClose
    }

    private var state: State

    package init(_ framing: BodyFraming) {
        state =
            switch framing {
            case .none, .length(0): .none
            case .length(let length): .length(length)
            case .chunked: .chunked(ChunkDecoder())
            case .untilClose: .untilClose
            }
    }

    /// Whether the body has ended, or is absent.
    package var isComplete: Bool {
        if case .none = state { true } else { false }
    }

    /// Returns the next part of the buffered bytes. After the end, it returns the end again.
    package mutating func next(from buffer: inout ByteBuffer) -> Part {
        switch state {
        case .none: return .end(trailers: ByteBuffer())
        case .length(let remaining):
            let count = Int(min(remaining, UInt64(buffer.readableBytes)))
            guard count > 0, let part = buffer.readSlice(length: count) else { return .needsMore }
            state = remaining == UInt64(count) ? .none : .length(remaining - UInt64(count))
            return .data(part)
        case .untilClose:
            guard buffer.readableBytes > 0, let part = buffer.readSlice(length: buffer.readableBytes) else {
                return .needsMore
            }
            return .data(part)
        case .chunked(var decoder):
            let part = Self.next(&decoder, from: &buffer)
            if case .end = part { state = .none } else { state = .chunked(decoder) }
            return part
        }
    }

    private static func next(_ decoder: inout ChunkDecoder, from buffer: inout ByteBuffer) -> Part {
        // `withUnsafeReadableBytes` rethrows untyped errors only.
        let event: ChunkDecoder.Event? = buffer.withUnsafeReadableBytes { try? decoder.next($0) }
        switch event {
        case nil: return .malformed
        case .needsMore(let consumed):
            buffer.moveReaderIndex(forwardBy: consumed)
            return .needsMore
        case .payload(let range):
            buffer.moveReaderIndex(forwardBy: range.lowerBound)
            return buffer.readSlice(length: range.count).map { .data($0) } ?? .needsMore
        case .end(let consumed, let trailers):
            let section = buffer.getSlice(at: buffer.readerIndex + trailers.lowerBound, length: trailers.count)
            buffer.moveReaderIndex(forwardBy: consumed)
            return .end(trailers: section ?? ByteBuffer())
        }
    }
}
