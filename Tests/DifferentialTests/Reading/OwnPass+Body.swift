import HTTPWire

extension OwnPass {
    mutating func takeBody(_ remaining: UInt64) -> Bool {
        let count = Int(min(remaining, UInt64(available - position)))
        guard count > 0 else { return false }
        appendBody(UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
        state = .length(remaining - UInt64(count))
        if remaining == UInt64(count) { endMessage() }
        return true
    }

    mutating func takeChunk(_ decoder: ChunkDecoder) -> Bool {
        var decoder = decoder
        do throws(ChunkError) {
            return try takeChunk(&decoder)
        } catch {
            refuse(error.reason)
            return false
        }
    }

    private mutating func takeChunk(_ decoder: inout ChunkDecoder) throws(ChunkError) -> Bool {
        let window = unread
        let event = try decoder.next(window)
        state = .chunked(decoder)
        switch event {
        case .needsMore(let consumed):
            position += consumed
            return false
        case .payload(let range):
            position += range.lowerBound
            appendBody(UnsafeRawBufferPointer(rebasing: window[range]))
        case .end(let consumed, let trailers):
            position += consumed
            try readTrailers(UnsafeRawBufferPointer(rebasing: window[trailers]))
            endMessage()
        }
        return true
    }

    private mutating func readTrailers(_ section: UnsafeRawBufferPointer) throws(ChunkError) {
        do throws(HeadError) { try TrailerParser.parse(section, fields: fields) } catch {
            throw .malformedTrailers(error)
        }
        reading.messages[reading.messages.count - 1].trailers = readFields(section)
    }

    mutating func appendBody(_ part: UnsafeRawBufferPointer) {
        reading.messages[reading.messages.count - 1].body.append(contentsOf: part)
        position += part.count
    }

    mutating func endMessage() {
        reading.messages[reading.messages.count - 1].end = position...position
        state = .head
        if let afterwards { end(afterwards) }
        afterwards = nil
    }

    mutating func refuse(_ reason: String) { end(.refused(reason)) }

    mutating func end(_ ending: Reading.Ending) { state = .ended(ending) }

    func readFields(_ head: UnsafeRawBufferPointer) -> [ReadField] {
        (0..<fields.count).map {
            ReadField(name: text(fields[$0].name, head), value: text(fields[$0].value, head))
        }
    }

    func text(_ range: ByteRange, _ head: UnsafeRawBufferPointer) -> String {
        String(decoding: range.bytes(in: head), as: UTF8.self)
    }
}

extension ChunkError {
    fileprivate var reason: String {
        if case .malformedTrailers(let error) = self { "trailers: \(error)" } else { "chunk: \(self)" }
    }
}
