package import GatewayCore
package import HTTPWire
import NIOCore

extension ClientHandler {
    /// Parses the next head if it is complete, and passes on its request. Returns whether there may be more to do.
    func takeHead() -> Bool {
        var searched = scanned
        let end = inbound.withUnsafeReadableBytes { HeadScan.end(in: $0, scanned: &searched) }
        scanned = searched
        guard let end, end <= connectionContext.limits.headSize else {
            if end != nil || inbound.readableBytes > connectionContext.limits.headSize {
                refuseHead(Denial(.headTooLarge))
            } else {
                connection.headIsPartial(now: connectionContext.time)
            }
            return false
        }
        scanned = 0
        turn.spendRequest(bytes: end)
        var held = takeInbound()
        if end == held.readableBytes {
            head = held
        } else {
            head = held.readSlice(length: end) ?? ByteBuffer()
            inbound = held
        }
        serveHead()
        return true
    }

    /// Parses the current head and passes on its request, also for a repeated decision.
    func serveHead() {
        // A copy of the reference, because handling the request may end it and release the head.
        let head = head
        let fields = connectionContext.borrowFields()
        defer { connectionContext.release(fields) }
        head.withUnsafeReadableBytes { bytes in
            do throws(HeadError) {
                let parsed = try RequestParser.parse(
                    bytes, fields: fields,
                    limits: HeadLimits(
                        size: connectionContext.limits.headSize, fields: connectionContext.limits.headFields))
                begin(parsed)
                handler?.handle(RequestView(head: parsed, bytes: bytes, fields: fields), from: self)
            } catch {
                refuseHead(Denial(error.decisionCode))
            }
        }
    }

    /// Decides the request again from its bytes, because keys or the store became available, or its upstream connection
    /// was closed.
    package func serveAgain() {
        connection.exchangeReturned()
        responder = nil
        guard connection.phase == .deciding, context != nil else { return }
        serveHead()
        advance()
    }

    private func begin(_ parsed: RequestHead) {
        // A repeated decision of the same request keeps its ID and the state of its body.
        guard connection.phase == .awaitingHead else { return }
        let now = connectionContext.time
        var fresh = RequestRecord()
        fresh.number = record.number &+ 1
        fresh.id = connectionContext.requestIDs.nextPair()
        fresh.began = now
        fresh.method = parsed.methodRange
        fresh.path = parsed.path
        fresh.isHead = parsed.method == .head
        fresh.minorVersion = parsed.minorVersion
        fresh.expectsContinue = parsed.expectsContinue
        begin(fresh)
        body = BodyReader(parsed.framing)
        // After CONNECT the client may send tunnel data, which must not be parsed as requests.
        connection.headCompleted(
            persistent: parsed.keepAlive && http2 == nil, hasBody: body.isOpen,
            requestsTunnel: parsed.method == .connect, now: now)
    }

    func beginRecordWithoutHead() {
        var fresh = RequestRecord()
        fresh.number = record.number &+ 1
        fresh.id = connectionContext.requestIDs.nextPair()
        fresh.began = connectionContext.time
        begin(fresh)
    }

    /// Starts the record of a request.
    func begin(_ fresh: consuming RequestRecord) {
        if handler == nil { handler = (listener?.handlers ?? connectionContext.handlers)?.makeHandler() }
        swap(&record, &fresh)
        handler?.began(self)
    }

    /// Responds to an invalid head and closes, because the start of the next request is unknown.
    private func refuseHead(_ denial: Denial) {
        if connection.phase == .awaitingHead {
            origins.forget()
            beginRecordWithoutHead()
            connection.headCompleted(persistent: false, hasBody: true, now: record.began)
        }
        deny(denial)
    }

    /// Responds to a head that has no form in HTTP/1.1.
    func refuseHead(_ denial: Denial, isGRPC: Bool, reason: String) {
        guard connection.phase == .awaitingHead else { return }
        origins.forget()
        beginRecordWithoutHead()
        record.wantsGRPC = isGRPC && handler?.deniesMalformedCallsInGRPC != false
        record.reason = reason
        connection.headCompleted(persistent: false, hasBody: true, now: record.began)
        deny(denial)
    }

