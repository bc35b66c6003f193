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

    /// Answers a head that is no request, and closes: where the next one would begin is not known.
    private func refuseHead(_ denial: Denial) {
        if connection.phase == .awaitingHead {
            origins.forget()
            beginRecordWithoutHead()
            connection.headCompleted(persistent: false, hasBody: true, now: record.began)
        }
        deny(denial)
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
