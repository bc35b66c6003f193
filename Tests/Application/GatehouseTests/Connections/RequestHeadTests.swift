import GatewayConfiguration
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct RequestHeadTests {
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    @Test func `a request may arrive in any two parts`() throws {
        let (client, server) = try rig.warm()
        let request = Array(
            ("PUT /x HTTP/1.1\r\nHost: a\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n").utf8)
        for split in 1..<request.count {
            try client.send(Array(request[..<split]))
            try rig.until {
                let connection = $0.connectionContext.registry.elements[0].connection
                return connection.hasPartialHead || connection.isServing
            }
            try client.send(Array(request[split...]))
            let received = try server.readMessage()
            #expect(received.start == "PUT /x HTTP/1.1", "split at \(split)")
            #expect(received.values("X-A") == ["b"], "split at \(split)")
            #expect(received.body == "abc0123456789", "split at \(split)")
            try server.send(.okResponse)
            #expect(try client.readMessage().status == 200)
        }
    }

    @Test func `a response head may arrive in any two parts`() throws {
        let (client, server) = try rig.warm()
        let response = Array("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok".utf8)
        for split in 1..<response.count {
            try client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try server.readHead()
            try server.send(Array(response[..<split]))
            try rig.onWorker { _ in }
            try server.send(Array(response[split...]))
            let received = try client.readMessage()
            #expect(received.value("X-A") == "b", "split at \(split)")
            #expect(received.body == "ok", "split at \(split)")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "a", count: 1024))\r\n\r\n",
        "GET / HTTP/1.1\r\nX-A: \(String(repeating: "a", count: 1100))",
        "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n",
    ])
    func `a head above the limits is 431`(head: String) throws {
        let rig = try RequestPathRig {
            $0.limits.headSize = 1024
            $0.limits.headFields = 3
        }
        let response = try rig.send(head).readMessage()
        #expect(response.status == 431)
        #expect(response.value("Connection") == "close")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET /a/../.. HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "\r\n\r\n",
        "garbage\n\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n",
    ])
    func `K-01: a malformed head is 400 and not forwarded`(head: String) throws {
        let client = try rig.send(head)
        #expect(try client.readMessage().status == 400)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `after a malformed head the connection ends`() throws {
        let client = try rig.send("GET / HTTP/1.1\r\nBad\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readMessage().value("Connection") == "close")
        #expect(try client.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }

    @Test(arguments: ["CONNECT a:443", "TRACE /"])
    func `C-06, C-07: CONNECT and TRACE are 405`(line: String) throws {
        let client = try rig.send("\(line) HTTP/1.1\r\nHost: a:443\r\n\r\n")
        let response = try client.readMessage()
        #expect(response.status == 405)
        #expect(response.value("Allow")?.contains("GET") == true)
    }

    @Test func `requests that never end at a read boundary hold no memory`() throws {
        let client = try rig.connect()
        let request = Array("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        try client.send(Array(request[..<10]))
        for _ in 0..<1000 {
            try client.send(Array(request[10...] + request[..<10]))
            #expect(try client.readMessage().status == 401)
        }
        let capacity = try rig.onWorker { $0.connectionContext.registry.elements[0].inbound.storageCapacity }
        #expect(capacity <= 16_384)
    }
}
