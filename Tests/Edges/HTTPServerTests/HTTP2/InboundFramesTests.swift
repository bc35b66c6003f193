import NIOCore
import Testing

@testable import HTTPServer

@Suite struct InboundFramesTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private let limits = HTTP2Limits()

    private static func frame(
        _ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []
    ) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt8(0))
        buffer.writeInteger(UInt16(payload.count))
        buffer.writeInteger(type)
        buffer.writeInteger(flags)
        buffer.writeInteger(stream)
        return Array(buffer.readableBytesView) + payload
    }

    private func opened(_ limits: HTTP2Limits? = nil) -> InboundFrames {
        var frames = InboundFrames(limits ?? self.limits, now: 0)
        _ = frames.receive(ByteBuffer(bytes: Self.preface + Self.frame(4)), now: 0)
        return frames
    }

    @Test(arguments: [1, 2, 3, 9, 10, 100, 10_000])
    func `bytes pass unchanged, whatever their pieces`(size: Int) {
        let bytes =
            Self.preface + Self.frame(4, payload: [0, 3, 0, 0, 0, 100]) + Self.frame(4, flags: 1)
            + Self.frame(1, flags: 4, stream: 1, payload: [1, 2, 3])
            + Self.frame(0, flags: 1, stream: 1, payload: Array(repeating: 7, count: 2_000)) + Self.frame(0xAB)
        var frames = InboundFrames(limits, now: 0)
        var passed: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let result = frames.receive(ByteBuffer(bytes: rest.prefix(size)), now: 0)
            #expect(result.failure == nil)
            passed += result.passed.readableBytesView
            rest = rest.dropFirst(size)
        }
        #expect(passed == bytes)
        #expect(frames.lastStream == 1 && frames.hasSettings && frames.hasAcknowledgement)
    }

    @Test func `M-45: the compression table and the frames that a client asks for are limited`() {
        var frames = InboundFrames(limits, now: 0)
        let asked: [UInt8] = [0, 1, 255, 255, 255, 255, 0, 5, 0, 255, 255, 255, 0, 4, 127, 255, 255, 255]
        let result = frames.receive(ByteBuffer(bytes: Self.preface + Self.frame(4, payload: asked)), now: 0)
        let passed = Array(result.passed.readableBytesView.suffix(18))
        #expect(passed == [0, 1, 0, 0, 16, 0, 0, 5, 0, 0, 64, 0, 0, 4, 127, 255, 255, 255])
    }

    @Test func `M-44: a SETTINGS frame has a bounded number of entries`() {
        var frames = opened()
        let entries = Array(repeating: [0, 3, 0, 0, 0, 1] as [UInt8], count: 33).flatMap(\.self)
        let result = frames.receive(ByteBuffer(bytes: Self.frame(4, payload: entries)), now: 0)
        #expect(result.failure == .settings)
    }

    @Test func `M-43: an invalid value of the setting for CONNECT is an error`() {
        var frames = opened()
        let result = frames.receive(ByteBuffer(bytes: Self.frame(4, payload: [0, 8, 0, 0, 0, 2])), now: 0)
        #expect(result.failure == .protocolError)
    }

    static let floods: [(id: String, frame: [UInt8], permitted: Int, failure: HTTP2Failure)] = [
        ("M-28", frame(3, stream: 1, payload: [0, 0, 0, 8]), 200, .resets),
        ("M-30", frame(2, stream: 1, payload: [0, 0, 0, 0, 1]), 199, .controlFrames),
        ("M-39", frame(6, payload: Array(repeating: 0, count: 8)), 199, .controlFrames),
        ("M-39", frame(4), 199, .controlFrames), ("M-37", frame(0, stream: 1), 200, .controlFrames),
        ("M-42", frame(8, stream: 1, payload: [0, 0, 0, 1]), 2_000, .controlFrames),
        ("M-42", frame(0xAB), 199, .controlFrames),
        ("M-51", frame(0, flags: 8, stream: 1, payload: [0]), 200, .controlFrames),
    ]

    @Test(arguments: floods)
    func `M-28, M-30, M-37, M-39, M-42, M-51: floods end the connection`(
        row: (id: String, frame: [UInt8], permitted: Int, failure: HTTP2Failure)
    ) {
        var frames = opened()
        for number in 0..<row.permitted {
            let result = frames.receive(ByteBuffer(bytes: row.frame), now: 0)
            #expect(result.failure == nil, "\(row.id) \(number)")
        }
        let result = frames.receive(ByteBuffer(bytes: row.frame), now: 0)
        #expect(result.failure == row.failure, "\(row.id)")
    }

    @Test func `M-37: the same frames over a long time are permitted`() {
        var frames = opened()
        for minute in 0..<1_000 {
            let now = UInt64(minute) * 60_000_000_000
            for bytes in [Self.frame(0, stream: 1), Self.frame(6, payload: Array(repeating: 0, count: 8))] {
                let result = frames.receive(ByteBuffer(bytes: bytes), now: now)
                #expect(result.failure == nil)
            }
        }
    }

    @Test func `M-42: each frame of a response permits WINDOW_UPDATE frames`() {
        var frames = opened()
        let updates = ByteBuffer(bytes: (0..<10).flatMap { _ in Self.frame(8, stream: 1, payload: [0, 0, 0, 1]) })
        for _ in 0..<1_000 {
            frames.sentData()
            let result = frames.receive(updates, now: 0)
            #expect(result.failure == nil)
        }
    }

    @Test func `M-39: each frame of a response permits a PING`() {
        var frames = opened()
        let ping = ByteBuffer(bytes: Self.frame(6, payload: Array(repeating: 0, count: 8)))
        for _ in 0..<1_000 {
            frames.sentData()
            let result = frames.receive(ping, now: 0)
            #expect(result.failure == nil)
        }
    }

    @Test func `M-31: the time of a head includes its payload`() {
        var frames = opened()
        let head = Self.frame(1, flags: 5, stream: 1, payload: [1, 2, 3])
        _ = frames.receive(ByteBuffer(bytes: head.prefix(10)), now: 5)
        #expect(frames.headBegan == 5)
        _ = frames.receive(ByteBuffer(bytes: head.dropFirst(10)), now: 6)
        #expect(frames.headBegan == nil)
    }

    @Test func `M-29: resets that the client's errors caused count like its own`() {
        var frames = opened()
        let caused = (0..<200).map { frames.sentReset(UInt32($0), errorCode: 1, now: 0) }
        let own = frames.sentReset(999, errorCode: 8, now: 0)
        let last = frames.sentReset(1001, errorCode: 3, now: 0)
        #expect(!caused.contains(false) && own && !last)
    }

    @Test func `M-31: CONTINUATION frames of a head are bounded`() {
        var frames = opened()
        let result = frames.receive(ByteBuffer(bytes: Self.frame(1, stream: 1)), now: 5)
        #expect(result.failure == nil)
        #expect(frames.headBegan == 5)
        for _ in 0..<16 {
            let result = frames.receive(ByteBuffer(bytes: Self.frame(9, stream: 1)), now: 6)
            #expect(result.failure == nil)
        }
        #expect(frames.headBegan == 5)
        let last = frames.receive(ByteBuffer(bytes: Self.frame(9, stream: 1)), now: 6)
        #expect(last.failure == .continuations)
    }

    @Test(arguments: [0, 6, 1, 4, 0xAB] as [UInt8])
    func `M-32: another frame within a head is an error`(type: UInt8) {
        var frames = opened()
        _ = frames.receive(ByteBuffer(bytes: Self.frame(1, stream: 1)), now: 0)
        let result = frames.receive(ByteBuffer(bytes: Self.frame(type, stream: 3)), now: 0)
        #expect(result.failure != nil)
    }

    @Test(arguments: [1, 4, 9, 50, 10_000])
    func `M-51, M-54: late frames of a reset stream are removed, and their DATA credited`(size: Int) {
        var frames = opened()
        _ = frames.sentReset(1, errorCode: 0, now: 0)
        let kept = Self.frame(0, stream: 3, payload: [1, 2, 3]) + Self.frame(1, flags: 4, stream: 5, payload: [9])
        let bytes =
            Self.frame(0, stream: 1, payload: Array(repeating: 0, count: 50)) + kept
            + Self.frame(8, stream: 1, payload: [0, 0, 0, 1]) + Self.frame(3, stream: 1, payload: [0, 0, 0, 8])
            + Self.frame(0, flags: 1, stream: 1, payload: [5])
        var passed: [UInt8] = []
        var credit = 0
        var rest = bytes[...]
        while !rest.isEmpty {
            let result = frames.receive(ByteBuffer(bytes: rest.prefix(size)), now: 0)
            passed += result.passed.readableBytesView
            credit += result.credit
            rest = rest.dropFirst(size)
        }
        #expect(passed == kept)
        #expect(credit == 51)
    }
}

