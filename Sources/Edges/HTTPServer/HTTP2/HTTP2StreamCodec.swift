import GatewayCore
import HTTP2Mapping
import HTTPWire
import JOSE
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The channel handler of one stream, below its ``ClientHandler``. It translates the request to HTTP/1.1, and the
/// response to HTTP/2.
final class HTTP2StreamCodec: ChannelDuplexHandler, Registered {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    let connection: HTTP2Connection
    /// The handler of the stream's request. `nil` after the stream has ended.
    private(set) var client: ClientHandler?
    var registryIndex = 0
    /// The translation of the response. `nil` before the head of the request.
    private var response: ResponseMapping?
    private var framing = BodyFraming.none
    private var requestEnded = false
    /// Whether the response has opened a tunnel.
    private var hasTunnel: Bool { response?.hasOpenedTunnel == true }
    private var context: ChannelHandlerContext?
    private var isReset = false
    /// Whether a denial is sent in place of the response, whose rest is dropped.
    private var isReplaced = false
    /// The bytes of the head in the connection's budget.
    var headBytes = 0

    init(_ connection: HTTP2Connection, _ client: ClientHandler) {
        self.connection = connection
        self.client = client
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        release()
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        release()
    }

    private func release() {
        connection.remove(self)
        client?.http2 = nil
        client = nil
        context = nil
    }

