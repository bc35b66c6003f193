import GatewayConfiguration
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Connections that serve one request after the other, in the moments between these.
@Suite struct ReusedConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// What an upstream says unasked is no answer to the request that its connection was just given.
    @Test(arguments: ["GET", "POST"], ["HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n", nil])
    func whatComesBeforeARequestWasSentIsNoAnswerToIt(method: String, unasked: String?) throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try rig.batch("\(method) /next HTTP/1.1\r\nHost: a\r\n\r\n", answer: unasked)
        let other = try rig.upstream.accept()
        #expect(try other.readHead().start == "\(method) /next HTTP/1.1")
        try other.send(Self.ok)
        #expect(try client.readMessage().status == 200)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    /// The body's bytes are gone with the connection that they were meant for.
    @Test func aRequestWithABodyIsNotSentAgain() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try rig.batch("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody", answer: nil)
        #expect(try client.readMessage().status == 502)
        #expect(try server.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }

    /// The client of an answer is found gone when it is sent: by then its connection is another request's.
    @Test func aClientThatIsGoneTakesNoOthersConnection() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        try rig.onLoop { $0.front.flushes.limit = 1 }
        let gone = try rig.connect()
        try gone.send("POST /gone HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let next = try rig.connect()
        try next.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        try rig.batch("b", answer: Self.ok) { gone.reset() }
        #expect(try server.read(1) == "b")
        #expect(try server.readHead().start == "GET /next HTTP/1.1")
        try server.send(Self.ok)
        #expect(try next.readMessage().status == 200)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }
}