extension InboundFramesTests {
    @Test func `M-61: a late head gets a number of its own, and later streams higher ones`() {
        var frames = opened()
        let head = { (stream: UInt32) in Self.frame(1, flags: 5, stream: stream, payload: [9]) }
        _ = frames.receive(ByteBuffer(bytes: head(1) + head(3)), now: 0)
        _ = frames.sentReset(1, errorCode: 0, now: 0)
        let late = Self.frame(1, flags: 1, stream: 1, payload: [7]) + Self.frame(9, flags: 4, stream: 1, payload: [8])
        let result = frames.receive(ByteBuffer(bytes: late + head(5) + Self.frame(0, stream: 3)), now: 0)
        let expected =
            Self.frame(1, flags: 1, stream: 5, payload: [7]) + Self.frame(9, flags: 4, stream: 5, payload: [8])
            + head(7) + Self.frame(0, stream: 3)
        #expect(Array(result.passed.readableBytesView) == expected && result.failure == nil)
        #expect(frames.lastStream == 5)
    }

    @Test func `a turn begins a limited number of heads, and keeps the frames from the next one on`() {
        var frames = opened()
        let heads = (0..<40).map { Self.frame(1, flags: 5, stream: $0 * 2 + 1, payload: [9]) }
        let first = frames.receive(ByteBuffer(bytes: heads.flatMap(\.self)), now: 0)
        #expect(Array(first.passed.readableBytesView) == heads[..<32].flatMap(\.self) && frames.isDeferred)
        let more = frames.receive(ByteBuffer(bytes: Self.frame(0xAB)), now: 0)
        #expect(more.passed.readableBytes == 0 && frames.isDeferred && frames.lastStream == 63)
        frames.beginTurn()
        let rest = frames.receive(ByteBuffer(), now: 0)
        #expect(Array(rest.passed.readableBytesView) == heads[32...].flatMap(\.self) + Self.frame(0xAB))
        #expect(!frames.isDeferred)
    }
}

