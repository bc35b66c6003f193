package import HTTPWire
package import NIOCore

/// The reader of a message's body from received bytes, without copying.
package enum BodyReader {
    case none
    case length(UInt64)
    case chunked(ChunkDecoder)
    /// Everything up to the end of the connection; for responses only.
    case untilClose

    /// The result of reading the available bytes.
    package enum Part {
        case needsMore
        case data(ByteBuffer)
        /// The body is complete; with the field lines of the trailer section, usually empty.
        case end(trailers: ByteBuffer)
        case malformed
    }

    package init(_ framing: BodyFraming) {
        switch framing {
        case .none: self = .none
        case .untilClose: self = .untilClose
        case .length(let length): self = length == 0 ? .none : .length(length)
        case .chunked: self = .chunked(ChunkDecoder())
        }
    }

    /// Whether more bytes of the body are expected.
    package var isOpen: Bool {
        if case .none = self { false } else { true }
    }

    /// Whether the number of remaining bytes is known.
    var hasLength: Bool {
        switch self {
        case .none, .length: true
        case .chunked, .untilClose: false
        }
    }

    package mutating func next(from inbound: inout ByteBuffer) -> Part {
        switch self {
        case .none:
            return .end(trailers: ByteBuffer())
        case .length(let remaining):
            let count = Int(min(remaining, UInt64(inbound.readableBytes)))
            guard count > 0, let part = inbound.readSlice(length: count) else { return .needsMore }
            // The next call returns the end.
            self = remaining == UInt64(count) ? .none : .length(remaining - UInt64(count))
            return .data(part)
        case .untilClose:
            guard inbound.readableBytes > 0, let part = inbound.readSlice(length: inbound.readableBytes) else {
                return .needsMore
            }
            return .data(part)
        case .chunked(var decoder):
            let part = ChunkedBody.next(&decoder, from: &inbound)
            if case .end = part { self = .none } else { self = .chunked(decoder) }
            return part
        }
    }
}
