import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// Streams of an HTTP/2 client whose bodies are slow.
@Suite struct SlowStreamTests {
    @Test func `M-48: slow bodies end in time, whatever PING frames the client sends`() throws {
        let rig = try RequestPathRig { $0.listen[0].protocols = [.http1, .http2Cleartext] }
        let client = try FramePeer(connecting: rig.connect())
        let streams = (0..<20).map { UInt32($0) * 2 + 1 }
        for stream in streams {
            try client.respond(
                stream, [(":method", "POST"), (":scheme", "http"), (":path", "/x"), (":authority", "a")])
        }
        for _ in 0..<2 {
            for stream in streams { try client.send(data: "x", stream: stream) }
            try client.untilRead()
            try rig.pass(seconds: 9)
        }
        var resets: Set<UInt32> = []
        while resets.count < streams.count {
            let frame = try client.next()
            if frame.type == FramePeer.Kind.reset { resets.insert(frame.stream) }
        }
        #expect(resets == Set(streams))
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.requestTimeout) } == 20)
        // The connection itself is not late.
        try client.untilRead()
    }
}