    // MARK: - The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isReset else { return }
        switch unwrapInboundIn(data) {
        case .headers(let part):
            if response == nil {
                receiveHead(part.headers, endsStream: part.endStream, context)
            } else {
                receiveTrailers(part.headers, endsStream: part.endStream, context)
            }
        case .data(let part):
            guard case .byteBuffer(let bytes) = part.data else { return }
            receiveData(bytes, endsStream: part.endStream, context)
        default: break
        }
    }

    private func receiveHead(_ headers: HPACKHeaders, endsStream: Bool, _ context: ChannelHandlerContext) {
        // A late head is not a stream that the client could send again.
        guard !isLate(context) else {
            checkDecoder(headers)
            return reset(.refusedStream, context)
        }
        guard connection.acceptsStream else {
            checkDecoder(headers)
            connection.refusedStream()
            return reset(.refusedStream, context)
        }
        connection.streams.add(self)
        requestEnded = endsStream
        let limits = connection.connectionContext.limits
        do throws(RequestMapping.Failure) {
            let head = try RequestMapping.head(
                of: headers, endsStream: endsStream,
                limits: RequestMapping.Limits(fields: limits.headFields, size: limits.headSize), webSocketKey: newKey)
            guard connection.hold(headOf: self, bytes: head.bytes.readableBytes) else {
                connection.remove(self)
                connection.refusedStream()
                return reset(.refusedStream, context)
            }
            response = ResponseMapping(method: head.method, isTunnel: head.isTunnel)
            framing = head.framing
            context.fireChannelRead(wrapInboundOut(head.bytes))
        } catch {
            response = ResponseMapping(method: headers.first(name: ":method") == "HEAD" ? .head : .get)
            client?.refuseHead(Denial(error.decisionCode), isGRPC: RequestMapping.isGRPC(headers), reason: error.reason)
            checkDecoder(headers)
        }
    }

    /// Ends the connection after a rejected message with a field that is not UTF-8. NIO's compression table then holds
    /// a longer text than the client's, drops entries earlier, and would take a later reference for an error.
    private func checkDecoder(_ rejected: HPACKHeaders) {
        if FieldSyntax.isRepaired(rejected) { connection.retire() }
    }

    /// Returns whether the stream is only that of a late head; see ``StreamNumbering``. Its reset is not sent.
    private func isLate(_ context: ChannelHandlerContext) -> Bool {
        guard let frames = connection.frames,
            let number = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        else { return false }
        return frames.isLateHead(Int(number))
    }

    /// Returns a `Sec-WebSocket-Key` (RFC 6455 section 4.1): 16 random bytes. It is no secret.
    private func newKey() -> String {
        let (first, second) = connection.connectionContext.requestIDs.nextPair()
        var bytes: [UInt8] = []
        withUnsafeBytes(of: (first, second)) { bytes.append(contentsOf: $0) }
        return Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/") + "=="
    }

    private func receiveData(_ bytes: ByteBuffer, endsStream: Bool, _ context: ChannelHandlerContext) {
        guard response?.hasEnded == false || hasTunnel else { return }
        var part = bytes
        if framing == .chunked, bytes.readableBytes > 0 || endsStream {
            part = context.channel.allocator.buffer(capacity: bytes.readableBytes + 32)
            part.writeChunk(bytes)
            if endsStream { part.writeLastChunk() }
        }
        if endsStream { requestEnded = true }
        if part.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(part)) }
        if endsStream { tunnelInputEnded() }
    }

    private func receiveTrailers(_ trailers: HPACKHeaders, endsStream: Bool, _ context: ChannelHandlerContext) {
        let head = connection.connectionContext.limits
        let limits = RequestMapping.Limits(fields: head.headFields, size: head.headSize)
        guard endsStream, RequestMapping.areTrailers(trailers, limits: limits) else {
            checkDecoder(trailers)
            return reset(.protocolError, context)
        }
        requestEnded = true
        // A body with a length has no place for trailers in HTTP/1.1.
        if framing == .chunked, response?.hasEnded == false {
            var part = context.channel.allocator.buffer(capacity: 256)
            part.writeLastChunk(trailers: trailers)
            context.fireChannelRead(wrapInboundOut(part))
        }
        tunnelInputEnded()
    }

    /// Passes the end of the client's direction on to an open tunnel.
    private func tunnelInputEnded() {
        guard hasTunnel, requestEnded, let context else { return }
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    // MARK: - The response

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isReset, !isReplaced, response != nil else {
            promise?.succeed()
            return
        }
        response?.append(unwrapOutboundIn(data))
        // The last frame is held back, because the end of the response may follow.
        var last: HTTP2Frame.FramePayload?
        while let part = response?.next(fields: connection.connectionContext.streamFields) {
            if case .headTooLarge = part, replaceResponse() { continue }
            guard let frame = frame(for: part, &last) else {
                promise?.succeed()
                return fail(part, context)
            }
            if let last { context.write(wrapOutboundOut(last), promise: nil) }
            last = frame
        }
        guard let last else {
            promise?.succeed()
            return
        }
        if response?.hasEnded == true {
            writeLast(last, context, promise)
        } else {
            context.write(wrapOutboundOut(last), promise: promise)
        }
    }

    /// Returns the frame for a part of the response. The end of the body is added to the data before it.
    private func frame(
        for part: ResponseMapping.Part, _ last: inout HTTP2Frame.FramePayload?
    ) -> HTTP2Frame.FramePayload? {
        switch part {
        case .interim(let headers): return .headers(.init(headers: headers))
        case .head(let headers, let endsStream):
            if hasTunnel, requestEnded { endTunnelInputLater() }
            return .headers(.init(headers: headers, endStream: endsStream))
        case .data(let bytes): return .data(.init(data: .byteBuffer(bytes)))
        case .end(let trailers):
            guard trailers.isEmpty else { return .headers(.init(headers: trailers, endStream: true)) }
            guard case .data(let data) = last else {
                return .data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))
            }
            last = nil
            return .data(.init(data: data.data, endStream: true))
        case .headTooLarge, .trailersTooLarge, .invalid: return nil
        }
    }

    /// Writes the frame that ends the response. The rest of an unfinished request is then refused without an error (RFC
    /// 9113 section 8.1), after the response was sent, because a reset drops what is not.
    private func writeLast(
        _ frame: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        guard !requestEnded else { return context.write(wrapOutboundOut(frame), promise: promise) }
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess {
            guard let context = self.context, !self.requestEnded else { return }
            self.reset(.noError, context)
        }
        context.write(wrapOutboundOut(frame), promise: sent)
    }

    private func endTunnelInputLater() {
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.tunnelInputEnded() }
    }

    /// Puts a denial in the place of a response whose head is too large. Returns whether that is possible.
    private func replaceResponse() -> Bool {
        guard !isReplaced, let client else { return false }
        isReplaced = true
        client.record.reason = "the head of the response exceeds one frame of HTTP/2"
        let denial = Denial(.upstreamInvalidResponse)
        client.record.code = denial.code
        client.record.status = denial.code.status
        var bytes = ByteBuffer()
        let additions = client.record.additions ?? client.handler?.additions
        ProblemResponse(denial: denial, record: client.record, closes: false, additions: additions)
            .write(into: &bytes, date: connection.connectionContext.dateLine())
        var denied = ResponseMapping(method: client.record.isHead ? .head : .get)
        denied.append(bytes)
        response = denied
        return true
    }

    /// Handles a response that cannot be sent.
    private func fail(_ part: ResponseMapping.Part, _ context: ChannelHandlerContext) {
        if case .trailersTooLarge = part {
            client?.record.reason = "the trailers of the response exceed one frame of HTTP/2"
        } else {
            client?.record.reason = "the response has no form in HTTP/2"
        }
        reset(.internalError, context)
    }

    private func reset(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
        guard !isReset else { return }
        isReset = true
        context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
    }

    // MARK: - The end

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .output:
            finish(keepsInput: true)
            promise?.succeed()
        case .input: promise?.succeed()
        case .all:
            if response?.hasBegun == true, response?.hasEnded == false { reset(.internalError, context) }
            context.close(mode: .all, promise: promise)
        }
    }

    /// The status of a gRPC call that the gateway ends after the head of its response. `nil` for other requests.
    private var finalTrailers: HPACKHeaders? {
        guard let record = client?.record, record.wantsGRPC, record.code != .ok, record.code != .clientClosed else {
            return nil
        }
        let denial = GRPCDenial(Denial(record.code), requestID: record.idText, isPastDeadline: record.isPastDeadline)
        var trailers: HPACKHeaders = [:]
        trailers.append("grpc-status", String(denial.status))
        trailers.append("grpc-message", "\(record.code.wire)")
        return trailers
    }

    /// Whether the stream is a gRPC call that can still end with a status after the head of its response.
    var canEndWithStatus: Bool {
        guard let response, client?.record.wantsGRPC == true else { return false }
        return response.hasBegun && !response.hasEnded && !hasTunnel && !isReset
    }

    /// Whether the whole response was written.
    var hasSentResponse: Bool { response?.hasEnded == true && !isReset }

    /// Ends the sending direction after all written data is sent: a tunnel with END_STREAM, an incomplete
    /// response with a reset, or with its status if it is one of gRPC. A complete response has ended the stream.
    ///
    /// - Parameter keepsInput: Whether a tunnel still receives.
    func finish(keepsInput: Bool = false) {
        guard let context, !isReset else { return }
        guard let response, response.hasBegun else { return context.close(promise: nil) }
        if response.hasEnded {
            // The client may still send into a tunnel that has ended.
            if hasTunnel, !requestEnded, !keepsInput { reset(.noError, context) }
            return
        }
        if hasTunnel {
            self.response?.endTunnel()
            let frame = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))
            if keepsInput {
                context.write(wrapOutboundOut(frame), promise: nil)
            } else {
                writeLast(frame, context, nil)
            }
            context.flush()
        } else if let trailers = finalTrailers {
            self.response?.endTunnel()
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenFailure { _ in
                // The response announced a length, or the stream has ended.
                if let context = self.context { self.reset(.internalError, context) }
            }
            writeLast(.headers(.init(headers: trailers, endStream: true)), context, sent)
            context.flush()
        } else {
            let sent = context.eventLoop.makePromise(of: Void.self)
            sent.futureResult.assumeIsolated().whenComplete { _ in
                if let context = self.context { self.reset(.internalError, context) }
            }
            context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer())))), promise: sent)
        }
    }
}
