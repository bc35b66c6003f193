import HTTP2Mapping
import NIOCore
import NIOHTTP2

/// The response of one HTTP/2 stream, converted to HTTP/1.1 frame by frame, as a pure value.
struct StreamResponse {
    private enum State {
        case head
        case body(UpstreamResponseHead.Body)
        case ended
    }

    /// Whether the response is to HEAD.
    var isHeadRequest = false
    private var state = State.head

    /// Whether all bytes of the response were received. The end of the stream may still follow.
    var isComplete: Bool {
        switch state {
        case .head, .body(.chunked): false
        case .body(.none), .ended: true
        case .body(.length(let rest)): rest == 0
        }
    }

    /// Whether the stream has ended with the response.
    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Converts a frame. Returns `nil` if it adds no bytes.
    mutating func read(
        _ frame: HTTP2Frame.FramePayload, _ allocator: ByteBufferAllocator
    ) throws(UpstreamResponseHead.Failure) -> ByteBuffer? {
        switch frame {
        case .headers(let headers): try read(headers, allocator)
        case .data(let data): try read(data, allocator)
        default: nil
        }
    }

    private mutating func read(
        _ headers: HTTP2Frame.FramePayload.Headers, _ allocator: ByteBufferAllocator
    ) throws(UpstreamResponseHead.Failure) -> ByteBuffer? {
        switch state {
        case .head: return try readHead(headers, allocator)
        case .body(let body): return try readTrailers(headers, body, allocator)
        case .ended: throw .order
        }
    }

    private mutating func readHead(
        _ headers: HTTP2Frame.FramePayload.Headers, _ allocator: ByteBufferAllocator
    ) throws(UpstreamResponseHead.Failure) -> ByteBuffer {
        var output = allocator.buffer(capacity: 512)
        let head = try UpstreamResponseHead(
            headers.headers, endsStream: headers.endStream, isHeadRequest: isHeadRequest, into: &output)
        if !head.isInterim { state = headers.endStream ? .ended : .body(head.body) }
        return output
    }

    private mutating func read(
        _ data: HTTP2Frame.FramePayload.Data, _ allocator: ByteBufferAllocator
    ) throws(UpstreamResponseHead.Failure) -> ByteBuffer? {
        guard case .body(let body) = state else { throw .order }
        guard case .byteBuffer(let part) = data.data else { return nil }
        var output = part
        switch body {
        case .none:
            guard part.readableBytes == 0 else { throw .unexpectedBody }
        case .length(let remaining):
            guard UInt64(part.readableBytes) <= remaining else { throw .bodyLength }
            let rest = remaining - UInt64(part.readableBytes)
            guard rest == 0 || !data.endStream else { throw .bodyLength }
            state = .body(.length(rest))
        case .chunked:
            output = allocator.buffer(capacity: part.readableBytes + 32)
            output.writeChunk(part)
            if data.endStream { output.writeLastChunk() }
        }
        if data.endStream { state = .ended }
        return output.readableBytes > 0 ? output : nil
    }

    private mutating func readTrailers(
        _ headers: HTTP2Frame.FramePayload.Headers, _ body: UpstreamResponseHead.Body, _ allocator: ByteBufferAllocator
    ) throws(UpstreamResponseHead.Failure) -> ByteBuffer? {
        guard headers.endStream else { throw .order }
        try UpstreamResponseHead.checkTrailers(headers.headers)
        switch body {
        case .none, .length(0):
            state = .ended
            return nil
        case .length: throw .bodyLength
        case .chunked:
            state = .ended
            var output = allocator.buffer(capacity: 256)
            output.writeLastChunk(trailers: headers.headers)
            return output
        }
    }
}
