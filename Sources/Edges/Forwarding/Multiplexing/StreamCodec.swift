import GatewayCore
import HTTP2Mapping
import HTTPServer
import HTTPWire
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The conversion between HTTP/1.1 and one HTTP/2 stream to a server, below the handler of an upstream connection.
final class StreamCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The request, as far as it was written.
    private enum Request {
        case head(ByteBuffer)
        case body(BodyDecoder, ByteBuffer)
        case ended
    }

    /// The response, as far as it was received.
    private enum Response {
        case head
        case body(UpstreamResponseHead.Body)
        case ended
    }

    private let connection: SharedConnection
    private let isSecure: Bool
    private let clock: () -> UInt64
    private var onEnd: ((_ isReset: Bool) -> Void)?
    private var request = Request.head(ByteBuffer())
    private var response = Response.head
    private var isHeadRequest = false
    /// The last part of the body, until it is known whether it ends the stream.
    private var heldPart: ByteBuffer?
    private var hasFailed = false
    private var isClosing = false
    /// The promise of the current write, until a frame of it is written.
    private var promise: EventLoopPromise<Void>?
    /// The timeout of the end of a stream whose response is complete.
    private var lateEnd: Scheduled<Void>?

    /// The timeout of END_STREAM after all bytes of a response.
    private static let endTimeout = TimeAmount.seconds(5)

    init(
        on connection: SharedConnection, isSecure: Bool, clock: @escaping () -> UInt64,
        onEnd: @escaping (_ isReset: Bool) -> Void
    ) {
        self.connection = connection
        self.isSecure = isSecure
        self.clock = clock
        self.onEnd = onEnd
    }

    // MARK: - Request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        self.promise = promise
        defer {
            // A part of a frame is held here.
            self.promise?.succeed()
            self.promise = nil
        }
        guard !hasFailed, part.readableBytes > 0 else { return }
        switch request {
        case .head(var buffer):
            buffer.writeBuffer(&part)
            request = .head(buffer)
            writeHead(context)
        case .body(let decoder, var buffer):
            buffer.hold(&part)
            writeBody(context, decoder, &buffer)
        case .ended: fail(context, .unsendable(.internalError, "bytes after the request"))
        }
    }

    private func writeHead(_ context: ChannelHandlerContext) {
        guard case .head(var buffer) = request else { return }
        var scanned = 0
        guard let end = buffer.withUnsafeReadableBytes({ HeadScan.end(in: $0, scanned: &scanned) }),
            let bytes = buffer.readSlice(length: end)
        else { return }
        guard connection.acceptsStreams else { return fail(context, .refused) }
        do throws(UpstreamRequestHead.Failure) {
            let head = try converted(bytes)
            isHeadRequest = head.isHeadRequest
            let endsStream = !head.framing.hasBody
            send(.headers(.init(headers: head.fields, endStream: endsStream)), context)
            guard !endsStream else { return request = .ended }
            request = .body(BodyDecoder(head.framing), ByteBuffer())
            if buffer.readableBytes > 0 { writeBody(context, BodyDecoder(head.framing), &buffer) }
        } catch {
            fail(context, Self.problem(error))
        }
    }

    private func converted(_ head: ByteBuffer) throws(UpstreamRequestHead.Failure) -> UpstreamRequestHead {
        // `withUnsafeReadableBytes` rethrows untyped errors only.
        let result: Result<UpstreamRequestHead, UpstreamRequestHead.Failure> = head.withUnsafeReadableBytes { bytes in
            Result { () throws(UpstreamRequestHead.Failure) in
                try UpstreamRequestHead(bytes, isSecure: isSecure, listLimit: connection.fieldListLimit)
            }
        }
        return try result.get()
    }

    private func writeBody(_ context: ChannelHandlerContext, _ decoder: BodyDecoder, _ buffer: inout ByteBuffer) {
        var decoder = decoder
        while true {
            switch decoder.next(from: &buffer) {
            case .needsMore:
                request = .body(decoder, buffer)
                return writeHeldPart(context, endsStream: false)
            case .data(let part):
                writeHeldPart(context, endsStream: false)
                heldPart = part
                if decoder.isComplete { return endRequest(context) }
            case .end(let trailers): return endRequest(context, trailers)
            case .malformed: return fail(context, .unsendable(.internalError, "the chunks of the request are invalid"))
            }
        }
    }

    private func writeHeldPart(_ context: ChannelHandlerContext, endsStream: Bool) {
        guard let part = heldPart ?? (endsStream ? ByteBuffer() : nil) else { return }
        heldPart = nil
        send(.data(.init(data: .byteBuffer(part), endStream: endsStream)), context)
    }

    private func send(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        let promise = promise
        self.promise = nil
        context.write(wrapOutboundOut(payload), promise: promise)
    }

    private func endRequest(_ context: ChannelHandlerContext, _ section: ByteBuffer = ByteBuffer()) {
        request = .ended
        let trailers = section.withUnsafeReadableBytes { try? UpstreamRequestHead.trailers($0) }
        guard let trailers else {
            return fail(context, .unsendable(.malformedRequest, "a trailer field cannot be sent with HTTP/2"))
        }
        guard trailers.count > 0 else { return writeHeldPart(context, endsStream: true) }
        writeHeldPart(context, endsStream: false)
        send(.headers(.init(headers: trailers, endStream: true)), context)
    }

    // MARK: - Response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        connection.lastReceived = clock()
        do throws(UpstreamResponseHead.Failure) {
            switch unwrapInboundIn(data) {
            case .headers(let headers): try read(headers, context)
            case .data(let data): try read(data, context)
            default: break
            }
        } catch {
            hasFailed = true
            guard !isClosing else { return context.close(promise: nil) }
            context.fireErrorCaught(StreamProblem.invalidResponse(error.rawValue))
        }
    }

    private func read(
        _ payload: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext
    ) throws(UpstreamResponseHead.Failure) {
        switch response {
        case .head: try readHead(payload, context)
        case .body(let body): try readTrailers(payload, body, context)
        case .ended: throw .order
        }
    }

    private func readHead(
        _ payload: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext
    ) throws(UpstreamResponseHead.Failure) {
        var output = context.channel.allocator.buffer(capacity: 512)
        let head = try UpstreamResponseHead(
            payload.headers, endsStream: payload.endStream, isHeadRequest: isHeadRequest, into: &output)
        if !head.isInterim { response = payload.endStream ? .ended : .body(head.body) }
        context.fireChannelRead(wrapInboundOut(output))
    }

    private func read(
        _ payload: HTTP2Frame.FramePayload.Data, _ context: ChannelHandlerContext
    ) throws(UpstreamResponseHead.Failure) {
        guard case .body(let body) = response else { throw .order }
        guard case .byteBuffer(let part) = payload.data else { return }
        var output = part
        switch body {
        case .none:
            guard part.readableBytes == 0 else { throw .unexpectedBody }
        case .length(let remaining):
            guard UInt64(part.readableBytes) <= remaining else { throw .bodyLength }
            let rest = remaining - UInt64(part.readableBytes)
            guard rest == 0 || !payload.endStream else { throw .bodyLength }
            response = .body(.length(rest))
        case .chunked:
            output = context.channel.allocator.buffer(capacity: part.readableBytes + 32)
            output.writeChunk(part)
            if payload.endStream { output.writeLastChunk() }
        }
        if payload.endStream { response = .ended }
        if output.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(output)) }
    }

    private func readTrailers(
        _ payload: HTTP2Frame.FramePayload.Headers, _ body: UpstreamResponseHead.Body,
        _ context: ChannelHandlerContext
    ) throws(UpstreamResponseHead.Failure) {
        guard payload.endStream else { throw .order }
        try UpstreamResponseHead.checkTrailers(payload.headers)
        switch body {
        case .none, .length(0): response = .ended
        case .length: throw .bodyLength
        case .chunked:
            response = .ended
            var output = context.channel.allocator.buffer(capacity: 256)
            output.writeLastChunk(trailers: payload.headers)
            context.fireChannelRead(wrapInboundOut(output))
        }
    }

    // MARK: - The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasFailed, !isComplete else { return }
        hasFailed = true
        context.fireErrorCaught(problem(error, streamOf: context))
    }

    private func problem(_ error: any Error, streamOf context: ChannelHandlerContext) -> StreamProblem {
        guard let closed = error as? NIOHTTP2Errors.StreamClosed else {
            return .connection(String(describing: type(of: error)))
        }
        if closed.errorCode == .refusedStream { return .refused }
        if let last = connection.lastProcessed, closed.streamID > last { return .refused }
        return .reset("RST_STREAM \(closed.errorCode.name)")
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        if !hasFailed, !isComplete {
            hasFailed = true
            // A stream that never began is not known to the server.
            if case .head = request {
                context.fireErrorCaught(StreamProblem.refused)
            } else {
                connection.hasLostStreams = true
                context.fireErrorCaught(StreamProblem.connection("the connection ended"))
            }
        }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    private func ended() {
        lateEnd?.cancel()
        onEnd?(!isComplete)
        onEnd = nil
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, !isClosing else {
            // A stream's direction ends with the request.
            promise?.succeed()
            return
        }
        isClosing = true
        switch (request, response) {
        case (.ended, .ended):
            // NIO closes the stream after this call, unless the end of the request is still to be sent.
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.eventLoop.execute { bound.value.close(promise: nil) }
            promise?.succeed()
        case (.ended, .body(.none)), (.ended, .body(.length(0))):
            // The response is complete. A server that ends the stream with a frame of its own must not receive a
            // reset, which it may count as an attack.
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            lateEnd = context.eventLoop.scheduleTask(in: Self.endTimeout) { bound.value.close(promise: nil) }
            promise?.succeed()
        default: context.close(promise: promise)
        }
    }

    /// Whether all bytes of the response were received.
    private var isComplete: Bool {
        switch response {
        case .head, .body(.chunked): false
        case .body(.none), .ended: true
        case .body(.length(let rest)): rest == 0
        }
    }

    /// Fails the stream because of a write. The handler above is notified later, because it is the caller.
    private func fail(_ context: ChannelHandlerContext, _ problem: StreamProblem) {
        hasFailed = true
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.fireErrorCaught(problem) }
    }

    private static func problem(_ failure: UpstreamRequestHead.Failure) -> StreamProblem {
        switch failure {
        case .malformed: .unsendable(.internalError, "the head cannot be converted to HTTP/2")
        case .notUTF8: .unsendable(.malformedRequest, "a field value is not UTF-8")
        case .upgrade: .unsendable(.malformedRequest, "the upstream's HTTP/2 has no upgrades")
        case .tooLarge: .unsendable(.headTooLarge, "the head is too large for the upstream's HTTP/2")
        }
    }
}
