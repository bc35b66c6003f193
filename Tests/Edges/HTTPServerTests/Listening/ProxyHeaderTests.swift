import HTTPWire
import NIOCore
import NIOEmbedded
import Testing

@testable import GatewayCore
@testable import HTTPServer

@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    private static func version2(_ command: UInt8, _ family: UInt8, _ payload: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? payload.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xff)] + payload
    }

    private static let addresses4: [UInt8] = [192, 0, 2, 7, 10, 0, 0, 1, 0x12, 0x67, 0x01, 0xbb]
    private static let addresses6: [UInt8] =
        [0x20, 0x01, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 0, count: 16) + [0, 1, 0, 2]

    static let good: [([UInt8], String?)] = [
        (Array("PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\r\n".utf8), "192.0.2.7"),
        (Array("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n".utf8), "2001:db8::1"),
        (Array("PROXY UNKNOWN\r\n".utf8), nil), (Array("PROXY UNKNOWN ffff::1 anything 1 2\r\n".utf8), nil),
        (version2(0x21, 0x11, addresses4), "192.0.2.7"), (version2(0x21, 0x21, addresses6), "2001:db8::1"),
        (version2(0x21, 0x11, addresses4 + [3, 0, 4, 1, 2, 3, 4]), "192.0.2.7"), (version2(0x20, 0x00, []), nil),
        (version2(0x20, 0x11, addresses4), nil), (version2(0x20, 0x00, [1, 2, 3]), nil),
        (version2(0x21, 0x00, []), nil), (version2(0x21, 0x31, Array(repeating: 0x2f, count: 216)), nil),
        (version2(0x21, 0x11, addresses4 + Array(repeating: 0, count: 4096)), "192.0.2.7"),
    ]

    static let bad: [[UInt8]] = [
        Array("GET / HTTP/1.1\r\n".utf8), Array("PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\n".utf8), [0x16, 3, 1],
        Array("PROXY TCP4 192.0.2.7 10.0.0.1 4711\r\n".utf8), Array("PROXY TCP4  192.0.2.7 10.0.0.1 4711 443\r\n".utf8),
        Array("PROXY TCP4 2001:db8::1 ::1 1 2\r\n".utf8), Array("PROXY TCP6 192.0.2.7 10.0.0.1 1 2\r\n".utf8),
        Array("PROXY TCP4 192.0.2.7 10.0.0.1 65536 443\r\n".utf8),
        Array("PROXY TCP4 192.0.2.7 10.0.0.1 01 443\r\n".utf8),
        Array("PROXY TCP4 192.0.2.777 10.0.0.1 1 443\r\n".utf8), Array("proxy TCP4 192.0.2.7 10.0.0.1 1 443\r\n".utf8),
        Array("PROXY \r\n".utf8), Array("PROXY UDP4 192.0.2.7 10.0.0.1 1 443\r\n".utf8),
        Array("PROXY TCP4 ".utf8) + Array(repeating: 0x31, count: 120),
        Array("PROXY UNKNOWN ".utf8) + Array(repeating: 0x61, count: 93), [13, 10, 13, 11],
        version2(0x11, 0x11, addresses4), version2(0x22, 0x11, addresses4), version2(0x21, 0x12, addresses4),
        version2(0x21, 0x41, addresses4), version2(0x21, 0x11, Array(addresses4.dropLast())),
        version2(0x21, 0x21, addresses4),
        version2(0x21, 0x11, addresses4, length: 4096 + 13), version2(0x20, 0x00, [], length: 65535),
    ]

    @Test(arguments: good) func `a complete header contains the source address`(_ header: [UInt8], _ source: String?) {
        let expected = ProxyHeader.Finding.complete(length: header.count, source: source.flatMap { IPAddress($0) })
        #expect((header + [0x16, 3]).withUnsafeBytes(ProxyHeader.find) == expected)
        for count in 0..<header.count {
            #expect(header.prefix(count).withUnsafeBytes(ProxyHeader.find) == .needsMore)
        }
    }

    @Test(arguments: bad) func `an invalid header is malformed`(_ header: [UInt8]) {
        #expect(header.withUnsafeBytes(ProxyHeader.find) == .malformed)
    }

    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var sources: [IPAddress?] = []
        var bytes: [UInt8] = []

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let header = event as? ProxyHeaderRead { sources.append(header.source) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes += Array(buffer: unwrapInboundIn(data)) }
    }

    @Test(arguments: good) func `bytes after the header are passed on`(_ header: [UInt8], _ source: String?) throws {
        for step in [1, 7, header.count + 3] {
            let recorder = Recorder()
            let channel = EmbeddedChannel(handlers: [ProxyHeaderHandler(nil), recorder])
            let all = header + [0x16, 0x03, 0x01]
            for start in stride(from: 0, to: all.count, by: step) {
                try channel.writeInbound(ByteBuffer(bytes: all[start..<min(start + step, all.count)]))
            }
            #expect(recorder.sources == [source.flatMap { IPAddress($0) }])
            #expect(recorder.bytes == [0x16, 0x03, 0x01])
            #expect(throws: (any Error).self) {
                try channel.pipeline.syncOperations.handler(type: ProxyHeaderHandler.self)
            }
            _ = try? channel.finish()
        }
    }

    @Test(arguments: bad) func `a connection without a valid header is closed and counted`(_ bytes: [UInt8]) throws {
        let counters = WorkerCounters(routes: 1, upstreams: 1)
        let recorder = Recorder()
        let opening = ConnectionOpening(isSecure: true, counters: counters)
        let channel = EmbeddedChannel(handlers: [ProxyHeaderHandler(opening), recorder])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        #expect(!channel.isActive)
        #expect(recorder.sources.isEmpty && recorder.bytes.isEmpty)
        #expect(counters.snapshot()[.proxyHeaderFailures] == 1)
    }
}
