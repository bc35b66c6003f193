import NIOCore

/// The state machine of the frames that a client sends, below NIO's connection handler, as a pure value.
///
/// It counts the frames that cost the gateway more than the client. It removes frames of streams that the gateway has
/// reset, because NIO ends the connection when such frames arrive late; their heads get other numbers. It bounds the
/// heads of one turn. It reads frame headers only, except for SETTINGS.
struct InboundFrames: Sendable {
    /// The result of received bytes.
    struct Result {
        /// The bytes for NIO.
        var passed: ByteBuffer
        /// Bytes of removed DATA, to be added to the connection's window again.
        var credit = 0
        var failure: HTTP2Failure?
    }

    private static let prefaceSize = 24

    private var prefaceLeft = InboundFrames.prefaceSize
    /// The bytes of an incomplete frame header or SETTINGS frame.
    private var held = ByteBuffer()
    private var payloadLeft = 0
    private var isDropping = false
    /// The CONTINUATION frames of the current head. `nil` outside of a head.
    private var continuations: Int?
    private var resets: FrameBudget
    private var controlFrames: FrameBudget
    private var emptyFrames: FrameBudget
    private var windowUpdates: FrameBudget
    /// Whether a PING of the gateway has no acknowledgement yet.
    private var awaitsPing = false
    private var resetStreams = CircularBuffer<UInt32>()
    /// The number of the late head whose CONTINUATION frames follow.
    private var lateHead: UInt32?
    /// The heads that the current turn may still begin.
    private var headsLeft = HTTP2Limits.headsPerTurn

    /// The stream numbers at NIO.
    private(set) var numbering = StreamNumbering()
    /// Whether received frames wait for the next turn.
    private(set) var isDeferred = false
    /// The highest stream of a request.
    private(set) var lastStream: UInt32 = 0
    private(set) var hasSettings = false
    private(set) var hasAcknowledgement = false
    /// When the current head began, in monotonic nanoseconds. `nil` outside of a head and its payload.
    private(set) var headBegan: UInt64?

    init(_ limits: HTTP2Limits, now: UInt64) {
        resets = FrameBudget(limits.resets, per: HTTP2Limits.resetPeriod, now: now)
        controlFrames = FrameBudget(limits.controlFrames, per: 1_000_000_000, now: now)
        emptyFrames = FrameBudget(limits.controlFrames, per: 1_000_000_000, now: now)
        windowUpdates = FrameBudget(HTTP2Limits.windowUpdates, per: 1_000_000_000, now: now)
    }

    /// Records a reset that the gateway sent. Returns whether the number is within the limit, if the client caused it.
    mutating func sentReset(_ stream: UInt32, errorCode: UInt32, now: UInt64) -> Bool {
        if resetStreams.count >= HTTP2Limits.resetStreams { resetStreams.removeFirst() }
        resetStreams.append(stream)
        switch errorCode {
        // NO_ERROR, INTERNAL_ERROR and CANCEL are not the client's.
        case 0x0, 0x2, 0x8: return true
        default: return resets.spend(now: now)
        }
    }

    /// Records a DATA frame that the gateway sent.
    mutating func sentData() {
        windowUpdates.add(HTTP2Limits.windowUpdatesPerData)
        // A client of gRPC may send one PING for each DATA frame, to measure the bandwidth.
        controlFrames.add(1)
    }

    /// Records a PING that the gateway sent. Its acknowledgement does not count against the client.
    mutating func sentPing() {
        awaitsPing = true
    }

    /// Starts the next turn of the connection.
    mutating func beginTurn() {
        headsLeft = HTTP2Limits.headsPerTurn
        isDeferred = false
    }

    /// Discards the frames that wait for the next turn.
    mutating func discardDeferred() {
        held = ByteBuffer()
        isDeferred = false
    }