@Suite struct OutboundFramesTests {
    private func written(_ bytes: [UInt8], _ frames: inout OutboundFrames) -> (OutboundFrames.Written, [UInt8]) {
        var buffer = ByteBuffer(bytes: bytes)
        let written = frames.write(&buffer)
        return (written, Array(buffer.readableBytesView))
    }

    @Test func `the first SETTINGS frame announces less than NIO enforces`() {
        var frames = OutboundFrames(streams: 100, headerListSize: 65_536)
        let head: [UInt8] = [0, 0, 18, 4, 0, 0, 0, 0, 0]
        let settings: [UInt8] = [0, 3, 0, 0, 0, 166, 0, 4, 0, 1, 0, 0, 0, 6, 0, 2, 0, 0]
        let first = written(head + settings, &frames).1
        let second = written(head + settings, &frames).1
        #expect(first == head + [0, 3, 0, 0, 0, 100, 0, 4, 0, 1, 0, 0, 0, 6, 0, 1, 0, 0])
        #expect(second == head + settings)
    }

    static let frames: [(bytes: [UInt8], written: OutboundFrames.Written)] = [
        ([0, 0, 4, 3, 0, 0, 0, 0, 7, 0, 0, 0, 2], .init(resetStream: 7, resetCode: 2)),
        ([0, 0, 9, 0, 0, 0, 0, 0, 1], .init(dataFrames: 1)),
        ([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], .init()),
        ([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1], .init(hasFailed: true)),
    ]

    @Test(arguments: frames)
    func `resets, errors and DATA are found`(row: (bytes: [UInt8], written: OutboundFrames.Written)) {
        var frames = OutboundFrames(streams: 1, headerListSize: 1)
        let result = written(row.bytes, &frames).0
        #expect(result == row.written)
    }

    @Test func `M-61: frames get the streams of the client, and the reset of a late head is found`() {
        var numbering = StreamNumbering()
        _ = numbering.lateHead(after: 1)
        var frames = OutboundFrames(streams: 1, headerListSize: 1)
        var known = ByteBuffer(bytes: [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 2])
        let reset = frames.write(&known, numbering)
        #expect(reset == .init(resetStream: 3, resetCode: 2))
        #expect(Array(known.readableBytesView) == [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 2])
        var late = ByteBuffer(bytes: [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 1])
        let unknown = frames.write(&late, numbering)
        #expect(unknown.isUnknown && unknown.resetStream == nil)
    }

    /// The stream 3 is that of a late head.
    private static let misframed: [[UInt8]] = [
        [0, 0, 4, 3, 0, 0, 0, 0, 3], [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0],
        [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 1],
        [0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 1],
    ]

    @Test(arguments: misframed)
    func `M-61: a frame of an unknown stream beside others, or without its payload, is an error`(_ bytes: [UInt8]) {
        var numbering = StreamNumbering()
        _ = numbering.lateHead(after: 1)
        var frames = OutboundFrames(streams: 1, headerListSize: 1)
        var buffer = ByteBuffer(bytes: bytes)
        #expect(frames.write(&buffer, numbering) == .init(isMisframed: true))
    }

    @Test func `a frame header in pieces is an error`() {
        var frames = OutboundFrames(streams: 1, headerListSize: 1)
        #expect(written([0, 0, 4, 3, 0, 0, 0, 0], &frames).0 == .init(isMisframed: true))
    }

    @Test func `payloads are skipped`() {
        var frames = OutboundFrames(streams: 1, headerListSize: 1)
        let data = written([0, 0, 9, 0, 0, 0, 0, 0, 1], &frames).0
        let payload = written([0, 0, 4, 3, 0, 0, 0, 0, 7], &frames).0
        let next = written([0, 0, 4, 3, 0, 0, 0, 0, 7, 0, 0, 0, 2], &frames).0
        #expect(data.dataFrames == 1 && payload == .init() && next.resetStream == 7)
    }
}
