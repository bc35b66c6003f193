import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// The work of one HTTP/2 connection in one turn of its event loop.
@Suite struct HTTP2TurnTests {
    private typealias Rig = HTTP2ChannelRig

    private static func requests(_ streams: Range<UInt32>) -> [UInt8] {
        streams.flatMap { Rig.request($0 * 2 + 1, "/\($0)") }
    }

    @Test func `K-16: the heads of one read are begun 32 at a time, in their order`() throws {
        let rig = try Rig()
        try rig.send(Self.requests(0..<100))
        #expect(rig.handler.heads.count == 32 && rig.context.turns.count == 1)
        for expected in [64, 96, 100] {
            rig.takeRound()
            #expect(rig.handler.heads.count == expected)
        }
        #expect(rig.context.turns.count == 0)
        #expect(rig.handler.heads.enumerated().allSatisfy { $1.hasPrefix("GET /\($0) ") })
        #expect(try rig.frames().answered == (0..<100).map { $0 * 2 + 1 })
    }

    @Test func `32 heads in each read never wait`() throws {
        let rig = try Rig()
        for round in 0..<UInt32(5) {
            try rig.send(Self.requests(round * 32..<round * 32 + 32))
            #expect(rig.handler.heads.count == Int(round + 1) * 32 && rig.context.turns.count == 0)
        }
    }

    @Test func `frames after a deferred head wait, too, and the socket is not read meanwhile`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Self.requests(0..<33) + Rig.ping())
        let before = rig.reads.count
        rig.channel.read()
        // Bytes of TLS that were read earlier may still arrive.
        try rig.send(Self.requests(33..<34))
        #expect(try rig.frames().isEmpty && rig.handler.heads.count == 32 && rig.reads.count == before)
        rig.takeRound()
        #expect(try rig.frames().map(\.type) == [6])
        #expect(rig.handler.heads.count == 34 && rig.reads.count > before && rig.context.turns.count == 0)
    }

    @Test func `the end of the client's direction takes effect after the deferred requests`() throws {
        let rig = try Rig()
        try rig.send(Self.requests(0..<40))
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(rig.channel.isActive)
        rig.takeRound()
        #expect(rig.handler.heads.count == 40 && !rig.channel.isActive)
    }

    @Test func `a connection that closes loses its deferred requests`() throws {
        let rig = try Rig()
        try rig.send(Self.requests(0..<40))
        rig.context.multiplexed.elements.first?.stop()
        rig.takeRound()
        #expect(rig.handler.heads.count == 32 && rig.context.turns.count == 0)
    }
}