    // MARK: - Bodies

    /// Attaches a responder and passes on the buffered part of the body.
    package func attach(_ responder: any Responder) {
        guard isOpen else { return responder.clientGone() }
        self.responder = responder
        connection.exchangeBegan(now: connectionContext.time)
        if record.expectsContinue, body.isOpen, inbound.readableBytes == 0 { writeContinue() }
        record.expectsContinue = false
        if connection.bodyOpen {
            continueBody()
        } else {
            responder.bodyEnded(trailers: ByteBuffer())
            responder.bodyFlush()
        }
    }

    /// Continues the body after the responder began to accept it, or accepts it again.
    package func continueBody() {
        guard connection.phase == .exchanging, connection.bodyOpen else { return }
        advance()
    }

    /// Passes on the buffered part of the body. Returns whether the body has ended and there may be more to do.
    func relayBody() -> Bool {
        guard let responder else { return false }
        defer { responder.bodyFlush() }
        if connection.isBodyHeld, responder.acceptsBody { connection.bodyTaken(now: connectionContext.time) }
        while responder === self.responder, responder.acceptsBody {
            // The end of a body without remaining bytes costs nothing and must not be deferred.
            if body.isOpen, inbound.readableBytes > 0, defersRest() { return false }
            switch takeBody() {
            case .needsMore:
                if inbound.readableBytes == 0 { inbound = ByteBuffer() }
                guard connection.peerFinished else { return false }
                if connection.isTunnel {
                    tunnelInputEnded()
                } else {
                    // A truncated body will never be complete.
                    abandon(.clientClosed)
                }
                return false
            case .data(let part):
                turn.spendPart(bytes: part.readableBytes)
                guard admit(part) else { return false }
                stream?.passedToUpstream(part)
                responder.bodyPart(part)
            case .end(let trailers):
                connection.bodyEnded(now: connectionContext.time)
                responder.bodyEnded(trailers: trailers)
                return true
            case .malformed:
                refuseBody(Denial(.malformedRequest))
                return false
            }
        }
        if responder === self.responder { connection.bodyHeld(now: connectionContext.time) }
        return false
    }

    private func takeBody() -> BodyReader.Part {
        var (held, reader) = (takeInbound(), body)
        defer { (inbound, body) = (held, reader) }
        return reader.next(from: &held)
    }

    private func admit(_ part: ByteBuffer) -> Bool {
        record.bytesIn &+= UInt64(part.readableBytes)
        guard let limit = record.bodyLimit, record.bytesIn > UInt64(limit), !connection.isTunnel else { return true }
        refuseBody(Denial(.requestTooLarge))
        return false
    }

    /// Rejects a body of the request or of the response. Its upstream connection ends unfinished. The client receives
    /// the denial if no response has begun.
    func refuseBody(_ denial: Denial) {
        responder?.clientGone()
        responder = nil
        if connection.responseStarted {
            abandon(denial.code)
        } else {
            deny(denial)
        }
    }

    /// Whether more bytes of the request's body are expected from the client. For a chunked body and a tunnel this is
    /// assumed until the end.
    package var awaitsBody: Bool {
        guard connection.bodyOpen else { return record.requestsTunnel }
        guard case .length(let length) = body else { return true }
        return length > UInt64(inbound.readableBytes)
    }

    private func writeContinue() {
        guard record.minorVersion == 1, let context else { return }
        let interim = ByteBuffer(staticString: "HTTP/1.1 100 Continue\r\n\r\n")
        useChannel()
        context.writeAndFlush(wrapOutboundOut(interim), promise: nil)
    }
}

extension HeadError {
    /// The code of the response to a head with this error.
    package var decisionCode: DecisionCode {
        switch self {
        case .tooLarge, .tooManyFields: .headTooLarge
        default: .malformedRequest
        }
    }
}
