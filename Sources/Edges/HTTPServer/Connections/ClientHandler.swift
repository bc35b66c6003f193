package import GatewayCore
import HTTPWire
package import NIOCore
import NIOSSL
import NIOTLS

/// The channel handler of one client connection. It reads heads and bodies, passes on requests, writes responses and
/// checks timeouts.
///
/// ``ClientConnection`` makes the decisions. All calls happen on the worker's event loop. Properties that other modules
/// read are exempt from run-time exclusivity checks; see the ledger in `docs/internals/architecture.md`.
package final class ClientHandler: ChannelInboundHandler, Registered {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    package let connectionContext: ConnectionContext
    /// The origin of requests.
    @exclusivity(unchecked) package var origins: RequestOrigin
    /// The opening and closing of connections with TLS or a PROXY header. `nil` for a plain socket.
    let opening: ConnectionOpening?
    @exclusivity(unchecked) package var connection: ClientConnection
    @exclusivity(unchecked) package var record = RequestRecord()
    /// The handler of the connection's requests. `nil` before the first one.
    var handler: (any RequestHandler)?
    /// The head of the current request. It is kept until the end of the response, because the request may have to be
    /// sent again.
    @exclusivity(unchecked) package var head = ByteBuffer()
    /// Received bytes that are not consumed yet.
    var inbound = ByteBuffer()
    /// The offset in `inbound` up to which the end of a head was searched.
    var scanned = 0
    var body = BodyReader.none
    @exclusivity(unchecked) package var responder: (any Responder)?
    /// The state of the current stream. `nil` for an ordinary request and between requests.
    @exclusivity(unchecked) package var stream: OpenStream?
    /// The permission of a long exchange that is not a stream. `nil` if it has not been checked.
    @exclusivity(unchecked) package var longExchange: OpenStream?
    /// The listener that accepted the connection. `nil` in tests.
    var listener: ListenerSlot?
    /// The settings under which the listener accepted the connection. `nil` in tests.
    var accepted: ListenerSettings?
    /// The connection's entry in the process's budget. `nil` in tests.
    var holder: ConnectionLeaseHolder?
    /// The translation of an HTTP/2 stream. `nil` on a connection of HTTP/1.1.
    var http2: HTTP2StreamCodec?
    /// Whether the listener's admission rules have changed. No further request is accepted after the current one.
    private(set) var closesAfterResponse = false
    @exclusivity(unchecked) package var queued = QueuedWrites()
    @exclusivity(unchecked) package private(set) var writer: SocketWriter?
    /// Whether the connection is in the flush queue.
    @exclusivity(unchecked) package var isFlushDue = false
    @exclusivity(unchecked) package var turn = TurnBudget()
    package var registryIndex = 0
    @exclusivity(unchecked) package private(set) var context: ChannelHandlerContext?
    private var isAdvancing = false
    private var isReadPaused = false
    private var lingered = 0

    /// Creates a handler. `opening` has the steps before the first request, if any.
    init(connectionContext: ConnectionContext, peer: PeerAddress, opening: ConnectionOpening? = nil) {
        self.connectionContext = connectionContext
        self.opening = opening
        origins = RequestOrigin(peer: peer)
        connectionContext.readClock()
        connection = ClientConnection(now: connectionContext.time, opens: opening != nil)
    }

    /// The origin of the current request.
    package var origin: PeerAddress { origins.current }

    /// Whether the request is a stream of an HTTP/2 connection.
    package var isHTTP2: Bool { http2 != nil }

    /// Whether a response can still be sent to the client.
    package var isOpen: Bool { context != nil && connection.phase != .closed }

    /// Closes after the next response, or immediately if no response is due.
    func closeAfterResponse() {
        closesAfterResponse = true
        if connection.phase == .opening { return close() }
        guard connection.isIdle else { return }
        connection.finish()
        closeOnceSent()
    }

    /// Closes immediately to free its place for another connection. If a request or response began meanwhile, the
    /// connection stays and closes after its next response.
    func makeRoom() {
        closesAfterResponse = true
        guard isAtRest || !isOpen else {
            holder?.stay()
            return
        }
        close()
    }

    /// Whether closing loses nothing: no byte of a request is buffered, including a deferred one, and all responses are
    /// with the kernel.
    var isAtRest: Bool { http2 == nil && connection.isIdle && inbound.readableBytes == 0 && !hasUnsent }

    // MARK: - Channel events

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        writer = SocketWriter(isPlain: opening?.isSecure != true && http2 == nil)
        connectionContext.registry.add(self)
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        writer = nil
        connectionContext.registry.remove(self)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connectionContext.readClock()
        var arrived = unwrapInboundIn(data)
        switch connection.arrival() {
        case .discard:
            lingered += arrived.readableBytes
            if lingered > ConnectionLimits.lingerBytes { close() }
            return
        case .relayBody:
            connection.progress(now: connectionContext.time)
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

    /// Takes the buffered bytes out while they are processed. A property passed as `inout` would incur an exclusivity
    /// check at each access, everywhere.
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
        connectionContext.readClock()
        connection.progress(now: connectionContext.time)
        writabilityChanged()
    }

    func writabilityChanged() {
        let isWritable = isWritable
        responder?.clientWritabilityChanged(isWritable: isWritable)
        // Requests were held while the client did not read its responses.
        if isWritable { advance() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return openingWent(on: event)
        }
        switch connection.peerFinishedSending(holdsBytes: inbound.readableBytes > 0) {
        case .respondThenClose: break
        case .passOn: advance()
        case .closeOnceSent: closeOnceSent()
        case .close: close()
        case .abort: abandon(.clientClosed)
        }
    }

    /// Handles a PROXY header or the completion of the handshake.
    private func openingWent(on event: Any) {
        connectionContext.readClock()
        switch event {
        case let header as ProxyHeaderRead:
            if let source = header.source {
                let peer = PeerAddress(source, isSecure: opening?.isSecure == true, through: [])
                origins = RequestOrigin(peer: peer)
                guard holder?.client(is: peer) != false else { return close() }
            }
            if opening?.isSecure != true { connection.opened(now: connectionContext.time) }
        case let event as TLSUserEvent:
            guard case .handshakeCompleted(let negotiated) = event else { return }
            opening?.handshakeTook(connectionContext.time &- min(connectionContext.time, connection.lastProgress))
            connection.opened(now: connectionContext.time)
            if negotiated == "h2" { becomeHTTP2() }
        case is ConnectionLeaseHolder.MakeRoom:
            makeRoom()
        default:
            break
        }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        // After one direction of a tunnel has ended, the end of the other is regular. A stream ends with the last byte
        // of its response, possibly before the upstream's end arrives.
        let isRegular = stream?.isHalfClosed == true || http2?.hasSentResponse == true
        if connection.isServing { endRequest(isRegular ? .ok : .clientClosed) }
        connection.close()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset, a failed write or handshake, or an end without TLS's close notification: sent data may be truncated.
        if connection.phase == .opening { opening?.failed(error) }
        close()
    }

    /// Replaces this handler by the handlers of HTTP/2, before the first byte of a request.
    func becomeHTTP2() {
        guard let context else { return }
        do { try HTTP2Connection.install(in: self, context) } catch { close() }
    }

    // MARK: - Moving on

    /// Processes the buffered bytes, one request after the other.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while context != nil, step() {}
        // A truncated head will never be complete.
        if connection.phase == .awaitingHead, connection.peerFinished, isWritable, !turn.isDeferred {
            connection.finish()
            return closeOnceSent()
        }
        adjustReading()
    }

    /// Performs one step. Returns whether there may be more to do.
    private func step() -> Bool {
        switch connection.phase {
        case .awaitingHead:
            // A client that does not read its responses is not served further requests.
            return inbound.readableBytes > 0 && isWritable && !defersRest() && takeHead()
        case .exchanging where connection.bodyOpen:
            let served = responder
            return relayBody() || served !== responder || connection.phase != .exchanging || canResumeBody
        default:
            return false
        }
    }

    /// Whether sending the passed bytes made room immediately. `continueBody` was then called while the connection was
    /// advancing.
    private var canResumeBody: Bool { connection.isBodyHeld && responder?.acceptsBody == true }

    /// Pauses reading while the buffer limit is reached.
    package func adjustReading() {
        let holdsMuch = inbound.readableBytes >= ConnectionLimits.heldBytes
        let holdsHeads = connection.phase == .awaitingHead && (!isWritable || turn.isDeferred)
        pauseReading(holdsMuch && (connection.isServing || holdsHeads))
    }

    private func pauseReading(_ pause: Bool) {
        guard pause != isReadPaused, let context else { return }
        isReadPaused = pause
        try? context.channel.syncOptions?.setOption(.autoRead, value: !pause)
        // The channel of a stream does not read when the option changes.
        if http2 != nil, !pause { context.read() }
    }

    /// Closes immediately. The current request is abandoned and unsent data is lost.
    func close() {
        if connection.isServing { endRequest(.clientClosed) }
        connection.close()
        if isFlushDue { flushNow() }
        closeTransport()
    }

    /// Closes the transport. Over TLS it omits the close notification, so that a truncated response never appears
    /// complete, and does not wait for the peer.
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

    /// Abandons the request and closes, because its response cannot be completed. A gRPC call of HTTP/2 ends with a
    /// status, unless the client has left.
    package func abandon(_ code: DecisionCode) {
        let endsWithStatus = code != .clientClosed && connection.isServing && http2?.canEndWithStatus == true
        if connection.isServing { endRequest(code) }
        guard endsWithStatus else { return close() }
        connection.streamEnds(now: connectionContext.time)
        closeOnceSent()
    }

    private func endRequest(_ code: DecisionCode) {
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

    /// Closes after all written data is with the kernel, because closing a channel drops its pending data. If the peer
    /// is still sending, it half-closes first, so that no reset destroys the response. `tick` closes the rest.
    func closeOnceSent() {
        guard let context else { return }
        lingered = 0
        inbound = ByteBuffer()
        if let http2 { return http2.finish() }
        pauseReading(false)
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.responseSent() }
        useChannel()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    private func responseSent() {
        guard connection.phase == .finishing else { return }
        let lingers = connection.responseSent(now: connectionContext.time)
        context?.close(mode: lingers ? .output : .all, promise: nil)
    }
}

extension ClientHandler: SendingConnection {}

extension ClientHandler: RemovableChannelHandler {}

extension ClientHandler: TurnTaking {
    package func takeTurn() {
        turn.turnBegan()
        guard isOpen else { return }
        connectionContext.readClock()
        if connection.isServing { handler?.turnBegan(self) }
        advance()
        turn.readEnded()
    }
}

extension ByteBuffer {
    /// Appends received bytes to the buffered ones. Consumed bytes are released, so that a buffer that is never empty
    /// does not grow indefinitely.
    package mutating func hold(_ arrived: inout ByteBuffer) {
        guard readableBytes > 0 else {
            self = arrived
            return
        }
        if readerIndex > readableBytes { discardReadBytes() }
        writeBuffer(&arrived)
    }
}
