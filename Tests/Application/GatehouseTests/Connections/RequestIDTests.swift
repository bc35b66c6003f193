import Testing

@testable import SystemFixtures

/// Every response has the ID that the upstream received and the logs contain.
@Suite struct RequestIDTests {
    private let rig: RequestPathRig

    init() throws { rig = try TunnelRig.rig() }

    @Test(arguments: ["", "X-Request-Id: theirs\r\n", "x-request-id: a\r\nX-REQUEST-ID: b\r\n"])
    func `a forwarded response has the gateway's ID instead of the upstream's`(fields: String) throws {
        let client = try rig.send()
        let server = try rig.upstream.accept()
        let received = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        let response = try client.readMessage()
        #expect(response.body == "ok")
        #expect(response.values("X-Request-Id") == received.values("X-Request-Id"))
        #expect(response.value("X-Request-Id")?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    }

    @Test func `an interim response has no ID of the upstream`() throws {
        let (client, server) = try rig.exchange()
        try server.send("HTTP/1.1 103 Early Hints\r\nX-Request-Id: theirs\r\nLink: </a>\r\n\r\n" + .okResponse)
        let interim = try client.readHead()
        #expect(interim.status == 103 && interim.value("Link") == "</a>" && interim.value("X-Request-Id") == nil)
        #expect(try client.readMessage().value("X-Request-Id") != nil)
    }

    @Test func `a tunnel's 101 has the gateway's ID`() throws {
        let client = try rig.send(TunnelRig.handshake("/ws"))
        let server = try rig.upstream.accept()
        let received = try server.readHead()
        try server.send(TunnelRig.switching + "X-Request-Id: theirs\r\n\r\n")
        let response = try client.readHead()
        #expect(response.status == 101)
        #expect(response.values("X-Request-Id") == received.values("X-Request-Id"))
    }

    @Test func `each response of a connection has its own ID`() throws {
        let (client, server) = try rig.warm()
        var ids: Set<String> = []
        for _ in 0..<3 {
            try client.send(.getRequest)
            try server.respond()
            ids.insert(try client.readMessage().value("X-Request-Id") ?? "")
        }
        #expect(ids.count == 3)
    }

    @Test(arguments: ["BROKEN\r\n\r\n", "GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n"])
    func `a denial has the ID of its problem document`(request: String) throws {
        let response = try rig.send(request).readMessage()
        let id = try #require(response.value("X-Request-Id"))
        #expect(response.body.contains(#""request_id":"\#(id)""#))
    }
}
