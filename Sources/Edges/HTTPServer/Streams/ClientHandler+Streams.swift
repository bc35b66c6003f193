import GatewayCore
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ClientHandler {
    /// Prepares the connection for a tunnel request to the upstream.
    package func requestsTunnel() {
        record.requestsTunnel = true
        connection.tunnelRequested()
    }

    /// Continues the current response as a stream, limited by its watch.
    package func beginStream(_ kind: OpenStream.Kind) {
        guard connection.phase == .exchanging, let stream = handler?.openStream(kind, for: self) else { return }
        self.stream = stream
        connection.streamBegan()
        keepAlive()
    }

    /// Begins a tunnel after the upstream has switched protocols. All bytes after the head belong to the tunnel.
    package func beginTunnel(isWebSocket: Bool) {
        beginStream(.tunnel(isWebSocket: isWebSocket))
        connection.tunnelBegan(now: connectionContext.time)
        body = .untilClose
        flush()
        advance()
    }

    /// Ends the direction to the client after all data of the upstream was passed on. The client may still send.
    package func finishOutput() {
        stream?.isHalfClosed = true
        recordEnd("the upstream ended the tunnel")
        guard let context else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.context?.close(mode: .output, promise: nil)
        }
        useChannel()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    /// Ends the direction to the upstream after all data of the client was passed on.
    func tunnelInputEnded() {
        stream?.isHalfClosed = true
        recordEnd("the client ended the tunnel")
        connection.bodyEnded(now: connectionContext.time)
        responder?.bodyEnded(trailers: ByteBuffer())
    }

    /// Checks an open stream instead of the timeouts of requests.
    func tick(_ stream: OpenStream, now: UInt64) {
        guard connection.phase == .exchanging else { return }
        let moment = StreamWatch.Moment(
            now: now, lastProgress: connection.lastProgress, isDraining: connectionContext.isDraining,
            idle: stream.isHalfClosed ? connectionContext.limits.idleTimeout : nil)
        if let end = stream.watch.end(at: moment, wall: connectionContext.clock.now()) {
            self.end(stream, StreamEnding(end, expired: record.expiredCode))
        } else if let code = handler?.refusal(of: stream) {
            self.end(stream, StreamEnding(refused: code))
        }
    }

    /// Ends a stream on both sides. Passed data and, at a frame boundary, a close frame are still sent within a second.
    private func end(_ stream: OpenStream, _ ending: StreamEnding) {
        if record.code == .ok { record.code = ending.code }
        recordEnd(ending)
        if let frame = stream.closeFrameToClient(ending.closeCode, ending.closeReason) { write(frame) }
        if let responder {
            self.responder = nil
            let mask = UInt32(truncatingIfNeeded: connectionContext.requestIDs.next())
            if connection.bodyOpen, let frame = stream.closeFrameToUpstream(mask: mask) {
                responder.bodyPart(frame)
                responder.bodyFlush()
            }
            responder.clientGone()
        }
        connection.streamEnds(now: connectionContext.time)
        finish()
        head = ByteBuffer()
        closeOnceSent()
    }

    private func recordEnd(_ ending: StreamEnding) {
        if record.reason == nil { record.reason = ending.reason }
    }

    private func recordEnd(_ reason: StaticString) {
        if record.reason == nil { record.reason = "stream: \(reason)" }
    }

    /// Enables TCP keep-alive, so that a vanished peer is detected although no data is sent to it.
    private func keepAlive() {
        guard http2 == nil else { return }
        let options = context?.channel.syncOptions
        try? options?.setOption(.socketOption(.so_keepalive), value: 1)
        #if canImport(Glibc) || canImport(Musl)
            try? options?.setOption(
                .tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), value: Self.keepAliveSeconds)
        #endif
    }

    /// The idle time before the system probes a stream's client, in seconds.
    private static let keepAliveSeconds: SocketOptionValue = 60

    // MARK: - Exchanges that last without being streams by their type

    /// Ends a long exchange if the user's permission is gone, and returns whether it was ended. Called several times
    /// per second; short exchanges are not checked.
    func endsWithoutPermission(now: UInt64) -> Bool {
        guard lasts(at: now), let code = lostPermission(at: now) else { return false }
        if record.reason == nil { record.reason = StreamEnding(refused: code).reason }
        refuseBody(Denial(code))
        return true
    }

    private func lasts(at now: UInt64) -> Bool {
        // Responses of the gateway itself are not forwarded.
        guard connection.phase == .exchanging, record.forwarded > 0, record.hasCredential else { return false }
        if connection.bodyOpen, now >= record.forwarded &+ StreamBounds.recheckAge { return true }
        return connection.responseStarted && now >= record.responded &+ StreamBounds.recheckAge
    }

    private func lostPermission(at now: UInt64) -> DecisionCode? {
        if longExchange == nil { longExchange = handler?.watchExchange(of: self) }
        guard let longExchange else { return nil }
        let moment = StreamWatch.Moment(now: now, lastProgress: now)
        if !hasEnd, longExchange.watch.end(at: moment, wall: connectionContext.clock.now()) != nil {
            return record.expiredCode
        }
        return handler?.refusal(of: longExchange)
    }

    /// Whether all open bodies have a known length. Such an exchange may be completed after its token has expired, but
    /// not after a revocation.
    private var hasEnd: Bool {
        if connection.bodyOpen, !body.hasLength { return false }
        return !connection.responseStarted || responder?.responseHasLength == true
    }
}
