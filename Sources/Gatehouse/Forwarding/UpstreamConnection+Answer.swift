import HTTPWire
import NIOCore

extension UpstreamConnection {
    /// Does what the bytes at hand allow.
    func relayAnswer(to client: ClientHandler) {
        // Writing may find the client gone, and that ends the exchange.
        while self.client === client, let answer = exchange?.answer {
            switch answer {
            case .awaitingHead:
                guard takeAnswerHead(for: client) else { return }
            case .body:
                guard relayAnswerBody(to: client) else { return }
            case .complete:
                return complete(for: client)
            }
        }
    }

    /// - Returns: whether there may be more to do.
    private func takeAnswerHead(for client: ClientHandler) -> Bool {
        guard inbound.readableBytes > 0 else { return false }
        let end = inbound.withUnsafeReadableBytes { HeadScan.end(in: $0, scanned: &scanned) }
        guard let end, end <= AnswerHead.sizeLimit else {
            if end != nil || inbound.readableBytes > AnswerHead.sizeLimit { fail(.upstreamInvalidResponse) }
            return false
        }
        scanned = 0
        guard let head = inbound.readSlice(length: end) else { return false }
        return head.withUnsafeReadableBytes { bytes in
            do {
                let parsed = try ResponseParser.parse(
                    bytes, requestMethod: method, fields: front.answerFields, limits: AnswerHead.limits)
                return pass(parsed, bytes: bytes, to: client)
            } catch {
                fail(.upstreamInvalidResponse)
                return false
            }
        }
    }

    private func pass(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, to client: ClientHandler) -> Bool {
        guard head.status != 101 else {
            if pool.judgesAnswers { pool.requestAnswered(at: server) }
            return switchProtocols(head, bytes: bytes, to: client)
        }
        guard head.status >= 200 else {
            passInterim(head, bytes: bytes, to: client)
            return true
        }
        if upgrade != nil { endUpload() }
        if pool.judgesAnswers, !passesOn(status: Int(head.status), for: client) { return false }
        exchange?.headCame(framing: head.framing, keepAlive: head.keepAlive)
        answerBody = BodyReader(head.framing)
        delivery = AnswerHead.delivery(of: head.framing, minorVersion: client.record.minorVersion)
        trailers =
            delivery == .chunked
            ? TrailerFilter(announcedIn: front.answerFields, of: bytes, managed: client.record.additions?.removed) : nil
        let closes = client.beginAnswer(status: UInt16(head.status), persistent: delivery != .untilClose)
        let small = takeSmallBody()
        AnswerHead.render(
            head, bytes: bytes, fields: front.answerFields, delivery: delivery, closes: closes,
            minorVersion: client.record.minorVersion, additions: client.record.additions,
            origin: client.record.corsOrigin, room: small?.readableBytes ?? 0, into: &front.answerScratch)
        if let small { front.answerScratch.writeImmutableBuffer(small) }
        client.write(front.answerScratch)
        if answerBody.isOpen, let type = front.answerFields.first(.contentType)?.value.bytes(in: bytes),
            StreamType.isStream(type)
        {
            client.beginStream(.answer)
        }
        // Only what is followed by more can be too much.
        if exchange?.answer == .body, answerBody.isOpen, !client.isWritable { pauseReading() }
        return true
    }

    /// A small body that came with its head, to go out in the same write.
    private func takeSmallBody() -> ByteBuffer? {
        guard delivery == .asIs, case .length(let length) = answerBody, length <= 4096,
            Int(length) <= inbound.readableBytes, let body = inbound.readSlice(length: Int(length))
        else { return nil }
        answerBody = .none
        return body
    }

    /// 103 and its like are passed on to clients that know them; 100 was answered by us, once the request was permitted.
    private func passInterim(_ head: ResponseHead, bytes: UnsafeRawBufferPointer, to client: ClientHandler) {
        guard head.status != 100, client.record.minorVersion == 1 else { return }
        AnswerHead.renderInterim(
            head, bytes: bytes, fields: front.answerFields, additions: client.record.additions,
            into: &front.answerScratch)
        client.write(front.answerScratch)
        exchange?.interimPassed()
        if !client.isWritable { pauseReading() }
    }

    /// - Returns: whether there may be more to do.
    private func relayAnswerBody(to client: ClientHandler) -> Bool {
        switch answerBody.next(from: &inbound) {
        case .needsMore:
            if inbound.readableBytes == 0 { inbound = ByteBuffer() }
            writeGathered(to: client)
            if !client.isWritable { pauseReading() }
            return false
        case .data(let part):
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

    private func deliver(_ part: ByteBuffer, to client: ClientHandler) {
        client.connection.progress(now: front.time)
        client.stream?.passedToClient(part)
        if delivery == .chunked { gathered.writeChunkHeader(part.readableBytes) }
        if part.readableBytes <= UpstreamConnection.smallPart {
            gathered.writeImmutableBuffer(part)
        } else {
            writeGathered(to: client)
            client.write(part)
        }
        if delivery == .chunked { gathered.writeStaticString("\r\n") }
    }

    private func deliverEnd(_ section: ByteBuffer, to client: ClientHandler) {
        if delivery == .chunked {
            gathered.writeStaticString("0\r\n")
            trailers?.append(section, to: &gathered)
            gathered.writeStaticString("\r\n")
        }
        writeGathered(to: client)
    }

    private func writeGathered(to client: ClientHandler) {
        guard gathered.readableBytes > 0 else { return }
        let ready = gathered
        gathered = ByteBuffer()
        client.write(ready)
    }
}
