import GatewayCore
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// Malformed CONNECT requests, floods of small frames, and GOAWAY of clients, on a connection in memory.
@Suite struct HTTP2FloodTests {
    private typealias Rig = HTTP2ChannelRig

    static let connects: [[(String, String)]] = [
        [(":method", "CONNECT"), (":scheme", "http"), (":path", "/"), (":authority", "a:22")],
        [(":method", "CONNECT"), (":path", "/"), (":authority", "a:22")], [(":method", "CONNECT")],
        [(":method", "CONNECT"), (":authority", "")], [(":method", "CONNECT"), ("host", "a:22")],
    ]

    @Test(arguments: connects)
    func `M-24: a malformed CONNECT is refused, and other streams are served`(fields: [(String, String)]) throws {
        let rig = try Rig()
        let block = fields.flatMap { Rig.field($0.0, $0.1) }
        try rig.send(Rig.frame(1, flags: 4, stream: 1, block) + Rig.request(3, "/three"))
        let frames = try rig.frames()
        #expect(frames.answered.contains(3))
        #expect(frames.answered.contains(1) || frames.resets.contains { $0[0] == 1 })
        #expect(rig.handler.heads.count == 1 && rig.handler.heads[0].hasPrefix("GET /three "))
        #expect(rig.channel.isActive)
    }

    /// DATA of one byte with padding to 256.
    private static let padded = Rig.frame(
        0, flags: 8, stream: 1, [254, 0x61] + Array(repeating: 0, count: 254))

    @Test func `M-38: padded DATA of one byte is accepted at the permitted rate`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1, method: "POST", ends: false))
        for _ in 0..<2 {
            for _ in 0..<100 { try rig.send(Self.padded) }
            rig.pass(seconds: 1)
        }
        #expect(try rig.goAways() == [])
        try rig.send(Rig.frame(0, flags: 1, stream: 1))
        rig.release()
        #expect(try rig.frames().answered == [1])
    }

    @Test func `M-38: a flood of padded DATA of one byte ends the connection within its windows`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1, method: "POST", ends: false))
        for _ in 0..<250 where rig.channel.isActive { try rig.send(Self.padded) }
        #expect(try rig.goAways() == [[1, 0xB]])
        #expect(rig.count(.http2ControlFrames) == 1)
    }

    @Test func `M-40: a client that reads no resets is disconnected after a bounded number`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        rig.channel.isWritable = false
        rig.channel.pipeline.fireChannelWritabilityChanged()
        var streams: UInt32 = 0
        while streams < 3_000, rig.channel.isActive {
            let stream = 2 * streams + 1
            // NIO may throw its error of the connection.
            try? rig.send(
                Rig.request(stream, method: "POST", ends: false) + Rig.frame(8, stream: stream, [0, 0, 0, 0]))
            streams += 1
        }
        #expect(streams <= 1_100 && !rig.channel.isActive)
        rig.channel.embeddedEventLoop.run()
        #expect(rig.context.multiplexed.streamCount == 0 && rig.context.multiplexed.isEmpty)
    }

    @Test(
        arguments: [
            [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0, 0, 0],
            [0x7F, 255, 255, 255, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0xB],
        ] as [[UInt8]])
    func `M-55: after any GOAWAY of a client its open streams finish, and further ones are served or refused`(
        payload: [UInt8]
    ) throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1) + Rig.frame(7, payload))
        try? rig.send(Rig.request(3))
        rig.release()
        let frames = try rig.frames()
        #expect(frames.answered.contains(1))
        #expect(frames.answered.contains(3) || frames.resets.contains { $0[0] == 3 })
        #expect(rig.context.multiplexed.streamCount == 0)
    }

    @Test func `M-61: a denied upload with trailers in the same read ends neither its connection nor other streams`()
        throws
    {
        let rig = try Rig()
        let upload = Rig.request(1, method: "POST", ends: false) + Rig.frame(0, stream: 1, [1])
        let trailers = Rig.frame(1, flags: 5, stream: 1, Rig.field("x", "y"))
        try rig.send(upload + trailers + Rig.request(3, "/three"))
        let frames = try rig.frames()
        #expect(frames.answered == [1, 3] && rig.channel.isActive)
    }
}
