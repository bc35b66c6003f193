package import GatewayCore
package import NIOCore

extension ClientHandler {
    /// Writes the head of a response or of an interim response. The caller has determined the connection's persistence
    /// by ``beginResponse``.
    package func write(_ part: ByteBuffer) {
        guard context != nil else { return }
        record.bytesOut &+= UInt64(part.readableBytes)
        send(part)
    }

    package func writePart(_ part: ByteBuffer, to context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(part), promise: queued.record() ? noticeOfSending(context) : nil)
    }

    /// Returns to direct writes after the channel has sent its pending data.
    private func leaveChannel() {
        guard let context, let mark = writer?.requestCompletionNotice() else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess {
            if self.writer?.channelSent(mark) == false, self.connection.isIdle { self.leaveChannel() }
        }
        context.write(wrapOutboundOut(ByteBuffer()), promise: sent)
        flush()
    }

    private func noticeOfSending(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            guard self.queued.stepSent() else { return }
            self.writabilityChanged()
        }
        return promise
    }

    /// Whether the client's connection accepts more of the response.
    package var isWritable: Bool { takesMore }

    /// Prepares the final head of the response.
    ///
    /// - Parameter persistent: Whether the end of the response is delimited without closing.
    /// - Returns: Whether the head must contain `Connection: close`.
    package func beginResponse(status: UInt16, persistent: Bool) -> Bool {
        let now = connectionContext.time
        record.status = status
        record.responded = now
        // An open body will not be read to its end, so that the next request could not be located.
        connection.responseBegan(
            persistent: persistent && !connectionContext.isDraining && !closesAfterResponse, now: now)
        return !connection.isPersistent || (connection.peerFinished && inbound.readableBytes == 0)
    }

    /// Completes the response.
    package func endResponse() {
        guard connection.isServing else { return }
        responder = nil
        let afterwards = connection.responseEnded(
            hasMore: inbound.readableBytes > 0, now: connectionContext.time)
        finish()
        head = ByteBuffer()
        switch afterwards {
        case .nextRequest:
            leaveChannel()
            advance()
        case .close, .linger: closeOnceSent()
        }
    }

    /// Ends the request, notifies its handler and releases it.
    func finish() {
        handler?.finished(self)
        stream = nil
        longExchange = nil
    }

    /// Responds with a denial instead of forwarding.
    package func deny(_ denial: Denial) {
        guard connection.isServing, !connection.responseStarted, context != nil else { return }
        record.code = denial.code
        var denial = denial
        if record.clearsCookie { denial.cookieLine = connectionContext.clearingCookie }
        skipBodyAtHand()
        let status = handler?.status(of: denial.code) ?? denial.code.status
        let closes = beginResponse(status: status, persistent: !connection.bodyOpen)
        let scratch = connectionContext.flushes.responses.next()
        ProblemResponse(
            denial: denial, status: status, record: record, closes: closes,
            additions: record.additions ?? handler?.additions
        )
        .write(into: &scratch.pointee, date: connectionContext.dateLine())
        write(scratch.pointee)
        flush()
        endResponse()
    }

    /// Responds with a document of the gateway itself.
    package func respond(with document: StaticResponse) {
        guard connection.isServing, !connection.responseStarted, context != nil else { return }
        skipBodyAtHand()
        let closes = beginResponse(status: document.status, persistent: !connection.bodyOpen)
        let scratch = connectionContext.flushes.responses.next()
        document.write(
            into: &scratch.pointee, for: record, date: connectionContext.dateLine(), closes: closes,
            additions: record.additions ?? handler?.additions)
        write(scratch.pointee)
        flush()
        endResponse()
    }

    /// Skips a body that is completely buffered, so that the connection survives a denial.
    private func skipBodyAtHand() {
        guard connection.bodyOpen, case .length(let length) = body, !awaitsBody else { return }
        inbound.moveReaderIndex(forwardBy: Int(length))
        body = .none
        connection.bodyEnded(now: connectionContext.time)
    }
}
