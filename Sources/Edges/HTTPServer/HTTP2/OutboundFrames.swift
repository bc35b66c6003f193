import NIOCore

/// The state machine of the frames that NIO writes, as a pure value. It finds the frames that the connection acts on.
struct OutboundFrames: Sendable {
    /// The contents of one write that the connection acts on.
    struct Written: Equatable, Sendable {
        /// NIO ends the connection with an error, but leaves the socket open.
        var hasFailed = false
        var resetStream: UInt32?
        var resetCode: UInt32 = 0
        var dataFrames = 0
        /// Whether it is the reset of a late head, whose stream the client does not know.
        var isUnknown = false
        /// Whether frames are not where NIO writes them. None of the bytes may be sent.
        var isMisframed = false
    }

    private var payloadLeft = 0
    private var isFirst = true

    /// The settings to announce, in place of the ones that NIO enforces: the latter leave room for clients that have
    /// not seen the settings yet, and for responses instead of connection errors.
    let streams: UInt32
    let headerListSize: UInt32

    init(streams: Int, headerListSize: Int) {
        self.streams = UInt32(clamping: streams)
        self.headerListSize = UInt32(clamping: headerListSize)
    }

    /// Handles written bytes, and returns what they contain. Frames get the numbers of the client's streams.
    ///
    /// NIO writes each frame header in one piece, and each reset in a write of its own. Other writes are misframed.
    mutating func write(_ buffer: inout ByteBuffer, _ numbering: StreamNumbering = StreamNumbering()) -> Written {
        var written = Written()
        var position = buffer.readerIndex
        while position < buffer.writerIndex {
            if payloadLeft > 0 {
                let count = min(payloadLeft, buffer.writerIndex - position)
                payloadLeft -= count
                position += count
                continue
            }
            guard var header = FrameHeader(buffer, at: position) else { return Written(isMisframed: true) }
            if !numbering.isIdentity, header.stream != 0 {
                if let stream = numbering.stream(of: header.stream) {
                    header.stream = stream
                    buffer.setInteger(stream, at: position + FrameHeader.size - 4)
                } else {
                    let isAlone =
                        position == buffer.readerIndex && FrameHeader.size + header.length == buffer.readableBytes
                    return isAlone ? Written(isUnknown: true) : Written(isMisframed: true)
                }
            }
            position += FrameHeader.size
            payloadLeft = header.length
            record(header, &buffer, payload: position, in: &written)
        }
        return written
    }

    private mutating func record(
        _ header: FrameHeader, _ buffer: inout ByteBuffer, payload: Int, in written: inout Written
    ) {
        switch header.kind {
        case .data: written.dataFrames += 1
        case .reset:
            written.resetStream = header.stream
            written.resetCode = buffer.getInteger(at: payload) ?? 0
        case .goAway:
            written.hasFailed = buffer.getInteger(at: payload + 4, as: UInt32.self) != 0
        case .settings where isFirst:
            isFirst = false
            announce(&buffer, payload, header.length)
        default: break
        }
    }

    private func announce(_ buffer: inout ByteBuffer, _ payload: Int, _ length: Int) {
        for index in stride(from: payload, to: payload + length, by: 6) {
            switch buffer.getInteger(at: index, as: UInt16.self) {
            case 0x3: buffer.setInteger(streams, at: index + 2)
            case 0x6: buffer.setInteger(headerListSize, at: index + 2)
            default: break
            }
        }
    }
}
