import GatewayCore
import NIOCore

/// The channel handler below NIO's HTTP/2 handler. It passes frames through ``InboundFrames`` and ``OutboundFrames``,
/// and flushes the streams of a connection together. While frames wait for the connection's next turn, it reads nothing
/// from the socket.
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
    var turn = TurnBudget()
    /// Whether a read of the socket waits for the deferred frames.
    private var isReadHeld = false
    /// Whether the end of the client's sending direction waits for the deferred frames.
    private var isInputEndHeld = false

    init(_ connection: HTTP2Connection) {
        self.connection = connection
        inbound = InboundFrames(connection.limits, now: connection.connectionContext.time)
        outbound = OutboundFrames(
            streams: connection.limits.streams, headerListSize: connection.connectionContext.limits.headSize)
    }

    var lastStream: UInt32 { inbound.lastStream }

    /// Returns whether a number at NIO is that of a late head, which is not a stream of the client.
    func isLateHead(_ number: Int) -> Bool {
        !inbound.numbering.isIdentity && inbound.numbering.stream(of: UInt32(clamping: number)) == nil
    }

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
        connection.received()
        let arrived = unwrapInboundIn(data)
        guard !isClosing else {
            discarded += arrived.readableBytes
            if discarded > ConnectionLimits.lingerBytes { connection.stop() }
            return
        }
        receive(arrived, context)
    }

    private func receive(_ arrived: ByteBuffer, _ context: ChannelHandlerContext) {
        let result = inbound.receive(arrived, now: connection.connectionContext.time)
        credit += result.credit
        if inbound.isDeferred, turn.deferRest() { connectionContext.turns.add(self) }
        if let failure = result.failure { return connection.fail(failure) }
        // The client sends without a window, because it has not received all of it again.
        if credit > connection.limits.connectionWindow { return connection.fail(.controlFrames) }
        if result.passed.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(result.passed)) }
        if inbound.numbering.isWorn { connection.retire() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !inbound.isDeferred { inbound.beginTurn() }
        returnCredit(context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        guard !inbound.isDeferred else {
            isReadHeld = true
            return
        }
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if inbound.isDeferred, case .some(ChannelEvent.inputClosed) = event as? ChannelEvent {
            isInputEndHeld = true
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Continues with the socket after the last deferred frame.
    private func resume(_ context: ChannelHandlerContext) {
        guard !inbound.isDeferred else { return }
        if isInputEndHeld {
            isInputEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
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
        inbound.discardDeferred()
        connection.ended()
        context.fireChannelInactive()
    }

    // MARK: - Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing, case .byteBuffer(var buffer) = unwrapOutboundIn(data) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let written = outbound.write(&buffer, inbound.numbering)
        guard !written.isMisframed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return connection.fail(.encoding)
        }
        guard !written.isUnknown else {
            promise?.succeed()
            return
        }
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

    /// Writes PING below NIO, which accepts the acknowledgement of a PING that it did not send.
    func sendPing() {
        guard let context else { return }
        var frame = context.channel.allocator.buffer(capacity: 32)
        frame.writePing()
        inbound.sentPing()
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

extension FrameGuard: TurnTaking {
    var connectionContext: ConnectionContext { connection.connectionContext }

    func takeTurn() {
        turn.turnBegan()
        guard let context, inbound.isDeferred else { return }
        connectionContext.readClock()
        if isClosing {
            inbound.discardDeferred()
        } else {
            inbound.beginTurn()
            receive(ByteBuffer(), context)
        }
        returnCredit(context)
        context.fireChannelReadComplete()
        resume(context)
    }
}
