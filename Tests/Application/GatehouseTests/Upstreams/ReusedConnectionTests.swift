import GatewayConfiguration
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Events on reused connections between two requests.
@Suite struct ReusedConnectionTests {
    /// Unsolicited bytes of an upstream are not a response to the next request on its connection.
    @Test(arguments: ["GET", "POST"], ["HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n", nil])
    func `bytes before a request was sent are not its response`(method: String, unasked: String?) throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try rig.batch("\(method) /next HTTP/1.1\r\nHost: a\r\n\r\n", answer: unasked)
        let other = try rig.upstream.accept()
        #expect(try other.readHead().start == "\(method) /next HTTP/1.1")
        try other.send(.okResponse)
        #expect(try client.readMessage().status == 200)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    /// The bytes of the body are lost with the connection.
    @Test func `a request with a body is not sent again`() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try rig.batch("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody", answer: nil)
        #expect(try client.readMessage().status == 502)
        #expect(try server.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }

    /// The gateway detects the closed client when it sends the response. At that time another request uses the
    /// connection.
    @Test func `a disconnected client does not use the connection of another`() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        try rig.onLoop { $0.connectionContext.flushes.limit = 1 }
        let (gone, server) = try rig.exchange("POST /gone HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
        let next = try rig.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        try rig.batch("b", answer: String.okResponse) { gone.reset() }
        #expect(try server.read(1) == "b")
        #expect(try server.readHead().start == "GET /next HTTP/1.1")
        try server.send(.okResponse)
        #expect(try next.readMessage().status == 200)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }
}
