import GatewayCore
package import HTTPServer
import HTTPWire
package import NIOCore
import RequestPipeline

/// One connection to an upstream's server: sends requests, reads answers, relays both with back pressure.
///
/// What follows from what is decided by ``UpstreamExchange``. Everything happens on the worker's event loop.
/// Properties that other modules read are exempt from run-time exclusivity checks; see the ledger in `docs/architecture.md`.
package final class UpstreamConnection: ChannelInboundHandler, Equatable {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    let server: Int
    /// Apart from the pool, whose reference costs more to follow.
    package let front: ConnectionContext
    let pool: UpstreamPool
    @exclusivity(unchecked) package private(set) var context: ChannelHandlerContext?
    /// The client whose request is being served.
    var client: ClientHandler?
    var exchange: UpstreamExchange?
    var inbound = ByteBuffer()
    var scanned = 0
    var answerBody = BodyReader.none
    var delivery = UpstreamExchange.Delivery.asIs
    var trailers: TrailerFilter?
    /// Small parts of the answer, and of the request, that are written together once what arrived is used up.
    var gathered = ByteBuffer()
    var gatheredRequest = ByteBuffer()
    @exclusivity(unchecked) package private(set) var queued = QueuedWrites()
    @exclusivity(unchecked) package private(set) var writer: SocketWriter?
    @exclusivity(unchecked) package var isFlushDue = false {
        didSet { if !isFlushDue { isHeadUnsent = false } }
    }
    /// The request's head was written and not flushed yet.
    private var isHeadUnsent = false
    private(set) var sendsChunks = false
    private(set) var requestTrailers: TrailerFilter?
    /// The protocol that the upstream is asked to switch to; nil: none.
    private(set) var upgrade: UpgradeRequest?
    private var requestMethod = Method.get
    private(set) var responseLimit: UInt64 = 0
    private var served = 0
    private var isReadPaused = false
    @exclusivity(unchecked) package var turn = TurnBudget()
    /// The connection has ended, but not all that it brought was passed on.
    private var dueEnd: DueEnd?
    private var isRetired = false
    /// Kept by the pool for the next request.
    var isIdle = false
    /// Counts for the pool as one that holds an upload.
    var holdsUpload = false

    init(server: Int, pool: UpstreamPool) {
        self.server = server
        self.pool = pool
        front = pool.front
    }

    private enum DueEnd {
        /// The server sends nothing more.
        case output
        case connection
    }

    package static func == (left: UpstreamConnection, right: UpstreamConnection) -> Bool { left === right }

    /// Parts of a body up to this size, in bytes, are copied together; larger ones are passed on as they came.
    static let smallPart = 1024

    var method: Method { requestMethod }
    var hasServed: Bool { served > 0 }

    /// Sends a request's head; its body follows through ``Responder``.
    func begin(_ request: OutgoingRequest, head: ByteBuffer, for client: ClientHandler) {
        let now = front.time
        self.client = client
        requestMethod = request.method
        sendsChunks = request.isChunked
        requestTrailers = request.trailers
        responseLimit = request.responseTimeout
        upgrade = request.upgrade
        // Once: a request that waited for its second connection may get one that served before, too.
        let maySendAgain =
            hasServed && request.isIdempotent && client.record.attempts == 1 && pool.settings.retry.onReset
        exchange = UpstreamExchange(maySendAgain: maySendAgain, isIdempotent: request.isIdempotent, now: now)
        served += 1
        client.record.forwarded = now
        isHeadUnsent = true
        send(head)
    }

    /// Closes without telling the pool: it has forgotten the connection already.
    func retire() {
        isRetired = true
        context?.close(promise: nil)
    }

    // MARK: - Channel events

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        writer = SocketWriter(isPlain: pool.settings.tls == nil)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        writer = nil
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        front.readClock()
        var arrived = unwrapInboundIn(data)
        guard let client, !isHeadUnsent, exchange?.bytesCame() != nil else {
            // Nothing was asked: whatever this answers, it is no answer of ours.
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
        relayAnswer(to: client)
    }

    /// What is at hand, taken out while it is worked on, as of the client's.
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
        front.readClock()
        if context.channel.isWritable { client?.continueBody() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        if !defersEnd(.output) { outputEnded() }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        front.readClock()
        if !defersEnd(.connection) { connectionEnded() }
    }

    /// Whether the end has to wait until everything that came before it was passed on.
    private func defersEnd(_ end: DueEnd) -> Bool {
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
        withdraw()
        closeNow()
    }

    /// The connection is of no use any more: a request that was not sent yet never is, and another connection may have it.
    private func withdraw() {
        guard isHeadUnsent, let client else { return }
        writer?.drop()
        gatheredRequest = ByteBuffer()
        isFlushDue = false
        if served > 1, client.record.attempts == 1, pool.settings.retry.onReset { exchange?.withdraw() }
    }

    // MARK: - The ends of an exchange

    /// The connection has closed; told more than once.
    func ended() {
        guard !defersEnd(.connection) else { return }
        settleEnd()
        guard !isRetired else { return }
        isRetired = true
        pool.closed(self)
    }

    /// The upstream's connection has ended while a request was on it.
    private func settleEnd() {
        guard let client, let exchange else { return }
        switch exchange.ending() {
        case .complete:
            self.client = nil
            // Ended by the upstream's close: the last chunk says so.
            if delivery == .chunked { client.write(ByteBuffer(staticString: "0\r\n\r\n")) }
            finishAnswer(of: client)
        case .sendAgain:
            self.client = nil
            client.serveAgain()
        case .unanswered: unanswered(.upstreamUnreachable)
        case .brokenHead: unanswered(.upstreamInvalidResponse)
        // How a tunnel ends says nothing of the server.
        case .brokenBody: fail(.upstreamInvalidResponse, blaming: !exchange.isTunnel)
        }
    }

    /// The connection ended before an answer: that of another server will do where the request may be sent again.
    private func unanswered(_ code: DecisionCode) {
        // A connection that served before may have been closed for having been idle: that says nothing of the server.
        if served == 1 || code == .upstreamInvalidResponse { blame(code) }
        if !sendsElsewhere(after: .reset) { fail(code, blaming: false) }
    }

    /// The answer cannot be had: the client is told if nothing of it was sent, else cut off, so that it sees the answer is not whole.
    func fail(_ code: DecisionCode, blaming: Bool = true) {
        guard let client else { return closeNow() }
        if blaming { blame(code) }
        self.client = nil
        client.responder = nil
        if client.connection.responseStarted {
            client.abandon(code)
        } else {
            client.deny(Denial(code))
        }
        closeNow()
    }

    /// The answer is complete: the connection goes back to the pool, if both sides can use it again.
    func complete(for client: ClientHandler) {
        let isReusable = exchange?.isReusable == true && inbound.readableBytes == 0 && dueEnd == nil
        self.client = nil
        // The connection may be another's by the time that the client is found gone.
        client.responder = nil
        exchange = nil
        inbound = ByteBuffer()
        resumeReading()
        if isReusable {
            leaveChannel()
            // That may have found it broken: then the pool has forgotten it already.
            if !isRetired { pool.released(self) }
        } else {
            closeNow()
        }
        finishAnswer(of: client)
    }

    private func finishAnswer(of client: ClientHandler) {
        client.flush()
        client.endAnswer()
    }

    /// A tunnel's directions end one by one.
    func allowHalfClosure() {
        try? context?.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    }

    /// Tells the upstream, behind all that was written, that nothing more comes.
    func finishOutput() {
        afterSending { $0.context?.close(mode: .output, promise: nil) }
    }

    /// Does something once all that was written is with the kernel, or never will be.
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
    }
}

extension UpstreamConnection: SendingConnection {
    package func give(_ part: ByteBuffer, to context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(part), promise: queued.note() ? noticeOfSending(context) : nil)
    }

    /// The next request need not go through the channel, once that has sent what it has.
    private func leaveChannel() {
        guard let context, let mark = writer?.askBack() else { return }
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
    /// As much waits for the next turn as may be held.
    var holdsMuch: Bool { turn.isDeferred && inbound.readableBytes >= ConnectionLimits.heldBytes }

    package func takeTurn() {
        turn.turnBegan()
        front.readClock()
        if let client { relayAnswer(to: client) }
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
