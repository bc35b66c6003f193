import GatewayConfiguration
import GatewayCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct KeepAliveTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func aRequestIsForwardedAndItsAnswerComesBack() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET /a?b=c HTTP/1.1\r\nHost: a.example\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET /a?b=c HTTP/1.1")
        try server.send(Self.ok)
        let answer = try client.readMessage()
        #expect(answer.status == 200)
        #expect(answer.body == "ok")
    }

    @Test func bothConnectionsServeTheNextRequest() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        for number in 1...3 {
            try client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try server.readHead().start == "GET /\(number) HTTP/1.1")
            try server.send(Self.ok)
            #expect(try client.readMessage().body == "ok")
        }
        #expect(try rig.pool() == [1, 1, 0])
    }

    @Test func twoRequestsInOneReadAreAnsweredInOrder() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET /1 HTTP/1.1")
        #expect(server.isQuiet)
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")
        #expect(try client.readMessage().body == "1")
        #expect(try client.readMessage().body == "2")
    }

    @Test func refusedRequestsInOneReadAreEachAnswered() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(String(repeating: "GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n", count: 500))
        for _ in 0..<500 { #expect(try client.readMessage().status == 401) }
    }

    @Test func aRefusedRequestWithItsBodyAtHandLeavesTheConnectionOpen() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(
            "POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /private/y HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        let first = try client.readMessage()
        #expect(first.status == 401)
        #expect(first.value("Connection") == nil)
        #expect(try client.readMessage().status == 401)
    }

    @Test func aRefusedRequestWhoseBodyIsStillToComeEndsTheConnection() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\nabc")
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.value("Connection") == "close")
        #expect(try client.readToEnd().end == .finished)
    }

    @Test func connectionCloseIsHonoured() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().value("Connection") == nil)
        try server.send(Self.ok)
        #expect(try client.readMessage().value("Connection") == "close")
        #expect(try client.readToEnd().end == .finished)
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func http10WithoutKeepAliveCloses() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET / HTTP/1.1")
        try server.send(Self.ok)
        #expect(try client.readToEnd().text.hasSuffix("ok"))
    }

    @Test func http10WithKeepAliveIsToldSo() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        #expect(try client.readMessage().value("Connection") == "keep-alive")
        try client.send("GET /2 HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
    }

    @Test func http10GetsChunksAsBytesUpToTheEnd() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        let answer = try client.readToEnd()
        #expect(answer.text.hasSuffix("Connection: close\r\n\r\nabcde"))
        #expect(!answer.text.contains("chunked"))
    }

    @Test func headAnswersHaveNoBody() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
        #expect(try client.readHead().value("Content-Length") == "500")
        // On another connection: whatever the upstream may still send belongs to nobody.
        #expect(try rig.upstream.accept().readHead().start == "GET /2 HTTP/1.1")
    }

    @Test func aRefusalOfHeadHasNoBody() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("HEAD /private/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try client.readToEnd().text.hasSuffix("\r\n\r\n"))
    }

    @Test func statuses204And304HaveNoBody() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.warm()
        for status in [204, 304] {
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try server.readHead()
            try server.send("HTTP/1.1 \(status) x\r\n\r\n")
            #expect(try client.readHead().status == status)
        }
    }

    @Test func aHalfClosedClientIsStillAnswered() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        client.finishSending()
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try rig.until { $0.front.registry.connections.first?.connection.peerFinished == true }
        try server.send(Self.ok)
        let answer = try client.readToEnd()
        #expect(answer.text.contains("Connection: close"))
        #expect(answer.text.hasSuffix("ok"))
    }

    @Test func aHalfClosedClientWhoseBodyWaitsForAConnectionIsStillAnswered() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let busy = try rig.connect()
        try busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
        client.finishSending()
        try rig.until { $0.front.registry.connections.contains { $0.connection.peerFinished } }
        try server.send(Self.ok)
        #expect(try server.readMessage().body == "body")
        try server.send(Self.ok)
        #expect(try client.readToEnd().text.hasSuffix("ok"))
    }

    @Test func pipelinedRequestsOfAHalfClosedClientAreAllAnswered() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.finishSending()
        let server = try rig.upstream.accept()
        for _ in 1...2 {
            _ = try server.readHead()
            try server.send(Self.ok)
        }
        let text = try client.readToEnd().text
        #expect(text.ranges(of: "HTTP/1.1 200 OK").count == 2)
    }

    @Test func aBodyCutShortByHalfClosingNeverLooksWholeUpstream() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        #expect(try server.read(3) == "abc")
        client.finishSending()
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aDrainingWorkerClosesAfterTheAnswer() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try rig.onLoop { $0.drain() }
        try server.send(Self.ok)
        let answer = try client.readMessage()
        #expect(answer.value("Connection") == "close")
        #expect(try client.readToEnd().end == .finished)
    }

    @Test func aDrainingWorkerClosesIdleConnectionsAfterASecond() throws {
        let rig = try RequestPathRig()
        let (client, _) = try rig.warm()
        try rig.onLoop { $0.drain() }
        try rig.pass(seconds: 0.5)
        #expect(client.isQuiet)
        try rig.pass(seconds: 1)
        #expect(try client.readToEnd().end == .finished)
        try rig.until { $0.front.registry.count == 0 }
    }

    @Test func stoppingCountsNoRequestThatWasOver() throws {
        let rig = try RequestPathRig()
        let (client, _) = try rig.warm()
        try rig.onLoop { $0.stop() }
        #expect(try client.readToEnd().text.isEmpty)
        let counted = try rig.onLoop { $0.counters.snapshot().requests(.clientClosed) }
        #expect(counted == 0)
    }
}
