import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

@Suite struct EventStreamTests {
    private struct Stream {
        let rig: RequestPathRig
        let client: LoopbackSocket
        let server: LoopbackSocket
    }

    private func stream(
        type: String = "text/event-stream; charset=utf-8", _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> Stream {
        let rig = try RequestPathRig(adjust)
        try rig.installKeys()
        let token = TokenDraft.idToken().signed()
        let (client, server) = try rig.exchange(
            "GET /private/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
        try server.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(try client.readHead().status == 200)
        return Stream(rig: rig, client: client, server: server)
    }

    @Test func `each chunk is forwarded immediately`() throws {
        let stream = try stream()
        for number in 0..<20 {
            try stream.server.send("8\r\ndata:\(number % 10)\n\n\r\n")
            #expect(try stream.client.read(through: "\n\n\r\n") == "8\r\ndata:\(number % 10)\n\n\r\n")
        }
    }

    @Test func `a stream may pause for longer than other responses`() throws {
        let stream = try stream { $0.limits.requestTimeout = .seconds(60) }
        try stream.rig.pass(seconds: 590)
        try stream.server.send("1\r\n:\r\n")
        #expect(try stream.client.read(6) == "1\r\n:\r\n")
    }

    @Test(arguments: [
        ("application/grpc+proto", true), ("multipart/x-mixed-replace; boundary=a", true), ("TEXT/Event-Stream", true),
        ("text/plain; charset=utf-8", false), ("application/json; a=b", false),
    ])
    func `streams are recognised by their types`(type: String, isStream: Bool) throws {
        let stream = try stream(type: type)
        #expect(try stream.rig.onWorker { $0.counters.snapshot()[.streamsOpen] } == (isStream ? 1 : 0))
        try stream.rig.pass(seconds: isStream ? 300 : 76)
        #expect(try isStream ? stream.client.isQuiet : stream.client.readToEnd().text.isEmpty)
    }

    @Test func `H-06: a stream ends unfinished when its token expires`() throws {
        let stream = try stream { $0.limits.streamIdleTimeout = .seconds(86_400) }
        try stream.server.send("1\r\n:\r\n")
        #expect(try stream.client.read(6) == "1\r\n:\r\n")
        try stream.rig.pass(seconds: 3500)
        #expect(try stream.client.readToEnd().text.isEmpty)
        _ = try stream.server.readToEnd()
        #expect(try stream.rig.onWorker { $0.counters.snapshot().requests(.idTokenExpired) } == 1)
    }

    @Test func `a stream that completes leaves the connection open`() throws {
        let stream = try stream()
        try stream.server.send("0\r\n\r\n")
        #expect(try stream.client.read(5) == "0\r\n\r\n")
        try stream.rig.until { $0.counters.snapshot()[.streamsOpen] == 0 }
        try stream.client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try stream.server.readHead().start == "GET /next HTTP/1.1")
    }
}