    /// Handles received bytes, after those that were deferred. After the last permitted head of a turn, further frames
    /// are deferred from the next head on.
    mutating func receive(_ arrived: ByteBuffer, now: UInt64) -> Result {
        var buffer = arrived
        if held.readableBytes > 0 {
            buffer = held
            buffer.writeImmutableBuffer(arrived)
            held = ByteBuffer()
        }
        var walk = Walk(buffer)
        while walk.position < walk.end {
            if skip(&walk) { continue }
            guard let header = walk.header else { break }
            if header.kind == .settings, !header.hasFirstFlag {
                guard header.length <= HTTP2Limits.settings * 6 else { return walk.failed(.settings) }
                guard walk.end - walk.position >= FrameHeader.size + header.length else { break }
                guard walk.limitSettings(header.length) else { return walk.failed(.protocolError) }
            }
            if defers(header) { break }
            // A head of an earlier stream may be late.
            let isEarlier = header.stream <= lastStream
            if let failure = count(header, now: now) { return walk.failed(failure) }
            isDropping = isLate(header)
            if isDropping, header.kind == .data { walk.credit += header.length }
            if let failure = renumber(header, isEarlier: isEarlier, &walk, now: now) { return walk.failed(failure) }
            walk.advance(FrameHeader.size, dropping: isDropping)
            payloadLeft = header.length
            endHead()
        }
        return walk.finish(&held)
    }

    /// Advances over the preface or the payload of the current frame. Returns whether there was one.
    private mutating func skip(_ walk: inout Walk) -> Bool {
        if prefaceLeft > 0 {
            let count = min(prefaceLeft, walk.end - walk.position)
            prefaceLeft -= count
            walk.advance(count, dropping: false)
            return true
        }
        guard payloadLeft > 0 else { return false }
        let count = min(payloadLeft, walk.end - walk.position)
        payloadLeft -= count
        walk.advance(count, dropping: isDropping)
        endHead()
        return true
    }

    /// Ends the time of a head after the payload of its last frame.
    private mutating func endHead() {
        if payloadLeft == 0, continuations == nil { headBegan = nil }
    }

    /// Returns whether a frame begins a head that the current turn may not begin.
    private mutating func defers(_ header: FrameHeader) -> Bool {
        guard header.kind == .headers, continuations == nil else { return false }
        guard headsLeft > 0 else {
            isDeferred = true
            return true
        }
        headsLeft -= 1
        return false
    }

    /// Gives a frame the number of its stream at NIO, and a late head a number of its own.
    private mutating func renumber(
        _ header: FrameHeader, isEarlier: Bool, _ walk: inout Walk, now: UInt64
    ) -> HTTP2Failure? {
        guard header.stream != 0 else { return nil }
        if header.kind == .headers {
            lateHead = nil
            if isEarlier, resetStreams.contains(header.stream) {
                guard resets.spend(now: now), let number = numbering.lateHead(after: lastStream) else { return .resets }
                lateHead = number
            }
        }
        if numbering.isIdentity { return nil }
        let belongsToLateHead = header.kind == .headers || header.kind == .continuation
        guard let number = (belongsToLateHead ? lateHead : nil) ?? numbering.number(of: header.stream) else {
            return .protocolError
        }
        walk.setStream(number)
        return nil
    }

    /// Returns whether a frame belongs to a stream that the gateway has reset. Heads are decoded in any case, because
    /// they change the compression table.
    private func isLate(_ header: FrameHeader) -> Bool {
        guard !resetStreams.isEmpty, header.stream != 0 else { return false }
        switch header.kind {
        case .data, .reset, .windowUpdate: return resetStreams.contains(header.stream)
        default: return false
        }
    }

    // MARK: - Counting

