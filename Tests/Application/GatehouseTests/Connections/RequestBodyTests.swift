import GatewayConfiguration
import Testing

@testable import SystemFixtures

@Suite struct RequestBodyTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    @Test func aBodyOfKnownLengthKeepsItsLength() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        #expect(head.values("Content-Length") == ["5"])
        #expect(try server.read(3) == "hel")
        try client.send("lo")
        #expect(try server.read(2) == "lo")
    }

    @Test func aChunkedBodyIsChunkedUpstream() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n")
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        #expect(head.values("Transfer-Encoding") == ["chunked"])
        #expect(try server.read(8) == "3\r\nabc\r\n")
        try client.send("0\r\n\r\n")
        #expect(try server.read(5) == "0\r\n\r\n")
        try server.send(Self.ok)
        #expect(try client.readMessage().status == 200)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func aChunkedBodyMayArriveInAnyTwoParts() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        let body = Array("3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n".utf8)
        for split in 1..<body.count {
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            try client.send(Array(body[..<split]))
            try rig.onWorker { _ in }
            try client.send(Array(body[split...]))
            #expect(try server.readMessage().body == "abc0123456789", "split at \(split)")
            try server.send(Self.ok)
            #expect(try client.readMessage().status == 200)
        }
    }

    @Test func announcedTrailersPassAndOthersDoNot() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, X-Auth-Uid\r\n\r\n"
                + "1\r\na\r\n0\r\nX-Sum: 1\r\nX-Auth-Uid: admin\r\nX_Auth_Uid: admin\r\nX-Other: 2\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        #expect(try server.read(through: "0\r\n") == "1\r\na\r\n0\r\n")
        #expect(try server.read(through: "\r\n\r\n") == "X-Sum: 1\r\n\r\n")
    }

    @Test func aMalformedChunkIs400AndCutsTheUpstream() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try client.send("zz\r\n")
        #expect(try client.readMessage().status == 400)
        #expect(try !server.readToEnd().text.contains("0\r\n\r\n"))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aLongerBodyThanAllowedIs413ByItsLength() throws {
        let rig = try RequestPathRig { $0.limits.bodySize = 10 }
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n")
        #expect(try client.readMessage().status == 413)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func aBodyOfExactlyTheLimitPasses() throws {
        let rig = try RequestPathRig { $0.limits.bodySize = 10 }
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789")
        #expect(try rig.upstream.accept().readMessage().body == "0123456789")
    }

    @Test func moreChunksThanAllowedAre413() throws {
        let rig = try RequestPathRig { $0.limits.bodySize = 10 }
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        #expect(try server.read(through: "012345\r\n").hasPrefix("6\r\n"))
        try client.send("6\r\n012345\r\n")
        #expect(try client.readMessage().status == 413)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func expectContinueIsAnsweredOncePermitted() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readHead().status == 100)
        let server = try rig.upstream.accept()
        #expect(try server.readHead().value("Expect") == nil)
        try client.send("ab")
        #expect(try server.read(2) == "ab")
        try server.send(Self.ok)
        #expect(try client.readMessage().status == 200)
    }

    @Test func c09ExpectContinueIsNotAnsweredWhereTheRequestMayNotPass() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.value("Connection") == "close")
    }

    @Test func expectContinueIsNotAnsweredWhenTheBodyCameAnyway() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab")
        let server = try rig.upstream.accept()
        #expect(try server.readMessage().body == "ab")
        try server.send(Self.ok)
        #expect(try client.readHead().status == 200)
    }

    @Test func k11AnEarlyAnswerReachesTheClientAndNeitherConnectionIsUsedAgain() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno")
        let answer = try client.readMessage()
        #expect(answer.status == 403)
        #expect(answer.body == "no")
        #expect(try client.readToEnd().text.isEmpty)
        #expect(try server.readToEnd().text == "abc")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func whatArrivesAfterAnEarlyAnswerIsNoRequest() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        _ = try client.readMessage()
        try client.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readToEnd().text.isEmpty)
        #expect(!rig.upstream.hasConnection)
    }
}
