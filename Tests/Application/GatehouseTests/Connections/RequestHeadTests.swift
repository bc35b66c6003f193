import GatewayConfiguration
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct RequestHeadTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    @Test func aHeadMayArriveInAnyTwoParts() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        let head = "GET /x HTTP/1.1\r\nHost: a\r\nX-A: b\r\n\r\n"
        for split in 1..<head.utf8.count {
            let bytes = Array(head.utf8)
            try client.send(Array(bytes[..<split]))
            try rig.until { $0.front.registry.connections[0].connection.hasPartialHead }
            try client.send(Array(bytes[split...]))
            let seen = try server.readHead()
            #expect(seen.start == "GET /x HTTP/1.1", "split at \(split)")
            #expect(seen.values("X-A") == ["b"], "split at \(split)")
            try server.send(Self.ok)
            #expect(try client.readMessage().status == 200)
        }
    }

    @Test func anAnswersHeadMayArriveInAnyTwoParts() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        let answer = Array("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok".utf8)
        for split in 1..<answer.count {
            try client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try server.readHead()
            try server.send(Array(answer[..<split]))
            try rig.onWorker { _ in }
            try server.send(Array(answer[split...]))
            let seen = try client.readMessage()
            #expect(seen.value("X-A") == "b", "split at \(split)")
            #expect(seen.body == "ok", "split at \(split)")
        }
    }

    @Test func aHeadLargerThanItMayBeIs431() throws {
        let rig = try RequestPathRig { $0.limits.headSize = 1024 }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "a", count: 1024))\r\n\r\n")
        let answer = try client.readMessage()
        #expect(answer.status == 431)
        #expect(answer.value("Connection") == "close")
    }

    @Test func aHeadWithoutAnEndIs431() throws {
        let rig = try RequestPathRig { $0.limits.headSize = 1024 }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nX-A: \(String(repeating: "a", count: 1100))")
        #expect(try client.readMessage().status == 431)
    }

    @Test func moreFieldsThanThereMayBeAre431() throws {
        let rig = try RequestPathRig { $0.limits.headFields = 3 }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n")
        #expect(try client.readMessage().status == 431)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET /a/../.. HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "\r\n\r\n",
        "garbage\n\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n",
    ])
    func k01AMalformedHeadIs400AndNothingGoesUpstream(head: String) throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(head)
        #expect(try client.readMessage().status == 400)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func afterAMalformedHeadTheConnectionEnds() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nBad\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readMessage().value("Connection") == "close")
        #expect(try client.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }

    @Test(arguments: ["CONNECT a:443", "TRACE /"])
    func c06C07TunnelsAndLoopTestsAre405(line: String) throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("\(line) HTTP/1.1\r\nHost: a:443\r\n\r\n")
        let answer = try client.readMessage()
        #expect(answer.status == 405)
        #expect(answer.value("Allow")?.contains("GET") == true)
    }

    @Test func requestsThatNeverEndOnAReadsBoundaryHoldNoMemory() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        let request = Array("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        try client.send(Array(request[..<10]))
        for _ in 0..<3000 {
            try client.send(Array(request[10...] + request[..<10]))
            #expect(try client.readMessage().status == 401)
        }
        let capacity = try rig.onWorker { $0.front.registry.connections[0].inbound.storageCapacity }
        #expect(capacity <= 16_384)
    }
}