    private mutating func count(_ header: FrameHeader, now: UInt64) -> HTTP2Failure? {
        if let seen = continuations {
            // NIO rejects any other frame here.
            guard header.kind == .continuation else { return .protocolError }
            guard seen < HTTP2Limits.continuations else { return .continuations }
            headEnds(header.endsHeaders, after: seen + 1, now: now)
            return nil
        }
        switch header.kind {
        case .data:
            let isEmpty = header.length == 0 && !header.hasFirstFlag
            // A padded frame of at most 256 bytes may be padding only.
            guard isEmpty || (header.isPadded && header.length <= 256) else { return nil }
            return emptyFrames.spend(now: now) ? nil : .controlFrames
        case .headers:
            lastStream = max(lastStream, header.stream)
            headEnds(header.endsHeaders, after: 0, now: now)
            return nil
        case .reset: return resets.spend(now: now) ? nil : .resets
        case .windowUpdate: return windowUpdates.spend(now: now) ? nil : .controlFrames
        case .settings:
            if header.hasFirstFlag { hasAcknowledgement = true } else { hasSettings = true }
            return controlFrames.spend(now: now) ? nil : .controlFrames
        case .ping where header.hasFirstFlag && awaitsPing:
            awaitsPing = false
            return nil
        case .priority, .ping, .goAway, .pushPromise, .continuation, nil:
            return controlFrames.spend(now: now) ? nil : .controlFrames
        }
    }

    private mutating func headEnds(_ ends: Bool, after count: Int, now: UInt64) {
        continuations = ends ? nil : count
        if headBegan == nil { headBegan = now }
    }
}

/// One pass over received bytes. Without removed frames, the bytes are passed on without copying.
private struct Walk {
    private var buffer: ByteBuffer
    private var output: ByteBuffer?
    /// The start of the bytes to pass on that are not in the output.
    private var kept: Int
    private(set) var position: Int
    let end: Int
    var credit = 0

    init(_ buffer: ByteBuffer) {
        self.buffer = buffer
        kept = buffer.readerIndex
        position = buffer.readerIndex
        end = buffer.writerIndex
    }

    /// The header at the current position. `nil` if it is incomplete.
    var header: FrameHeader? {
        end - position >= FrameHeader.size ? FrameHeader(buffer, at: position) : nil
    }

    mutating func advance(_ count: Int, dropping: Bool) {
        if dropping { keepRun() }
        position += count
        if dropping { kept = position }
    }

    private mutating func keepRun() {
        guard position > kept, let run = buffer.getSlice(at: kept, length: position - kept) else {
            if output == nil { output = ByteBuffer() }
            return
        }
        if output == nil { output = run } else { output?.writeImmutableBuffer(run) }
        kept = position
    }

    /// Sets the stream of the frame at the current position.
    mutating func setStream(_ number: UInt32) {
        buffer.setInteger(number, at: position + FrameHeader.size - 4)
    }

    /// Lowers the values of a SETTINGS frame to the gateway's values. Returns whether they are valid; NIO checks the
    /// others.
    mutating func limitSettings(_ length: Int) -> Bool {
        for entry in 0..<length / 6 {
            let index = position + FrameHeader.size + entry * 6
            guard let identifier: UInt16 = buffer.getInteger(at: index),
                let value: UInt32 = buffer.getInteger(at: index + 2)
            else { return false }
            switch identifier {
            case 0x1 where value > HTTP2Limits.tableSize: buffer.setInteger(HTTP2Limits.tableSize, at: index + 2)
            case 0x5 where value > HTTP2Limits.frameSize && value < 1 << 24:
                buffer.setInteger(HTTP2Limits.frameSize, at: index + 2)
            case 0x8 where value > 1: return false
            default: break
            }
        }
        return true
    }

    func failed(_ failure: HTTP2Failure) -> InboundFrames.Result {
        InboundFrames.Result(passed: ByteBuffer(), failure: failure)
    }

    /// Returns the bytes to pass on, and moves the incomplete rest to `held`.
    mutating func finish(_ held: inout ByteBuffer) -> InboundFrames.Result {
        if position < end, let rest = buffer.getSlice(at: position, length: end - position) { held = rest }
        if output != nil { keepRun() }
        let passed = output ?? buffer.getSlice(at: kept, length: position - kept) ?? ByteBuffer()
        return InboundFrames.Result(passed: passed, credit: credit)
    }
}
