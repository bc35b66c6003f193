package import GatewayCore
import HTTPWire
package import NIOCore
import NIOSSL
import NIOTLS

/// One client connection's I/O: reads heads and bodies, hands requests over, writes answers, keeps time.
///
/// What follows from what is decided by ``ClientConnection``. Everything happens on the worker's event loop.
/// Properties that other modules read are exempt from run-time exclusivity checks; see the ledger in `docs/architecture.md`.
package final class ClientHandler: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    package let front: ConnectionContext
    /// Whom requests come from.
    @exclusivity(unchecked) package var origins: RequestOrigin
    /// How it is opened and closed where it is more than a socket; nil: it is none.
    let opening: ConnectionOpening?
    @exclusivity(unchecked) package var connection: ClientConnection
    @exclusivity(unchecked) package var record = RequestRecord()
    /// Decides the connection's requests; `nil` before the first one.
    var handler: (any RequestHandler)?
    /// The head of the request being served. Kept until its answer has ended: a request may have to be sent again.
    @exclusivity(unchecked) package var head = ByteBuffer()
    /// What arrived and was not consumed yet.
    var inbound = ByteBuffer()
    /// How far `inbound` has been searched for the end of a head.
    var scanned = 0
    var body = BodyReader.none
    @exclusivity(unchecked) package var responder: (any Responder)?
    /// What is known of the stream that is being served; nil: an ordinary request, or none.
    @exclusivity(unchecked) package var stream: OpenStream?
    /// What is known of the permission of an exchange that lasts and is no stream; nil: it was not looked at.
    @exclusivity(unchecked) package var lasting: OpenStream?
    /// Where it came in; nil in tests.
    var listener: ListenerSlot?
    /// Its place among the process's connections; nil in tests.
    var holder: ConnectionHolder?
    /// Its listener lets others in now: no more requests are taken after the one it serves.
    private(set) var isOutdated = false
    @exclusivity(unchecked) package var queued = QueuedWrites()
    @exclusivity(unchecked) package private(set) var writer: SocketWriter?
    /// It is in the queue of those that are flushed next.
    @exclusivity(unchecked) package var isFlushDue = false
    @exclusivity(unchecked) package var turn = TurnBudget()
    var registryIndex = 0
    @exclusivity(unchecked) package private(set) var context: ChannelHandlerContext?
    private var isAdvancing = false
    private var isReadPaused = false
    private var lingered = 0

    /// - Parameter opening: what has to be done before the first request; nil: nothing.
    init(front: ConnectionContext, peer: PeerAddress, opening: ConnectionOpening? = nil) {
        self.front = front
        self.opening = opening
        origins = RequestOrigin(peer: peer)
        front.readClock()
        connection = ClientConnection(now: front.time, opens: opening != nil)
    }

    /// Whom the current request comes from.
    package var origin: PeerAddress { origins.current }

    /// Whether the client can still be answered.
    package var isOpen: Bool { context != nil && connection.phase != .closed }

    /// Ends with the next answer; at once where none is owed.
    func outdate() {
        isOutdated = true
        if connection.phase == .opening { return close() }
        guard connection.isIdle else { return }
        connection.finish()
        closeOnceSent()
    }

    /// Ends at once, so that another connection has its place. Where a request or an answer is under way since it was found idle, it stays and
    /// ends with its next answer.
    func makeRoom() {
        isOutdated = true
        guard isAtRest || !isOpen else {
            holder?.stay()
            return
        }
        close()
    }

    /// Whether closing takes nothing from the client: no byte of a request is here, also none of a request that is deferred, and all answers are
    /// with the kernel.
    var isAtRest: Bool { connection.isIdle && inbound.readableBytes == 0 && !hasUnsent }

    // MARK: - Channel events

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        writer = SocketWriter(isPlain: opening?.isSecure != true)
        front.registry.add(self)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        writer = nil
        front.registry.remove(self)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        front.readClock()
        var arrived = unwrapInboundIn(data)
        switch connection.arrival() {
        case .discard:
            lingered += arrived.readableBytes
            if lingered > ConnectionLimits.lingerBytes { close() }
            return
        case .relayBody:
            connection.progress(now: front.time)
        case .readHead, .hold:
            break
        }
        hold(&arrived)
        advance()
    }

    private func hold(_ arrived: inout ByteBuffer) {
        guard inbound.readableBytes > 0 else {
            inbound = arrived
            return
        }
        var held = takeInbound()
        held.hold(&arrived)
        inbound = held
    }

    /// What is at hand, taken out while it is worked on: a variable that is lent to a call pays a check at each access, everywhere.
    func takeInbound() -> ByteBuffer {
        let held = inbound
        inbound = ByteBuffer()
        return held
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        turn.readEnded()
        guard inbound.readableBytes == 0 else { return }
        inbound = ByteBuffer()
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        front.readClock()
        connection.progress(now: front.time)
        writabilityChanged()
    }

    func writabilityChanged() {
        let isWritable = isWritable
        responder?.clientWritabilityChanged(isWritable: isWritable)
        // Requests were held while the client did not read its answers.
        if isWritable { advance() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return openingWent(on: event)
        }
        switch connection.peerFinishedSending(holdsBytes: inbound.readableBytes > 0) {
        case .answerThenClose: break
        case .passOn: advance()
        case .closeOnceSent: closeOnceSent()
        case .close: close()
        case .abort: abandon(.clientClosed)
        }
    }

    /// A PROXY header was read, or the handshake is complete.
    private func openingWent(on event: Any) {
        front.readClock()
        switch event {
        case let header as ProxyHeaderRead:
            if let source = header.source {
                let peer = PeerAddress(source, isSecure: opening?.isSecure == true, through: [])
                origins = RequestOrigin(peer: peer)
                guard holder?.client(is: peer) != false else { return close() }
            }
            if opening?.isSecure != true { connection.opened(now: front.time) }
        case let event as TLSUserEvent:
            guard case .handshakeCompleted = event else { return }
            opening?.handshakeTook(front.time &- min(front.time, connection.lastProgress))
            connection.opened(now: front.time)
        case is ConnectionHolder.MakeRoom:
            makeRoom()
        default:
            break
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        // Once one half of a tunnel has ended, its other half ends it in order.
        if connection.isServing { giveUp(stream?.isHalfClosed == true ? .ok : .clientClosed) }
        connection.close()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset, a failed write or handshake, or an end without TLS's own: what was sent may have been cut short.
        if connection.phase == .opening { opening?.failed(error) }
        close()
    }

    // MARK: - Moving on

    /// Does what the bytes at hand allow, one request after the other.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while context != nil, step() {}
        // Of a head that was cut short, nothing more will come.
        if connection.phase == .awaitingHead, connection.peerFinished, isWritable, !turn.isDeferred {
            connection.finish()
            return closeOnceSent()
        }
        adjustReading()
    }

    /// - Returns: whether there may be more to do.
    private func step() -> Bool {
        switch connection.phase {
        case .awaitingHead:
            // A client that does not read its answers is not served further ones.
            return inbound.readableBytes > 0 && isWritable && !defersRest() && takeHead()
        case .exchanging where connection.bodyOpen:
            let served = responder
            return relayBody() || served !== responder || connection.phase != .exchanging || hasRoomAgain
        default:
            return false
        }
    }

    /// Sending what was passed on made room at once; `continueBody` was told so while the connection was advancing.
    private var hasRoomAgain: Bool { connection.isBodyHeld && responder?.acceptsBody == true }

    /// Reading pauses while as much is held as may be.
    package func adjustReading() {
        let holdsMuch = inbound.readableBytes >= ConnectionLimits.heldBytes
        let holdsHeads = connection.phase == .awaitingHead && (!isWritable || turn.isDeferred)
        pauseReading(holdsMuch && (connection.isServing || holdsHeads))
    }

    private func pauseReading(_ pause: Bool) {
        guard pause != isReadPaused, let context else { return }
        isReadPaused = pause
        try? context.channel.syncOptions?.setOption(.autoRead, value: !pause)
    }

    /// Closes at once: what is still served is given up, what is not sent yet is lost.
    func close() {
        if connection.isServing { giveUp(.clientClosed) }
        connection.close()
        if isFlushDue { flushNow() }
        closeTransport()
    }

    /// Ends the connection as it is. Over TLS without its own end, so that an answer that was cut short never looks complete, and without
    /// waiting for the peer's.
    private func closeTransport() {
        guard let context else { return }
        if opening?.isSecure == true,
            let below = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        {
            below.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    /// Gives up the request and closes: its answer cannot be finished.
    package func abandon(_ code: DecisionCode) {
        if connection.isServing { giveUp(code) }
        close()
    }

    private func giveUp(_ code: DecisionCode) {
        if record.code == .ok { record.code = code }
        if record.status == 0 { record.status = code.status }
        connection.close()
        if let responder {
            self.responder = nil
            responder.clientGone()
        } else {
            handler?.abandoned(self)
        }
        finish()
    }

    /// Closes once what was written is with the kernel: a channel that is closed drops what it still holds. Where the peer
    /// still sends, half-closes first, so that no reset destroys the answer; `tick` closes the rest.
    func closeOnceSent() {
        guard let context else { return }
        lingered = 0
        inbound = ByteBuffer()
        pauseReading(false)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.answerSent() }
        useChannel()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    private func answerSent() {
        guard connection.phase == .finishing else { return }
        let lingers = connection.answerSent(now: front.time)
        context?.close(mode: lingers ? .output : .all, promise: nil)
    }
}

extension ClientHandler: SendingConnection {}

extension ClientHandler: TurnTaking {
    package func takeTurn() {
        turn.turnBegan()
        guard isOpen else { return }
        front.readClock()
        advance()
        turn.readEnded()
    }
}

extension ByteBuffer {
    /// Adds what arrived to what is held. What was consumed is let go of, so that a buffer that is never quite empty does not
    /// grow with everything that went through it.
    package mutating func hold(_ arrived: inout ByteBuffer) {
        guard readableBytes > 0 else {
            self = arrived
            return
        }
        if readerIndex > readableBytes { discardReadBytes() }
        writeBuffer(&arrived)
    }
}
