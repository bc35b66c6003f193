package import GatewayCore
package import HTTPWire
import NIOCore

extension ClientHandler {
    /// Takes the next head, if it is complete, and hands its request over.
    ///
    /// - Returns: whether there may be more to do.
    func takeHead() -> Bool {
        var searched = scanned
        let end = inbound.withUnsafeReadableBytes { HeadScan.end(in: $0, scanned: &searched) }
        scanned = searched
        guard let end, end <= front.limits.headSize else {
            if end != nil || inbound.readableBytes > front.limits.headSize {
                refuseHead(Denial(.headTooLarge))
            } else {
                connection.headIsPartial(now: front.time)
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

    /// Parses the head at hand and hands its request over; also when it has to be decided again.
    func serveHead() {
        // A copy of the reference: what the request leads to may end it and let go of the head.
        let head = head
        let fields = front.borrowFields()
        defer { front.giveBack(fields) }
        head.withUnsafeReadableBytes { bytes in
            do throws(HeadError) {
                let parsed = try RequestParser.parse(
                    bytes, fields: fields,
                    limits: HeadLimits(size: front.limits.headSize, fields: front.limits.headFields))
                begin(parsed)
                handler?.handle(RequestView(head: parsed, bytes: bytes, fields: fields), from: self)
            } catch {
                refuseHead(Denial(error.decisionCode))
            }
        }
    }

    /// Decides the request once more, from its bytes: keys or the store are there now, or its upstream connection was gone.
    package func serveAgain() {
        connection.exchangeReturned()
        responder = nil
        guard connection.phase == .deciding, context != nil else { return }
        serveHead()
        advance()
    }

    private func begin(_ parsed: RequestHead) {
        // Decided again: it is the same request, with the same id and its body where it was.
        guard connection.phase == .awaitingHead else { return }
        let now = front.time
        var fresh = RequestRecord()
        fresh.number = record.number &+ 1
        fresh.id = front.requestIDs.nextPair()
        fresh.began = now
        fresh.method = parsed.methodRange
        fresh.path = parsed.path
        fresh.isHead = parsed.method == .head
        fresh.minorVersion = parsed.minorVersion
        fresh.expectsContinue = parsed.expectsContinue
        begin(fresh)
        body = BodyReader(parsed.framing)
        // After CONNECT may come what was meant for a tunnel, which is none: it must not be read as requests.
        connection.headCompleted(
            persistent: parsed.keepAlive, hasBody: body.isOpen, asksForTunnel: parsed.method == .connect, now: now)
    }

    func beginRecordWithoutHead() {
        var fresh = RequestRecord()
        fresh.number = record.number &+ 1
        fresh.id = front.requestIDs.nextPair()
        fresh.began = front.time
        begin(fresh)
    }

    /// A request begins.
    func begin(_ fresh: consuming RequestRecord) {
        if handler == nil { handler = front.handlers?.makeHandler() }
        swap(&record, &fresh)
        handler?.began(self)
    }

    /// Answers a head that is no request, and closes: where the next one would begin is not known.
    private func refuseHead(_ denial: Denial) {
        if connection.phase == .awaitingHead {
            origins.forget()
            beginRecordWithoutHead()
            connection.headCompleted(persistent: false, hasBody: true, now: record.began)
        }
        deny(denial)
    }

    // MARK: - Bodies

    /// Hands the request to a responder, with as much of its body as is here.
    package func attach(_ responder: any Responder) {
        guard isOpen else { return responder.clientGone() }
        self.responder = responder
        connection.exchangeBegan(now: front.time)
        if record.expectsContinue, body.isOpen, inbound.readableBytes == 0 { writeContinue() }
        record.expectsContinue = false
        if connection.bodyOpen {
            continueBody()
        } else {
            responder.bodyEnded(trailers: ByteBuffer())
            responder.bodyFlush()
        }
    }

    /// The responder takes more of the body, or has just begun to.
    package func continueBody() {
        guard connection.phase == .exchanging, connection.bodyOpen else { return }
        advance()
    }

    /// Passes on what is here of the body.
    ///
    /// - Returns: whether the body has ended and there may be more to do.
    func relayBody() -> Bool {
        guard let responder else { return false }
        defer { responder.bodyFlush() }
        if connection.isBodyHeld, responder.acceptsBody { connection.bodyTaken(now: front.time) }
        while responder === self.responder, responder.acceptsBody {
            // The end of a body whose bytes are used up costs nothing, and must not wait.
            if body.isOpen, inbound.readableBytes > 0, defersRest() { return false }
            switch takeBody() {
            case .needsMore:
                if inbound.readableBytes == 0 { inbound = ByteBuffer() }
                guard connection.peerFinished else { return false }
                if connection.isTunnel {
                    tunnelInputEnded()
                } else {
                    // Of a body that was cut short, nothing more will come.
                    abandon(.clientClosed)
                }
                return false
            case .data(let part):
                turn.spendPart(bytes: part.readableBytes)
                guard admit(part) else { return false }
                stream?.passedToUpstream(part)
                responder.bodyPart(part)
            case .end(let trailers):
                connection.bodyEnded(now: front.time)
                responder.bodyEnded(trailers: trailers)
                return true
            case .malformed:
                refuseBody(Denial(.malformedRequest))
                return false
            }
        }
        if responder === self.responder { connection.bodyHeld(now: front.time) }
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

    /// A body, of the request or of the answer, that may not go on: its upstream connection ends unfinished, and the client is told where it
    /// still can be.
    func refuseBody(_ denial: Denial) {
        responder?.clientGone()
        responder = nil
        if connection.responseStarted {
            abandon(denial.code)
        } else {
            deny(denial)
        }
    }

    /// Whether bytes of the request's body are still to come from the client; of a chunked body that is not known before it is read. Those of a
    /// tunnel come for as long as the client likes.
    package var awaitsBody: Bool {
        guard connection.bodyOpen else { return record.asksForTunnel }
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
    /// What a head with this error is answered with.
    package var decisionCode: DecisionCode {
        switch self {
        case .tooLarge, .tooManyFields: .headTooLarge
        default: .malformedRequest
        }
    }
}
