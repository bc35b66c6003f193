import HTTPWire
import NIOCore

/// One client connection's I/O: reads heads and bodies, hands requests over, writes answers, keeps time.
///
/// What follows from what is decided by ``ClientConnection``. Everything happens on the worker's event loop.
final class ClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let front: ServerFront
    /// The peer, as the socket tells.
    let peer: PeerAddress
    var connection: ClientConnection
    var record = RequestRecord()
    /// The head of the request being served. Kept until its answer has ended: a request may have to be sent again.
    var head = ByteBuffer()
    /// What arrived and was not consumed yet.
    var inbound = ByteBuffer()
    /// How far `inbound` has been searched for the end of a head.
    var scanned = 0
    var body = BodyReader.none
    var responder: (any Responder)?
    var registryIndex = 0
    private(set) var context: ChannelHandlerContext?
    private var isAdvancing = false
    private var isReadPaused = false
    private var lingered = 0

    init(front: ServerFront, peer: PeerAddress) {
        self.front = front
        self.peer = peer
        connection = ClientConnection(now: front.clock.monotonic())
    }

    /// Whether the client can still be answered.
    var isOpen: Bool { context != nil && connection.phase != .closed }

    // MARK: - Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        front.registry.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        front.registry.remove(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        switch connection.arrival() {
        case .discard:
            lingered += arrived.readableBytes
            if lingered > ConnectionLimits.lingerBytes { close() }
            return
        case .relayBody:
            connection.progress(now: front.clock.monotonic())
        case .readHead, .hold:
            break
        }
        if inbound.readableBytes == 0 {
            inbound = arrived
        } else {
            inbound.writeBuffer(&arrived)
        }
        advance()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard inbound.readableBytes == 0 else { return }
        inbound = ByteBuffer()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        connection.progress(now: front.clock.monotonic())
        responder?.clientWritabilityChanged(isWritable: context.channel.isWritable)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(ChannelEvent.inputClosed) = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        switch connection.peerFinishedSending() {
        case .answerThenClose: break
        case .close: close()
        case .abort: abandon(.clientClosed)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if connection.isServing { giveUp(.clientClosed) }
        connection.close()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset or a failed write: the channel closes, and `channelInactive` settles what was open.
        close()
    }

    // MARK: - Moving on

    /// Does what the bytes at hand allow, one request after the other.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while context != nil {
            let phase = connection.phase
            if phase == .awaitingHead {
                guard takeHead() else { break }
            } else if phase == .exchanging, connection.bodyOpen {
                guard relayBody() else { break }
            } else {
                break
            }
        }
        // Of a head that was cut short, nothing more will come.
        if connection.phase == .awaitingHead, connection.peerFinished { return close() }
        adjustReading()
    }

    /// Reading pauses while more is held than may be, or the responder takes no more.
    func adjustReading() {
        guard let context else { return }
        let pause = connection.isServing && inbound.readableBytes >= ConnectionLimits.heldBytes
        guard pause != isReadPaused else { return }
        isReadPaused = pause
        try? context.channel.syncOptions?.setOption(.autoRead, value: !pause)
    }

    /// Closes now; what was written before is still sent.
    func close() {
        connection.close()
        context?.close(promise: nil)
    }

    /// Gives up the request and closes: its answer cannot be finished.
    func abandon(_ code: DecisionCode) {
        giveUp(code)
        close()
    }

    private func giveUp(_ code: DecisionCode) {
        if record.code == .ok { record.code = code }
        if record.status == 0 { record.status = code.status }
        if let responder {
            self.responder = nil
            responder.clientGone()
        } else {
            front.handler?.abandoned(self)
        }
        connection.close()
        front.handler?.finished(self)
    }

    /// Half-closes, so that the peer reads the answer although it still sends; `tick` closes the rest.
    func linger() {
        guard let context else { return }
        lingered = 0
        inbound = ByteBuffer()
        if isReadPaused {
            isReadPaused = false
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
        context.close(mode: .output, promise: nil)
    }
}
