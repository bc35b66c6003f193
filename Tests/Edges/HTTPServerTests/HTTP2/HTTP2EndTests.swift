import GatewayCore
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// The ends of HTTP/2 connections: drain, age, idleness, timeouts and a client that does not read.
@Suite struct HTTP2EndTests {
    private typealias Rig = HTTP2ChannelRig
    private static let anyStream: UInt32 = 0x7FFF_FFFF

    @Test func `M-54: a drained connection serves requests on their way, then refuses others and closes`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1))
        rig.context.isDraining = true
        rig.pass(seconds: 0.1)
        #expect(try rig.goAways() == [[Self.anyStream, 0]])
        // The client has sent this request before it received GOAWAY.
        try rig.send(Rig.request(3))
        rig.pass(seconds: 0.9)
        #expect(try rig.frames().isEmpty)
        rig.pass(seconds: 0.2)
        #expect(try rig.goAways() == [[3, 0]])
        try rig.send(Rig.request(5))
        #expect(try rig.frames().resets == [[5, 7]])
        rig.release()
        #expect(try rig.frames().answered == [1, 3])
        rig.pass(seconds: 0.1)
        #expect(rig.handler.heads.count == 2 && !rig.channel.isActive)
    }

    @Test func `a drained connection without streams closes after the second GOAWAY`() throws {
        let rig = try Rig()
        rig.context.isDraining = true
        rig.pass(seconds: 0.1)
        #expect(rig.channel.isActive)
        rig.pass(seconds: 1.1)
        #expect(try rig.goAways() == [[Self.anyStream, 0], [0, 0]] && !rig.channel.isActive)
    }

    @Test func `M-53: the worker's stop ends a drained connection with streams`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1))
        rig.context.isDraining = true
        rig.pass(seconds: 0.1)
        rig.pass(seconds: 3_600)
        #expect(rig.channel.isActive)
        rig.context.multiplexed.elements.first?.stop()
        rig.channel.embeddedEventLoop.run()
        #expect(!rig.channel.isActive && rig.context.multiplexed.isEmpty)
    }

    @Test func `the age of a connection is limited, give or take a tenth`() throws {
        for _ in 0..<20 {
            let rig = try Rig {
                $0.http2.maximumAge = 100_000_000_000
                $0.idleTimeout = .max / 2
            }
            rig.pass(seconds: 89)
            #expect(try rig.goAways() == [])
            rig.pass(seconds: 22)
            #expect(try rig.goAways() == [[Self.anyStream, 0]])
        }
        let rig = try Rig {
            $0.http2.maximumAge = nil
            $0.idleTimeout = .max / 2
        }
        rig.pass(seconds: 1_000_000)
        #expect(try rig.goAways() == [] && rig.channel.isActive)
    }

    @Test func `M-48: a connection without streams closes when it is idle, whatever PING frames it sends`() throws {
        let rig = try Rig()
        try rig.send(Rig.request(1))
        _ = try rig.frames()
        for _ in 0..<7 {
            rig.pass(seconds: 10)
            try rig.send(Rig.ping())
        }
        #expect(try rig.goAways() == [])
        rig.pass(seconds: 6)
        #expect(try rig.goAways() == [[1, 0]] && !rig.channel.isActive)
    }

    private func post(_ rig: Rig, _ streams: UInt32...) throws {
        rig.handler.receiver = { Rig.BodyReceiver($0) }
        for stream in streams { try rig.send(Rig.request(stream, method: "POST", ends: false)) }
    }

    @Test func `M-48: streams below the body rate end alone, whatever PING frames arrive`() throws {
        let rig = try Rig()
        try post(rig, 1, 3, 5)
        for _ in 0..<2 {
            // Stream 5 sends nothing.
            try rig.send(Rig.ping() + Rig.data(1, 1) + Rig.data(3, 5_000))
            rig.pass(seconds: 9)
        }
        let frames = try rig.frames()
        #expect(Set(frames.answered) == [1, 5] && Set(frames.resets) == [[1, 0], [5, 0]])
        #expect(rig.handler.codes == [.requestTimeout, .requestTimeout])
        try rig.send(Rig.data(3, 1, ends: true))
        #expect(try rig.frames().answered == [3] && rig.channel.isActive)
        #expect(rig.handler.codes.last == .routeNotFound)
    }

    @Test func `M-48: a stream without bytes ends at the idle timeout, while others continue`() throws {
        let rig = try Rig { $0.bodyRate = 0 }
        try post(rig, 1, 3)
        for second in 0..<8 {
            #expect(try rig.frames().answered.isEmpty, "\(second)")
            try rig.send(Rig.ping() + Rig.data(3, 1))
            rig.pass(seconds: 9.5)
        }
        let frames = try rig.frames()
        #expect(frames.answered == [1] && frames.resets == [[1, 0]] && rig.handler.codes == [.requestTimeout])
        try rig.send(Rig.data(3, 1, ends: true))
        #expect(try rig.frames().answered == [3])
    }

    @Test func `M-48: a slow stream whose response has begun is reset`() throws {
        let rig = try Rig()
        rig.handler.receiver = { Rig.BodyReceiver($0, respondsEarly: true) }
        try rig.send(Rig.request(1, method: "POST", ends: false) + Rig.data(1, 1))
        #expect(try rig.frames().answered == [1])
        try rig.send(Rig.ping())
        rig.pass(seconds: 18)
        #expect(try rig.frames().resets == [[1, 2]] && rig.handler.codes == [.requestTimeout] && rig.channel.isActive)
    }

    @Test func `a connection with a stream is not idle`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1))
        rig.pass(seconds: 1_000)
        #expect(try rig.goAways() == [] && rig.channel.isActive)
        rig.release()
        rig.pass(seconds: 74)
        #expect(rig.channel.isActive)
    }

    private func setWritable(_ isWritable: Bool, _ rig: Rig) {
        rig.channel.isWritable = isWritable
        rig.channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test func `M-41: a client that reads nothing for the idle timeout is disconnected`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1))
        setWritable(false, rig)
        rig.pass(seconds: 74)
        setWritable(true, rig)
        rig.pass(seconds: 10)
        setWritable(false, rig)
        rig.pass(seconds: 74)
        #expect(rig.channel.isActive)
        rig.pass(seconds: 2)
        #expect(!rig.channel.isActive)
    }

    @Test(arguments: [
        [], Array("PRI * HT".utf8), Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8),
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + HTTP2ChannelRig.frame(4),
    ])
    func `M-47: an incomplete beginning ends with an error in time`(bytes: [UInt8]) throws {
        let rig = try Rig(begins: false)
        try rig.send(bytes)
        rig.pass(seconds: 9)
        #expect(try rig.goAways() == [] && rig.channel.isActive)
        rig.pass(seconds: 2)
        #expect(try rig.goAways() == [[0, 4]] && !rig.channel.isActive)
    }

    @Test func `M-31: an incomplete head ends with an error in time, while others are served`() throws {
        let rig = try Rig()
        try rig.send(Rig.request(1) + Rig.request(3).dropLast(2))
        rig.pass(seconds: 9)
        #expect(try rig.frames().answered == [1])
        rig.pass(seconds: 2)
        #expect(try rig.goAways() == [[3, 4]])
    }

    @Test func `M-55: a client's GOAWAY ends nothing, and its end closes after the last stream`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1) + Rig.frame(7, [0, 0, 0, 0, 0, 0, 0, 0]))
        rig.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        rig.pass(seconds: 10)
        #expect(rig.channel.isActive && rig.context.multiplexed.streamCount == 1)
        rig.release()
        rig.pass(seconds: 0.1)
        #expect(try rig.frames().answered == [1] && !rig.channel.isActive)
    }
}
