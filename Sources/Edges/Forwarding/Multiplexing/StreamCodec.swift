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

    /// The parts of the request that were written.
    private enum Request {
        case head(ByteBuffer)
        case body(BodyDecoder, ByteBuffer)
        case ended
    }

    private let connection: SharedConnection
    private let isSecure: Bool
    private let clock: () -> UInt64
    private let deadline: () -> UInt64
    private var onEnd: ((_ isReset: Bool) -> Void)?
    private var request = Request.head(ByteBuffer())
    private var response = StreamResponse()
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
        deadline: @escaping () -> UInt64,
        onEnd: @escaping (_ isReset: Bool) -> Void
    ) {
        self.connection = connection
        self.isSecure = isSecure
        self.clock = clock
        self.deadline = deadline
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
            response.isHeadRequest = head.isHeadRequest
            let endsStream = !head.framing.hasBody
            sendHead(.headers(.init(headers: head.fields, endStream: endsStream)), context)
            guard !endsStream else { return request = .ended }
            request = .body(BodyDecoder(head.framing), ByteBuffer())
            if buffer.readableBytes > 0 { writeBody(context, BodyDecoder(head.framing), &buffer) }
        } catch {
            fail(context, StreamProblem(error))
        }
    }

    private func converted(_ head: ByteBuffer) throws(UpstreamRequestHead.Failure) -> UpstreamRequestHead {
        // `withUnsafeReadableBytes` rethrows untyped errors only.
        let result: Result<UpstreamRequestHead, UpstreamRequestHead.Failure> = head.withUnsafeReadableBytes { bytes in
            Result { () throws(UpstreamRequestHead.Failure) in
                try UpstreamRequestHead(
                    bytes, isSecure: isSecure, listLimit: connection.fieldListLimit, timeLeft: timeLeft)
            }
        }
        return try result.get()
    }

    /// The rest of the request's `grpc-timeout`, in nanoseconds. `nil` without one.
    private var timeLeft: UInt64? {
        let (deadline, now) = (deadline(), clock())
        guard deadline > 0 else { return nil }
        return deadline > now ? deadline - now : 0
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

    /// Sends the first frame. NIO drops it if the connection received GOAWAY before the flush, and reports this only to
    /// the write.
    private func sendHead(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.cascade(to: promise)
        promise = nil
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.futureResult.whenFailure { _ in
            let (codec, context) = bound.value
            guard !codec.hasFailed, !codec.isClosing else { return }
            codec.fail(context, .refused)
        }
        context.write(wrapOutboundOut(payload), promise: sent)
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
            guard let output = try response.read(unwrapInboundIn(data), context.channel.allocator) else { return }
            context.fireChannelRead(wrapInboundOut(output))
        } catch {
            hasFailed = true
            if error == .notUTF8 { connection.stopAfterReplacedBytes() }
            guard !isClosing else { return context.close(promise: nil) }
            context.fireErrorCaught(StreamProblem.invalidResponse(error.rawValue))
        }
    }

    // MARK: - The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !hasFailed, !response.isComplete else { return }
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
        if !hasFailed, !response.isComplete {
            hasFailed = true
            // A stream that never began is not known to the server.
            if !hasBegun {
                context.fireErrorCaught(StreamProblem.refused)
            } else {
                connection.hasLostStreams = true
                context.fireErrorCaught(StreamProblem.connection("the connection ended"))
            }
        }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    /// Whether the server may know the stream.
    private var hasBegun: Bool {
        if case .head = request { false } else { true }
    }

    private func ended() {
        lateEnd?.cancel()
        onEnd?(hasBegun && !response.isComplete)
        onEnd = nil
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, !isClosing else {
            // A stream's direction ends with the request.
            promise?.succeed()
            return
        }
        isClosing = true
        switch (isRequestSent, response.isComplete, response.hasEnded) {
        case (true, _, true):
            // NIO closes the stream after this call, unless the end of the request is still to be sent.
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.eventLoop.execute { bound.value.close(promise: nil) }
            promise?.succeed()
        case (true, true, false):
            // The response is complete. A server that ends the stream with a frame of its own must not receive a
            // reset, which it may count as an attack.
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            lateEnd = context.eventLoop.scheduleTask(in: Self.endTimeout) { bound.value.close(promise: nil) }
            promise?.succeed()
        default: context.close(promise: promise)
        }
    }

    private var isRequestSent: Bool {
        if case .ended = request { true } else { false }
    }

    /// Fails the stream because of a write. The handler above is notified later, because it is the caller.
    private func fail(_ context: ChannelHandlerContext, _ problem: StreamProblem) {
        hasFailed = true
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.fireErrorCaught(problem) }
    }
}
