import GatewayCore
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// Heads that a client sends for a stream that the gateway has reset, before it receives the reset.
@Suite struct LateHeadTests {
    private typealias Rig = HTTP2ChannelRig

    /// A connection whose stream 1 was answered and reset before the end of its body.
    private func rig() throws -> Rig {
        let rig = try Rig()
        try rig.send(Rig.request(1, method: "POST", ends: false))
        let frames = try rig.frames()
        #expect(frames.answered == [1] && frames.resets == [[1, 0]])
        return rig
    }

    private static let trailers = Rig.frame(1, flags: 5, stream: 1, Rig.field("x-late", "seen", isIndexed: true))
    /// A reference to the first entry of the dynamic table.
    private static let reference: [UInt8] = [0xBE]

    @Test func `M-61: late trailers are ignored but for the compression table, and other streams are served`() throws {
        let rig = try rig()
        try rig.send(Self.trailers + Rig.request(3, "/three", Self.reference))
        try rig.send(Rig.request(5, "/five", method: "POST", ends: false))
        let frames = try rig.frames()
        #expect(frames.answered == [3, 5] && frames.resets == [[5, 0]] && frames.allSatisfy { $0.goAway.isEmpty })
        #expect(rig.handler.heads.count == 3 && rig.handler.heads[1].contains("x-late: seen\r\n"))
        #expect(rig.channel.isActive)
    }

    @Test func `M-61: frames of streams before and after a late head reach their streams`() throws {
        let rig = try rig()
        rig.handler.holds = true
        try rig.send(Rig.request(3, ends: false))
        try rig.send(Self.trailers + Rig.request(5, ends: false))
        // The client resets the first and ends the second.
        try rig.send(Rig.frame(3, stream: 3, [0, 0, 0, 8]) + Rig.frame(0, flags: 1, stream: 5))
        #expect(rig.context.multiplexed.streamCount == 1)
        rig.release()
        let frames = try rig.frames()
        #expect(frames.answered == [5] && frames.resets == [] && rig.context.multiplexed.streamCount == 0)
    }

    @Test(arguments: [false, true])
    func `M-61: a late head in pieces, and with CONTINUATION frames, is one head`(isSplit: Bool) throws {
        let rig = try rig()
        let block = Rig.field("x-late", "seen", isIndexed: true)
        let bytes =
            Rig.frame(1, flags: 1, stream: 1, Array(block.prefix(3)))
            + Rig.frame(9, flags: 4, stream: 1, Array(block.dropFirst(3))) + Rig.request(3, "/three", Self.reference)
        for piece in isSplit ? bytes.map({ [$0] }) : [bytes] { try rig.send(piece) }
        let frames = try rig.frames()
        #expect(frames.answered == [3] && frames.resets == [] && frames.allSatisfy { $0.goAway.isEmpty })
        #expect(rig.handler.heads.last?.contains("x-late: seen\r\n") == true)
    }

    @Test func `M-61: a late head that looks like a request is not served`() throws {
        let rig = try rig()
        try rig.send(Rig.request(1, "/hidden") + Rig.request(3, "/three"))
        let frames = try rig.frames()
        #expect(frames.answered == [3] && frames.resets == [])
        #expect(rig.handler.heads.count == 2 && !rig.handler.heads.contains { $0.contains("/hidden") })
        #expect(rig.context.multiplexed.streamCount == 0)
    }

    @Test func `a late head does not count as a refused stream, and a stream over the limit does`() throws {
        let rig = try rig()
        try rig.send(Self.trailers + Rig.request(3))
        #expect(try rig.frames().answered == [3] && rig.count(.http2StreamsRefused) == 0)
        let full = try Rig { $0.http2.streams = 1 }
        full.handler.holds = true
        try full.send(Rig.request(1) + Rig.request(3))
        #expect(try full.frames().resets == [[3, 7]] && full.count(.http2StreamsRefused) == 1)
    }

    @Test func `M-61: frames of an unknown stream that NIO writes in pieces end the connection`() throws {
        let rig = try rig()
        try rig.send(Self.trailers)
        let guardian = try rig.channel.pipeline.syncOperations.handler(type: FrameGuard.self)
        let context = try rig.channel.pipeline.syncOperations.context(handler: guardian)
        let head = ByteBuffer(bytes: [0, 0, 9, 0, 0, 0, 0, 0, 3])
        let written = rig.channel.embeddedEventLoop.makePromise(of: Void.self)
        guardian.write(context: context, data: NIOAny(IOData.byteBuffer(head)), promise: written)
        rig.channel.embeddedEventLoop.run()
        #expect(throws: (any Error).self) { try written.futureResult.wait() }
        #expect(try rig.goAways() == [[1, 2]] && rig.count(.http2EncodingErrors) == 1)
    }

    @Test func `M-61: a connection with many late heads is replaced, and a flood of them ends it`() throws {
        let rig = try Rig { $0.http2.resets = 1_000 }
        var goAways: [[UInt32]] = []
        for number in 0..<UInt32(StreamNumbering.preferredMaximum) {
            let stream = number * 2 + 1
            try rig.send(Rig.request(stream, method: "POST", ends: false))
            try rig.send(Rig.frame(1, flags: 5, stream: stream, Rig.field("x-late", "seen")))
            goAways += try rig.goAways()
        }
        #expect(goAways == [[127, 0]] && rig.context.multiplexed.streamCount == 0)
        let other = try Rig { $0.http2.resets = 20 }
        try other.send(Rig.request(1, method: "POST", ends: false))
        for _ in 0..<21 { try other.send(Self.trailers) }
        #expect(try other.goAways() == [[1, 0xB]])
    }

    @Test func `trailers after the end of a request are an error of the client`() throws {
        let rig = try Rig()
        try rig.send(Rig.request(1))
        #expect(try rig.frames().answered == [1])
        try rig.send(Self.trailers)
        #expect(try rig.goAways().map { $0.last } == [1])
    }
}
