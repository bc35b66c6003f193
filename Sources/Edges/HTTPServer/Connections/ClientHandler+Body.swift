import GatewayCore
import HTTPWire
import NIOCore

extension ClientHandler {
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
