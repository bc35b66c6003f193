import Testing

@testable import HTTPWire

struct WebSocketFramesTests {
    /// The bytes of a frame's header.
    private static func header(_ opcode: UInt8, _ length: Int, isMasked: Bool, form: Int? = nil) -> [UInt8] {
        let form = form ?? (length < 126 ? 0 : length < 65_536 ? 2 : 8)
        let short = form == 0 ? UInt8(length) : form == 2 ? 126 : 127
        let extended = stride(from: 8 * (form - 1), through: 0, by: -8).map { UInt8(length >> $0 & 0xFF) }
        return [0x80 | opcode, (isMasked ? 0x80 : 0) | short] + (form == 0 ? [] : extended)
            + (isMasked ? [0xFF, 1, 2, 0x88] : [])
    }

    private static let lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]

    private static func frame(_ length: Int, isMasked: Bool) -> [UInt8] {
        header(2, length, isMasked: isMasked) + [UInt8](repeating: 0x88, count: length)
    }

    private func pass(_ bytes: some Collection<UInt8>, _ frames: inout WebSocketFrames) {
        Array(bytes).withUnsafeBytes { frames.pass($0) }
    }

    @Test(arguments: lengths, [true, false]) func `only the end of a frame is a boundary`(length: Int, isMasked: Bool) {
        let frame = Self.frame(length, isMasked: isMasked)
        var frames = WebSocketFrames()
        for index in frame.indices {
            #expect(frames.isAtBoundary == (index == 0))
            pass(frame[index...index], &frames)
        }
        #expect(frames.isAtBoundary)
        #expect(!frames.hasClose)
    }

    @Test(arguments: [1, 2, 3, 7, 1000, 65_536]) func `frames may be split anywhere`(step: Int) {
        let bytes = Self.lengths.flatMap { Self.frame($0, isMasked: true) + Self.frame($0, isMasked: false) }
        var frames = WebSocketFrames()
        for start in stride(from: 0, to: bytes.count, by: step) {
            pass(bytes[start..<min(start + step, bytes.count)], &frames)
        }
        #expect(frames.isAtBoundary)
        pass(Self.header(2, 5, isMasked: false), &frames)
        #expect(!frames.isAtBoundary)
    }

    @Test func `a close frame is detected by its first byte`() {
        var frames = WebSocketFrames()
        pass(Self.header(1, 1, isMasked: false) + [0x88], &frames)
        #expect(!frames.hasClose)
        pass([0x88], &frames)
        #expect(frames.hasClose)
        #expect(!frames.isAtBoundary)
    }

    @Test func `the largest length is accepted`() {
        var frames = WebSocketFrames()
        pass([0x82, 127] + [UInt8](repeating: 0xFF, count: 8) + [1, 2, 3], &frames)
        #expect(!frames.isAtBoundary)
    }

    @Test func `a close frame is well formed`() {
        #expect(WebSocketClose.frame(code: 1008, reason: "ab") == [0x88, 4, 3, 0xF0, 0x61, 0x62])
        let masked = WebSocketClose.frame(code: 1001, mask: 0x0102_0304)
        #expect(masked == [0x88, 0x82, 1, 2, 3, 4, 0x03 ^ 1, 0xE9 ^ 2])
        var frames = WebSocketFrames()
        pass(masked, &frames)
        #expect(frames.isAtBoundary && frames.hasClose)
    }
}
