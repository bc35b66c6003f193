import HTTPWire

/// Feeds a chunked body in pieces, like a connection, and collects the events of the decoder.
struct ChunkFeed {
    var decoder = ChunkDecoder()
    var unread: [UInt8] = []
    var payload: [UInt8] = []
    var trailers: [UInt8] = []
    /// The maximum number of bytes that were left unconsumed.
    var mostUnread = 0

    /// Feeds one piece.
    mutating func feed(_ piece: some Sequence<UInt8>) throws(ChunkError) {
        unread += Array(piece)
        while !decoder.isFinished {
            switch try next() {
            case .payload(let range):
                payload += unread[range]
                unread.removeFirst(range.upperBound)
            case .needsMore(let consumed):
                unread.removeFirst(consumed)
                mostUnread = max(mostUnread, unread.count)
                return
            case .end(let consumed, let section):
                trailers = Array(unread[section])
                unread.removeFirst(consumed)
            }
        }
    }

    private mutating func next() throws(ChunkError) -> ChunkDecoder.Event {
        var decoder = decoder
        let result: Result<ChunkDecoder.Event, ChunkError> = unread.withUnsafeBytes { raw in
            Result { () throws(ChunkError) in try decoder.next(raw) }
        }
        self.decoder = decoder
        return try result.get()
    }
}

/// Decodes a whole body in one piece.
func decodeChunks(_ text: String) throws(ChunkError) -> ChunkFeed {
    var feed = ChunkFeed()
    try feed.feed(text.utf8)
    return feed
}

/// Returns the error of the decoder. `nil` if it accepts the body.
func chunkRefusal(_ bytes: some Sequence<UInt8>) -> ChunkError? {
    var feed = ChunkFeed()
    return failure { () throws(ChunkError) in try feed.feed(bytes) }
}
