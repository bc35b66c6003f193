import GatewayConfiguration
import Testing

@testable import SystemFixtures

@Suite struct UpstreamFailureTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func aReusedConnectionThatClosesUnansweredIsReplacedOnce() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try server.readHead()
        server.close()
        let second = try rig.upstream.accept()
        #expect(try second.readHead().start == "GET /again HTTP/1.1")
        try second.send(Self.ok)
        #expect(try client.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func aReusedConnectionThatResetsIsReplacedToo() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try server.readHead()
        server.reset()
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        try second.send(Self.ok)
        #expect(try client.readMessage().body == "ok")
    }

    @Test func theSecondConnectionIsNotReplaced() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("GET /again HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try server.readHead()
        server.close()
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        second.close()
        #expect(try client.readMessage().status == 502)
        #expect(!rig.upstream.hasConnection)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aSecondConnectionThatServedBeforeIsNotReplacedEither() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 2 }
        let (client, server) = try rig.warm()
        let other = try rig.connect()
        try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try server.readHead()
        try other.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        let third = try rig.connect()
        try third.send("GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 2, idle: 0, waiting: 1)
        // `/c` takes the place of the connection that ends, `/a` waits behind it for the one of `/b`.
        server.close()
        let fresh = try rig.upstream.accept()
        #expect(try fresh.readHead().start == "GET /c HTTP/1.1")
        try second.send(Self.ok)
        #expect(try second.readHead().start == "GET /a HTTP/1.1")
        second.close()
        #expect(try client.readMessage().status == 502)
    }

    @Test func aPostIsNotSentTwice() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        _ = try server.readHead()
        server.close()
        #expect(try client.readMessage().status == 502)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func aPutIsNotSentAgainOnceAPartOfItsBodyWas() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
        #expect(try server.readMessage().body == "ab")
        server.close()
        #expect(try client.readMessage().status == 502)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func aPutIsSentAgainWithItsBodyWhenNoneOfItWasSent() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
        _ = try server.readHead()
        server.close()
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        try client.send("ab")
        #expect(try second.read(2) == "ab")
        try second.send(Self.ok)
        #expect(try client.readMessage().body == "ok")
    }

    @Test func aFreshConnectionThatClosesUnansweredIs502() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.upstream.accept().close()
        #expect(try client.readMessage().status == 502)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func afterAFailureTheClientsConnectionGoesOn() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.upstream.accept().close()
        #expect(try client.readMessage().status == 502)
        let second = try rig.upstream.accept()
        #expect(try second.readHead().start == "GET /2 HTTP/1.1")
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\nY: b\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello",
    ])
    func aMalformedAnswerIs502AndItsConnectionEnds(answer: String) throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(answer)
        let seen = try client.readMessage()
        #expect(seen.status == 502)
        #expect(seen.body.contains("upstream/invalid-response"))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func anAnswersHeadThatIsTooLargeIs502() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 66_000))")
        #expect(try client.readMessage().status == 502)
    }

    @Test func anAnswersHeadThatIsCutShortIs502() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-")
        server.close()
        #expect(try client.readMessage().status == 502)
    }

    @Test func aBodyOfKnownLengthThatIsCutShortIsNotCompleted() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        #expect(try client.read(through: "abc").contains("200"))
        server.close()
        #expect(try client.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test(arguments: [false, true])
    func chunksThatAreCutShortAreNotCompleted(malformed: Bool) throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        _ = try client.read(through: "abc\r\n")
        if malformed { try server.send("zz\r\n") } else { server.close() }
        #expect(try client.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aBodyUpToTheEndIsCompletedByTheEnd() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\n\r\nabc")
        server.close()
        #expect(try client.readMessage().body == "abc")
        try client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readMessage().status == 401)
    }

    @Test func aBodyUpToTheEndThatAResetEndsIsNotCompleted() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\n\r\nabc")
        _ = try client.read(through: "abc")
        server.reset()
        #expect(try client.readToEnd().text == "\r\n")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func unsolicitedBytesOnAnIdleConnectionEndIt() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let second = try rig.upstream.accept()
        _ = try second.readHead()
        try second.send(Self.ok)
        #expect(try client.readMessage().body == "ok")
    }

    @Test func bytesBehindAnAnswerAreNoAnswer() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
        #expect(try client.readMessage().body == "ok")
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        #expect(client.isQuiet)
    }

    @Test func anUpstreamThatSaysCloseIsNotUsedAgain() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        let answer = try client.readMessage()
        #expect(answer.body == "ok")
        #expect(answer.value("Connection") == nil)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func interimAnswersPassAnd100DoesNot() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\nConnection: x\r\nX: y\r\n\r\n"
                + Self.ok)
        let interim = try client.readHead()
        #expect(interim.status == 103)
        #expect(interim.lines == ["Link: <a>"])
        #expect(try client.readMessage().body == "ok")
    }

    @Test(arguments: [100, 103], [16, 17])
    func `K-11: sixteen interim responses may come, and not one more`(status: Int, count: Int) throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(String(repeating: "HTTP/1.1 \(status) X\r\n\r\n", count: count) + Self.ok)
        for _ in 0..<(status == 103 ? 16 : 0) { #expect(try client.readHead().status == 103) }
        #expect(try client.readMessage().status == (count == 16 ? 200 : 502))
    }

    @Test(arguments: ["zz\r\n", "3\r\nabc\r\nzz\r\n", "1\r\nab", "0\r\nno field\r\n\r\n", "fffffffffffffffff\r\n"])
    func `chunks that are malformed from the start are 502`(chunks: String) throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        let seen = try client.readMessage()
        #expect(seen.status == 502 && seen.body.contains("upstream/invalid-response"))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func interimAnswersDoNotReachHTTP10() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 103 Early Hints\r\n\r\n" + Self.ok)
        #expect(try client.readMessage().status == 200)
    }

    @Test func chunksAndTheirAnnouncedTrailersReachTheClient() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, Content-Length\r\n\r\n2\r\nab\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\n\r\n"
        )
        #expect(try client.readHead().values("Trailer") == ["X-Sum"])
        #expect(try client.read(through: "\r\n\r\n") == "2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n")
    }

    @Test func anAnswersHopByHopFieldsStayBehind() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(
            "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nConnection: X-Hop\r\nX-Hop: 1\r\nUpgrade: h2\r\nX-A: b\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(try client.readMessage().lines == ["X-A: b", "Content-Length: 0"])
    }

    @Test func aLengthWhereThereIsNoBodyStaysBehind() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 103 Early\r\nContent-Length: 0\r\n\r\nHTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.readHead().lines.isEmpty)
        #expect(try client.readHead().lines.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }
}
