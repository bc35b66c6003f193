import GatewayCore
import HTTPServer
import HTTPWire
import NIOCore

extension UpstreamConnection {
    /// Processes the buffered bytes.
    func relayResponse(to client: ClientHandler) {
        // A write may detect that the client is gone, which ends the exchange.
        while self.client === client, let phase = exchange?.responsePhase {
            switch phase {
            case .awaitingHead:
                guard takeResponseHead(for: client) else { return }
            case .body:
                guard relayResponseBody(to: client) else { return }
            case .complete:
                return complete(for: client)
            }
        }
    }

    /// Parses the head. Returns whether there may be more to do.
    private func takeResponseHead(for client: ClientHandler) -> Bool {
        guard inbound.readableBytes > 0 else { return false }
        var searched = scanned
        let end = inbound.withUnsafeReadableBytes { HeadScan.end(in: $0, scanned: &searched) }
        scanned = searched
        guard let end, end <= ResponseHeadRenderer.sizeLimit else {
            if end != nil || inbound.readableBytes > ResponseHeadRenderer.sizeLimit { fail(.upstreamInvalidResponse) }
            return false
        }
        scanned = 0
        var held = takeInbound()
        guard let head = held.readSlice(length: end) else { return false }
        inbound = held
        return head.withUnsafeReadableBytes { bytes in
            do {
                let parsed = try ResponseParser.parse(
                    bytes, requestMethod: method, fields: connectionContext.responseFields,
                    limits: ResponseHeadRenderer.limits)
                return pass(parsed, bytes: bytes, to: client)
            } catch {
                fail(.upstreamInvalidResponse)
                return false
            }
        }
    }

    private func pass(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, to client: ClientHandler) -> Bool {
        guard head.status != 101 else {
            if pool.tracksResponses { pool.requestAnswered(at: server) }
            return switchProtocols(head, bytes: bytes, to: client)
        }
        guard head.status >= 200 else {
            guard exchange?.interimReceived() == true else {
                fail(.upstreamInvalidResponse)
                return false
            }
            passInterim(head, bytes: bytes, to: client)
            return true
        }
        if upgrade != nil { endUpload() }
        guard !isCutShortByItsChunks(head) else {
            fail(.upstreamInvalidResponse)
            return false
        }
        if pool.tracksResponses, !passesOn(status: Int(head.status), for: client) { return false }
        exchange?.headReceived(framing: head.framing, keepAlive: head.keepAlive)
        responseBody = BodyReader(head.framing)
        delivery = ResponseHeadRenderer.delivery(of: head.framing, minorVersion: client.record.minorVersion)
        trailers =
            delivery == .chunked
            ? TrailerFilter(
                announcedIn: connectionContext.responseFields, of: bytes, managed: client.record.additions?.removed,
                passesUnannounced: pool.streams != nil)
            : nil
        let closes = client.beginResponse(status: UInt16(head.status), persistent: delivery != .untilClose)
        let small = takeSmallBody()
        let cookie = client.record.cookieRenewal?.lines(
            with: head, bytes: bytes, fields: connectionContext.responseFields, additions: client.record.additions)
        let scratch = connectionContext.flushes.responses.next()
        ResponseHeadRenderer.render(
            head, bytes: bytes, fields: connectionContext.responseFields, requestID: client.record.id,
            trailers: trailers, delivery: delivery, closes: closes, minorVersion: client.record.minorVersion,
            additions: client.record.additions, origin: client.record.corsOrigin,
            cookie: cookie, room: small?.readableBytes ?? 0, into: &scratch.pointee)
        if let small { scratch.pointee.writeImmutableBuffer(small) }
        client.write(scratch.pointee)
        if responseBody.isOpen, let type = connectionContext.responseFields.first(.contentType)?.value.bytes(in: bytes),
            StreamType.isStream(type)
        {
            client.beginStream(.response)
        }
        // A response that is already complete cannot exceed the buffer limit.
        if exchange?.responsePhase == .body, responseBody.isOpen, !client.isWritable { pauseReading() }
        return true
    }

    /// Returns whether the chunks after the head are malformed, within the part that this turn would pass on. The
    /// client can then still receive a denial.
    private func isCutShortByItsChunks(_ head: ResponseHead) -> Bool {
        guard head.framing == .chunked, inbound.readableBytes > 0 else { return false }
        return ChunkedBody.isMalformed(inbound, parts: TurnBudget.units)
    }

    /// Returns a small body that arrived with its head, for the same write.
    private func takeSmallBody() -> ByteBuffer? {
        guard delivery == .asIs, case .length(let length) = responseBody, length <= 4096,
            Int(length) <= inbound.readableBytes
        else { return nil }
        var held = takeInbound()
        let body = held.readSlice(length: Int(length))
        inbound = held
        responseBody = .none
        return body
    }

    /// Passes interim responses such as 103 to clients of HTTP/1.1. The gateway itself sends 100 when it permits the
    /// request.
    private func passInterim(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, to client: ClientHandler) {
        guard head.status != 100, client.record.minorVersion == 1 else { return }
        let scratch = connectionContext.flushes.responses.next()
        ResponseHeadRenderer.renderInterim(
            head, bytes: bytes, fields: connectionContext.responseFields, additions: client.record.additions,
            into: &scratch.pointee)
        client.write(scratch.pointee)
        exchange?.interimPassed()
        if !client.isWritable { pauseReading() }
    }

    /// Relays a part of the body. Returns whether there may be more to do.
    private func relayResponseBody(to client: ClientHandler) -> Bool {
        if responseBody.isOpen, inbound.readableBytes > 0, defersRest() {
            writeGathered(to: client)
            if holdsMuch || !client.isWritable { pauseReading() }
            return false
        }
        switch takeBody() {
        case .needsMore:
            if inbound.readableBytes == 0 { inbound = ByteBuffer() }
            writeGathered(to: client)
            if !client.isWritable { pauseReading() }
            return false
        case .data(let part):
            turn.spendPart(bytes: part.readableBytes)
            deliver(part, to: client)
            return true
        case .end(let section):
            deliverEnd(section, to: client)
            exchange?.bodyEnded()
            return true
        case .malformed:
            fail(.upstreamInvalidResponse)
            return false
        }
    }

    private func takeBody() -> BodyReader.Part {
        var (held, reader) = (takeInbound(), responseBody)
        defer { (inbound, responseBody) = (held, reader) }
        return reader.next(from: &held)
    }

    private func deliver(_ part: ByteBuffer, to client: ClientHandler) {
        client.connection.progress(now: connectionContext.time)
        client.stream?.passedToClient(part)
        var ready = takeGathered()
        if delivery == .chunked { ready.writeChunkHeader(part.readableBytes) }
        if part.readableBytes <= UpstreamConnection.smallPart {
            ready.writeImmutableBuffer(part)
        } else {
            if ready.readableBytes > 0 { client.write(ready) }
            client.write(part)
            ready = ByteBuffer()
        }
        if delivery == .chunked { ready.writeStaticString("\r\n") }
        gathered = ready
    }

    private func deliverEnd(_ section: ByteBuffer, to client: ClientHandler) {
        if delivery == .chunked {
            var ready = takeGathered()
            ready.writeStaticString("0\r\n")
            trailers?.append(section, to: &ready)
            ready.writeStaticString("\r\n")
            gathered = ready
        }
        writeGathered(to: client)
    }

    private func writeGathered(to client: ClientHandler) {
        guard gathered.readableBytes > 0 else { return }
        client.write(takeGathered())
    }

    private func takeGathered() -> ByteBuffer {
        let ready = gathered
        gathered = ByteBuffer()
        return ready
    }
}
