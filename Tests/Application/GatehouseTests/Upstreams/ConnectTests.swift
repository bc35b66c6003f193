import GatewayConfiguration
import GatewayCore
import HTTPServer
import Testing

@testable import Gatehouse
@testable import SystemFixtures

@Suite struct ConnectTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func aServerThatRefusesIs502() throws {
        let rig = try RequestPathRig()
        rig.upstream.close()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try client.readMessage()
        #expect(answer.status == 502)
        #expect(answer.body.contains("upstream/unreachable"))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aServerThatRefusesIsReplacedByAnother() throws {
        let gone = try LoopbackListener()
        gone.close()
        let rig = try RequestPathRig {
            $0.upstreams[0].servers.insert(Configuration.UpstreamServer(host: "127.0.0.1", port: gone.port), at: 0)
        }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        #expect(try client.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func requestsThatWaitBehindARefusedOneAreRefusedToo() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        rig.upstream.close()
        let clients = try (0..<20).map { _ in try rig.connect() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        for client in clients { #expect(try client.readMessage().status == 502) }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func manyWhoWaitMayFailAtOnce() throws {
        // Connecting to the broadcast address fails without waiting.
        let rig = try RequestPathRig {
            $0.upstreams[0].connections = 1
            let dead = Configuration.UpstreamServer(host: "255.255.255.255", port: 1)
            $0.upstreams[0].servers += Array(repeating: dead, count: 1500)
        }
        let first = try rig.connect()
        try first.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let clients = try (0..<300).map { _ in try rig.connect() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        try rig.untilPool(open: 1, idle: 0, waiting: 300)
        server.close()
        for client in clients { #expect(try client.readMessage().status == 502) }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func requestsShareTheServersInTurn() throws {
        let second = try LoopbackListener()
        let rig = try RequestPathRig {
            $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
        }
        let clients = try (0..<2).map { _ in try rig.connect() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        _ = try rig.upstream.accept().readHead()
        _ = try second.accept().readHead()
    }

    @Test func aFullPoolMakesTheNextRequestWait() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let first = try rig.connect()
        try first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let second = try rig.connect()
        try second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        try server.send(Self.ok)
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
        try server.send(Self.ok)
        #expect(try first.readMessage().body == "ok")
        #expect(try second.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func aRequestThatWaitsTooLongForAConnectionIs504() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let first = try rig.connect()
        try first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let second = try rig.connect()
        try second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        try rig.pass(seconds: 2.1)
        #expect(try second.readMessage().status == 504)
        #expect(try rig.pool() == [1, 0, 0])
        #expect(first.isQuiet)
    }

    @Test func asManyAsMayWaitAndNoMore() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let count = 1024 + 2
        // One connection pipelines nothing past its first request, so each request needs a client.
        let clients = try (0..<count).map { _ in try rig.connect() }
        for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        let refused = try clients.firstIndex { client in
            try rig.untilPool(open: 1, idle: 0, waiting: 1024)
            return !client.isQuiet
        }
        let answer = try clients[refused ?? 0].readMessage()
        #expect(answer.status == 503)
        #expect(answer.value("Retry-After") == "1")
        #expect(answer.body.contains("gateway/overloaded"))
    }

    @Test func aClientThatLeavesWhileItWaitsIsForgotten() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let first = try rig.connect()
        try first.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let second = try rig.connect()
        try second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        second.reset()
        try rig.untilPool(open: 1, idle: 0, waiting: 0)
        try server.send(Self.ok)
        #expect(try first.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func aClientThatLeavesMidAnswerEndsTheUpstreamConnection() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        _ = try client.read(through: "abc")
        client.reset()
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try rig.until { $0.front.registry.count == 0 }
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.clientClosed) } == 1)
    }

    @Test func aClientThatLeavesBeforeItsAnswerEndsTheUpstreamConnection() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        client.reset()
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.clientClosed) } == 1)
    }

    @Test func aRequestThatEndsAsItsConnectionComesKeepsNoPlace() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        for _ in 0..<3 {
            let client = try rig.connect()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
            #expect(try client.readMessage().status == 400)
            try rig.untilPool(open: 0, idle: 0, waiting: 0)
        }
    }

    @Test func thePlaceOfAnEndedConnectionGoesToWhoWaits() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let first = try rig.connect()
        try first.send("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let second = try rig.connect()
        try second.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        server.close()
        #expect(try first.readMessage().status == 502)
        let next = try rig.upstream.accept()
        #expect(try next.readHead().start == "GET /2 HTTP/1.1")
    }
}
