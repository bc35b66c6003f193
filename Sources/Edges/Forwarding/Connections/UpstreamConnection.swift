import GatewayCore
package import HTTPServer
import HTTPWire
package import NIOCore
import RequestPipeline

/// The channel handler of one connection to an upstream's server. It sends requests, reads responses and relays both
/// with back pressure.
///
/// ``UpstreamExchange`` makes the decisions. All calls happen on the worker's event loop. Properties that other modules
/// read are exempt from run-time exclusivity checks; see the ledger in `docs/internals/architecture.md`.
package final class UpstreamConnection: ChannelInboundHandler, Equatable {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The server of the connection. A stream may be moved to another one before its request begins.
    var server: Int
    /// A copy of the pool's context, because the reference through the pool is slower.
    package let connectionContext: ConnectionContext
    let pool: UpstreamPool
    @exclusivity(unchecked) package private(set) var context: ChannelHandlerContext?
    /// The client of the current request.
    var client: ClientHandler?
    var exchange: UpstreamExchange?
    var inbound = ByteBuffer()
    var scanned = 0
    var responseBody = BodyReader.none
    var delivery = UpstreamExchange.Delivery.asIs
    var trailers: TrailerFilter?
    /// Small parts of the response and of the request, which are combined into one write after the received bytes are
    /// processed.
    var gathered = ByteBuffer()
    var gatheredRequest = ByteBuffer()
    @exclusivity(unchecked) package private(set) var queued = QueuedWrites()
    @exclusivity(unchecked) package private(set) var writer: SocketWriter?
    @exclusivity(unchecked) package var isFlushDue = false {
        didSet { if !isFlushDue { isHeadUnsent = false } }
    }
    /// Whether the request's head was written but not flushed yet.
    private var isHeadUnsent = false
    private(set) var sendsChunks = false
    private(set) var requestTrailers: TrailerFilter?
    /// The requested protocol of an upgrade. `nil` without an upgrade.
    private(set) var upgrade: UpgradeRequest?
    private var requestMethod = Method.get
    private(set) var responseLimit: UInt64 = 0
    var served = 0
    private var isReadPaused = false
    @exclusivity(unchecked) package var turn = TurnBudget()
    /// The deferred end of the connection, while received bytes are not passed on yet.
    var dueEnd: DueEnd?
    var isRetired = false
    /// Whether the pool keeps the connection for a later request.
    var isIdle = false
    /// Whether the pool counts the connection as an upload.
    var holdsUpload = false
    /// Whether this is a stream of an HTTP/2 connection that served earlier requests.
    var sharesUsedConnection = false

    init(server: Int, pool: UpstreamPool) {
        self.server = server
        self.pool = pool
        connectionContext = pool.connectionContext
    }

    enum DueEnd {
        /// The server has closed its sending direction.
        case output
        case connection
    }

    package static func == (left: UpstreamConnection, right: UpstreamConnection) -> Bool { left === right }

    /// The maximum size of body parts that are combined by copying, in bytes. Larger parts are passed on without a
    /// copy.
    static let smallPart = 1024

    var method: Method { requestMethod }
    var hasServed: Bool { served > 0 || sharesUsedConnection }

    /// Sends a request's head. Its body follows through ``Responder``.
    func begin(_ request: OutgoingRequest, head: ByteBuffer, for client: ClientHandler) {
        let now = connectionContext.time
        self.client = client
        requestMethod = request.method
        sendsChunks = request.isChunked
        requestTrailers = request.trailers
        responseLimit = request.responseTimeout
        upgrade = request.upgrade
        // Only once: the second connection of a waiting request may be a reused one as well.
        let isRetryable =
            hasServed && request.isIdempotent && client.record.attempts == 1 && pool.settings.retry.onReset
        exchange = UpstreamExchange(isRetryable: isRetryable, isIdempotent: request.isIdempotent, now: now)
        served += 1
        client.record.forwarded = now
        client.record.server = server
        isHeadUnsent = true
        send(head)
    }

    /// Closes without notifying the pool, which has already removed the connection.
    func retire() {
        isRetired = true
        context?.close(promise: nil)
    }

    // MARK: - Channel events

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        writer = SocketWriter(isPlain: pool.settings.tls == nil && !isStream)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        writer = nil
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connectionContext.readClock()
        var arrived = unwrapInboundIn(data)
        guard let client, !isHeadUnsent, exchange?.bytesReceived() != nil else {
            // Bytes without a request are not a response.
            withdraw()
            return closeNow()
        }
        if inbound.readableBytes == 0 {
            inbound = arrived
        } else {
            var held = takeInbound()
            held.hold(&arrived)
            inbound = held
        }
        relayResponse(to: client)
    }

    /// Takes the buffered bytes out while they are processed; see `ClientHandler.takeInbound`.
    func takeInbound() -> ByteBuffer {
        let held = inbound
        inbound = ByteBuffer()
        return held
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        turn.readEnded()
        client?.flush()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        connectionContext.readClock()
        if context.channel.isWritable { client?.continueBody() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if !defersEnd(.output) { outputEnded() }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        connectionContext.readClock()
        if !defersEnd(.connection) { connectionEnded() }
    }

    /// Defers the end until all earlier bytes are passed on, if necessary.
    func defersEnd(_ end: DueEnd) -> Bool {
        guard turn.isDeferred, client != nil else { return false }
        dueEnd = end
        return true
    }

    private func outputEnded() {
        if exchange?.isTunnel == true { return tunnelOutputEnded() }
        withdraw()
        closeNow()
    }

    private func connectionEnded() {
        withdraw()
        ended()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        exchange?.connectionFailed()
        if let problem = error as? StreamProblem, isSettled(by: problem) { return }
        withdraw()
        closeNow()
    }

    /// Whether the connection is a stream of HTTP/2, which serves one request.
    private var isStream: Bool { pool.streams != nil }

    /// Handles the failure of a stream. Returns whether the exchange has ended.
    private func isSettled(by problem: StreamProblem) -> Bool {
        switch problem {
        case .refused, .full:
            if client?.record.attempts == 1, pool.settings.retry.onReset { exchange?.withdraw() }
            return false
        case .invalidResponse(let reason):
            client?.record.reason = reason
            fail(.upstreamInvalidResponse)
            return true
        case .unsendable(let code, let reason):
            client?.record.reason = reason
            fail(code, blaming: false)
            return true
        case .reset(let reason):
            exchange?.streamWasReset()
            client?.record.reason = reason
            return false
        case .connection(let reason):
            client?.record.reason = reason
            return false
        }
    }

    /// Withdraws an unsent request from a closed connection, so that another connection may send it.
    func withdraw() {
        guard isHeadUnsent, let client else { return }
        writer?.drop()
        gatheredRequest = ByteBuffer()
        isFlushDue = false
        let isReused = served > 1 || sharesUsedConnection
        if isReused, client.record.attempts == 1, pool.settings.retry.onReset { exchange?.withdraw() }
    }

    // MARK: - Closing

    /// Calls `body` after all written data is with the kernel or has failed.
    func afterSending(_ body: @escaping (UpstreamConnection) -> Void) {
        guard let context else { return }
        writeGatheredRequest()
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in body(self) }
        useChannel()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    func closeNow() {
        if isFlushDue { flushNow() }
        context?.close(promise: nil)
    }

    // MARK: - Back pressure

    func pauseReading() {
        guard !isReadPaused, let context else { return }
        isReadPaused = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
    }

    func resumeReading() {
        guard isReadPaused, let context else { return }
        isReadPaused = false
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        guard isStream else { return }
        // The channel of a stream does not read on its own then, and a read delivers data within the call.
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.read() }
    }
}

extension UpstreamConnection: SendingConnection {
    package func writePart(_ part: ByteBuffer, to context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(part), promise: queued.record() ? noticeOfSending(context) : nil)
    }

    /// Returns to direct writes after the channel has sent its pending data.
    func leaveChannel() {
        guard let context, let mark = writer?.requestCompletionNotice() else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { _ = self.writer?.channelSent(mark) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    private func noticeOfSending(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            guard self.queued.stepSent() else { return }
            self.client?.continueBody()
        }
        return promise
    }
}

extension UpstreamConnection: TurnTaking {
    /// Whether the deferred bytes have reached the buffer limit.
    var holdsMuch: Bool { turn.isDeferred && inbound.readableBytes >= ConnectionLimits.heldBytes }

    package func takeTurn() {
        turn.turnBegan()
        connectionContext.readClock()
        if let client { relayResponse(to: client) }
        turn.readEnded()
        if let client {
            clientWritabilityChanged(isWritable: client.isWritable)
            client.flush()
        }
        guard !turn.isDeferred, let end = dueEnd else { return }
        dueEnd = nil
        switch end {
        case .output: outputEnded()
        case .connection: connectionEnded()
        }
    }
}
