import GatewayCore
import NIOCore

/// The channel handler below NIO's HTTP/2 handler. It passes frames through ``InboundFrames`` and ``OutboundFrames``,
/// and flushes the streams of a connection together.
final class FrameGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = ByteBuffer

    let connection: HTTP2Connection
    private var inbound: InboundFrames
    private var outbound: OutboundFrames
    private var context: ChannelHandlerContext?
    private var credit = 0
    private var discarded = 0
    private var isFlushDue = false

    init(_ connection: HTTP2Connection) {
        self.connection = connection
        inbound = InboundFrames(connection.limits, now: connection.connectionContext.time)
        outbound = OutboundFrames(
            streams: connection.limits.streams, headerListSize: connection.connectionContext.limits.headSize)
    }

    var lastStream: UInt32 { inbound.lastStream }
    var eventLoop: (any EventLoop)? { context?.eventLoop }

    /// Whether the client owes the rest of its preface, SETTINGS, its acknowledgement, or of a head.
    func isLate(now: UInt64, began: UInt64, limit: UInt64) -> Bool {
        if !inbound.hasSettings || !inbound.hasAcknowledgement { return now > began &+ limit }
        return inbound.headBegan.map { now > $0 &+ limit } ?? false
    }

    private var isClosing: Bool {
        if case .closing = connection.end { true } else { false }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    // MARK: - Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.connectionContext.readClock()
        let arrived = unwrapInboundIn(data)
        guard !isClosing else {
            discarded += arrived.readableBytes
            if discarded > ConnectionLimits.lingerBytes { connection.stop() }
            return
        }
        let result = inbound.receive(arrived, now: connection.connectionContext.time)
        credit += result.credit
        if let failure = result.failure { return connection.fail(failure) }
        // The client sends without a window, because it has not received all of it again.
        if credit > connection.limits.connectionWindow { return connection.fail(.controlFrames) }
        if result.passed.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(result.passed)) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        returnCredit(context)
        context.fireChannelReadComplete()
    }

    /// Opens the window of the connection by the bytes of removed DATA. A client that does not read gets no further
    /// frames.
    private func returnCredit(_ context: ChannelHandlerContext) {
        let isDue = credit >= min(HTTP2Limits.credit, connection.limits.connectionWindow / 2)
        guard credit > 0, isDue, !isClosing, context.channel.isWritable else { return }
        var frame = context.channel.allocator.buffer(capacity: 16)
        frame.writeWindowUpdate(UInt32(clamping: credit))
        credit = 0
        context.write(wrapOutboundOut(frame), promise: nil)
        flush(context: context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.connectionContext.readClock()
        connection.writabilityChanged(isWritable: context.channel.isWritable)
        returnCredit(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ended()
        context.fireChannelInactive()
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing, case .byteBuffer(var buffer) = unwrapOutboundIn(data) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let written = outbound.write(&buffer)
        context.write(wrapOutboundOut(buffer), promise: promise)
        for _ in 0..<written.dataFrames { inbound.sentData() }
        if let stream = written.resetStream {
            let isWithinLimit = inbound.sentReset(
                stream, errorCode: written.resetCode, now: connection.connectionContext.time)
            if !isWithinLimit { connection.fail(.resets) }
        }
        if written.hasFailed { connection.fail(.protocolError, isSent: true) }
    }

    func flush(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return flushNow() }
        guard !isFlushDue else { return }
        isFlushDue = true
        connection.connectionContext.flushes.add(self)
    }

    // MARK: - The end

    /// Writes GOAWAY below NIO, which would refuse further streams at once.
    func sendGoAway(lastStream: UInt32, errorCode: UInt32) {
        guard let context else { return }
        var frame = context.channel.allocator.buffer(capacity: 32)
        frame.writeGoAway(lastStream: lastStream, errorCode: errorCode)
        context.write(wrapOutboundOut(frame), promise: nil)
        flush(context: context)
    }

    /// Closes the sending direction after everything written is sent.
    func finish() {
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.context?.close(mode: .output, promise: nil) }
        isFlushDue = false
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    func close() {
        context?.close(promise: nil)
    }
}

extension FrameGuard: Flushable {
    func flushNow() {
        isFlushDue = false
        context?.flush()
    }
}
