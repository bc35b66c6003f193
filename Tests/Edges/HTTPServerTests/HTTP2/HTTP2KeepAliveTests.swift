import GatewayCore
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// The PING frames of the gateway, by which it finds clients that are gone.
@Suite struct HTTP2KeepAliveTests {
    private typealias Rig = HTTP2ChannelRig
    private static let ping: UInt8 = 6
    private static let acknowledgement = Rig.frame(6, flags: 1, Array(repeating: 0, count: 8))

    /// A connection with a stream.
    private func rig(interval: Double = 30, timeout: Double = 5) throws -> Rig {
        let limits = KeepAlive.Limits(
            interval: UInt64(interval * 1_000_000_000), timeout: UInt64(timeout * 1_000_000_000))
        let rig = try Rig { $0.http2.keepAlive = limits }
        rig.handler.holds = true
        try rig.send(Rig.request(1))
        return rig
    }

    @Test func `by default, no PING is sent`() throws {
        let rig = try Rig()
        rig.handler.holds = true
        try rig.send(Rig.request(1))
        rig.pass(seconds: 100_000)
        #expect(try rig.frames().allSatisfy { $0.type != Self.ping })
    }

    @Test func `a silent client is sent PING, and disconnected with its streams without a response`() throws {
        let rig = try rig()
        rig.pass(seconds: 29)
        #expect(try rig.frames().isEmpty)
        rig.pass(seconds: 2)
        #expect(try rig.frames() == [Rig.Frame(type: Self.ping, stream: 0, payload: Array(repeating: 0, count: 8))])
        rig.pass(seconds: 4)
        #expect(try rig.frames().isEmpty && rig.handler.codes.isEmpty)
        rig.pass(seconds: 2)
        #expect(try rig.goAways() == [[1, 0]] && rig.handler.codes == [.clientClosed])
        rig.pass(seconds: 3)
        #expect(!rig.channel.isActive && rig.count(.http2PingTimeouts) == 1)
    }

    @Test(arguments: [acknowledgement, HTTP2ChannelRig.frame(8, stream: 1, [0, 0, 0, 1]), [0]])
    func `any received bytes are a response`(bytes: [UInt8]) throws {
        let rig = try rig()
        rig.pass(seconds: 31)
        try rig.send(bytes)
        rig.pass(seconds: 9)
        #expect(try rig.frames().map(\.type) == [Self.ping] && rig.channel.isActive)
    }

    @Test func `acknowledgements of the gateway's PINGs do not count against the client, and others do`() throws {
        let rig = try Rig {
            $0.http2.controlFrames = 10
            $0.http2.keepAlive = KeepAlive.Limits(interval: 1, timeout: 1_000_000_000)
        }
        for _ in 0..<40 {
            rig.pass(seconds: 0.001)
            try rig.send(Self.acknowledgement)
        }
        #expect(try rig.goAways() == [])
        try rig.send((0..<15).flatMap { _ in Self.acknowledgement })
        #expect(try rig.goAways() == [[0, 11]])
    }

    @Test func `an acknowledged PING does not extend the idle timeout`() throws {
        let rig = try rig()
        rig.release()
        for _ in 0..<2 {
            rig.pass(seconds: 31)
            try rig.send(Self.acknowledgement)
        }
        #expect(try rig.goAways() == [])
        rig.pass(seconds: 14)
        #expect(try rig.goAways() == [[1, 0]])
    }

    @Test func `while a client does not read, its idle timeout applies, and none of PING`() throws {
        let rig = try rig()
        setWritable(false, rig)
        rig.pass(seconds: 70)
        #expect(try rig.frames().isEmpty && rig.channel.isActive)
        setWritable(true, rig)
        rig.pass(seconds: 29)
        #expect(try rig.frames().isEmpty)
        rig.pass(seconds: 2)
        #expect(try rig.frames().map(\.type) == [Self.ping])
    }

    private func setWritable(_ isWritable: Bool, _ rig: Rig) {
        rig.channel.isWritable = isWritable
        rig.channel.pipeline.fireChannelWritabilityChanged()
    }
}
