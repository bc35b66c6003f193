import GatewayCore
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ClientHandler {
    /// The upstream is about to be asked for a tunnel.
    package func asksForTunnel() {
        record.asksForTunnel = true
        connection.tunnelAsked()
    }

    /// The answer that was begun goes on for as long as it may: from here on the watch says until when.
    package func beginStream(_ kind: OpenStream.Kind) {
        guard connection.phase == .exchanging, let stream = handler?.openStream(kind, for: self) else { return }
        self.stream = stream
        connection.streamBegan()
        keepAlive()
    }

    /// The upstream has switched protocols: what the client has sent behind its head, and sends from now on, is the tunnel's.
    package func beginTunnel(isWebSocket: Bool) {
        beginStream(.tunnel(isWebSocket: isWebSocket))
        connection.tunnelBegan(now: front.time)
        body = .untilClose
        flush()
        advance()
    }

    /// What the upstream sends has come to its end, and all of it was passed on: the client is told, and may still send.
    package func finishOutput() {
        stream?.isHalfClosed = true
        noteEnd("the service ended it")
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.context?.close(mode: .output, promise: nil)
        }
        useChannel()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    /// What the client sends has come to its end, and all of it was passed on.
    func tunnelInputEnded() {
        stream?.isHalfClosed = true
        noteEnd("the client ended it")
        connection.bodyEnded(now: front.time)
        responder?.bodyEnded(trailers: ByteBuffer())
    }

    /// Looks after an open stream, instead of what requests are asked.
    func tick(_ stream: OpenStream, now: UInt64) {
        guard connection.phase == .exchanging else { return }
        let moment = StreamWatch.Moment(
            now: now, lastProgress: connection.lastProgress, isDraining: front.isDraining,
            idle: stream.isHalfClosed ? front.limits.idleTimeout : nil)
        if let end = stream.watch.end(at: moment, wall: front.clock.now()) {
            self.end(stream, StreamEnding(end, expired: record.expiredCode))
        } else if let code = handler?.refusal(of: stream) {
            self.end(stream, StreamEnding(refused: code))
        }
    }

    /// Ends a stream on both sides. What was passed on is still sent, and so is a close frame where one may stand; within a second.
    private func end(_ stream: OpenStream, _ ending: StreamEnding) {
        if record.code == .ok { record.code = ending.code }
        noteEnd(ending)
        if let frame = stream.closeFrameToClient(ending.closeCode, ending.closeReason) { write(frame) }
        if let responder {
            self.responder = nil
            let mask = UInt32(truncatingIfNeeded: front.requestIDs.next())
            if connection.bodyOpen, let frame = stream.closeFrameToUpstream(mask: mask) {
                responder.bodyPart(frame)
                responder.bodyFlush()
            }
            responder.clientGone()
        }
        connection.streamEnds(now: front.time)
        finish()
        head = ByteBuffer()
        closeOnceSent()
    }

    private func noteEnd(_ ending: StreamEnding) {
        if record.reason == nil { record.reason = ending.reason }
    }

    private func noteEnd(_ reason: StaticString) {
        if record.reason == nil { record.reason = "stream: \(reason)" }
    }

    /// A peer that is gone without a word is noticed although nothing is sent to it.
    private func keepAlive() {
        let options = context?.channel.syncOptions
        try? options?.setOption(.socketOption(.so_keepalive), value: 1)
        #if canImport(Glibc) || canImport(Musl)
            try? options?.setOption(
                .tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), value: Self.keepAliveSeconds)
        #endif
    }

    /// After how many idle seconds the system asks a stream's client whether it is still there.
    private static let keepAliveSeconds: SocketOptionValue = 60

    // MARK: - Exchanges that last without being streams by their type

    /// Ends an exchange that has lasted, if the user may not go on with it. Called a few times a second; young ones are not looked at.
    ///
    /// - Returns: whether it was ended.
    func endsWithoutPermission(now: UInt64) -> Bool {
        guard lasts(at: now), let code = lostPermission(at: now) else { return false }
        if record.reason == nil { record.reason = StreamEnding(refused: code).reason }
        refuseBody(Denial(code))
        return true
    }

    private func lasts(at now: UInt64) -> Bool {
        // What the gateway answers itself is not forwarded.
        guard connection.phase == .exchanging, record.forwarded > 0, record.isAuthenticated else { return false }
        if connection.bodyOpen, now >= record.forwarded &+ StreamBounds.lasting { return true }
        return connection.responseStarted && now >= record.answered &+ StreamBounds.lasting
    }

    private func lostPermission(at now: UInt64) -> DecisionCode? {
        if lasting == nil { lasting = handler?.watchExchange(of: self) }
        guard let lasting else { return nil }
        let moment = StreamWatch.Moment(now: now, lastProgress: now)
        if !hasEnd, lasting.watch.end(at: moment, wall: front.clock.now()) != nil { return record.expiredCode }
        return handler?.refusal(of: lasting)
    }

    /// Whether what is open has a length that was told at its beginning: what began rightly may then be finished without a token that is valid
    /// still, but not by somebody who was revoked.
    private var hasEnd: Bool {
        if connection.bodyOpen, !body.hasLength { return false }
        return !connection.responseStarted || responder?.answersAtLength == true
    }
}
