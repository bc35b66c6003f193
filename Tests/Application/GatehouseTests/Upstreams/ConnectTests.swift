import Foundation
import GatewayConfiguration
import GatewayCore
import HTTPServer
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

@Suite struct ConnectTests {
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig { $0.upstreams[0].connections = 1 } }

    /// A request on the only connection, and a request that waits for it.
    private func queue(
        _ request: String = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
    ) throws -> (first: LoopbackSocket, server: LoopbackSocket, second: LoopbackSocket) {
        let (first, server) = try rig.exchange(request)
        let second = try rig.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.untilPool(open: 1, idle: 0, waiting: 1)
        return (first, server, second)
    }

    @Test func `a server that refuses connections is 502 for all waiting requests`() throws {
        rig.upstream.close()
        let clients = try (0..<20).map { _ in try rig.send() }
        let responses = try clients.map { try $0.readMessage() }
        #expect(responses.allSatisfy { $0.status == 502 })
        #expect(responses.contains { $0.body.contains("upstream/unreachable") })
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a server that refuses connections is logged once, and when it is back`() throws {
        let log = LogLines()
        let rig = try RequestPathRig(log: log) { $0.upstreams[0].connections = 1 }
        let port = rig.upstream.port
        rig.upstream.close()
        for _ in 0..<3 { #expect(try rig.send().readMessage().status == 502) }
        let server = "server=http://127.0.0.1:\(port) upstream=api"
        let refused = "reason=connect: Connection refused (errno \(ECONNREFUSED))"
        #expect(
            log.texts == ["warning upstream server unreachable address=127.0.0.1 failures=1 \(refused) \(server)"])
        try rig.pass(seconds: 31)
        #expect(try rig.send().readMessage().status == 502)
        #expect(log.texts.last?.contains("unreachable address=127.0.0.1 failures=4 ") == true)
        let back = try LoopbackListener(port: port)
        let client = try rig.send()
        try back.accept().respond()
        #expect(try client.readMessage().status == 200)
        #expect(
            log.texts.dropFirst(2) == [
                "notice upstream server reachable again address=127.0.0.1 failures=4 \(server)"
            ])
    }

    @Test func `a server that refuses connections is replaced by another`() throws {
        let gone = try LoopbackListener()
        gone.close()
        let rig = try RequestPathRig {
            $0.upstreams[0].servers.insert(Configuration.UpstreamServer(host: "127.0.0.1", port: gone.port), at: 0)
        }
        let (client, server) = try rig.exchange()
        try server.send(.okResponse)
        #expect(try client.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func `many waiting requests may fail at the same time`() throws {
        // Connecting to the broadcast address fails immediately.
        let rig = try RequestPathRig {
            $0.upstreams[0].connections = 1
            let dead = Configuration.UpstreamServer(host: "255.255.255.255", port: 1)
            $0.upstreams[0].servers += Array(repeating: dead, count: 1500)
        }
        let (first, server) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        let clients = try (0..<300).map { _ in try rig.send() }
        try rig.untilPool(open: 1, idle: 0, waiting: 300)
        server.close()
        for client in [first] + clients { #expect(try client.readMessage().status == 502) }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `requests share the servers in turn`() throws {
        let second = try LoopbackListener()
        let rig = try RequestPathRig {
            $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
        }
        let clients = try (0..<2).map { _ in try rig.send() }
        _ = try rig.upstream.accept().readHead()
        _ = try second.accept().readHead()
        withExtendedLifetime(clients) {}
    }

    @Test func `a full pool makes the next request wait`() throws {
        let (first, server, second) = try queue()
        try server.send(.okResponse)
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
        try server.send(.okResponse)
        #expect(try first.readMessage().body == "ok")
        #expect(try second.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test func `a request that waits too long for a connection is 504`() throws {
        let (first, server, second) = try queue()
        try rig.pass(seconds: 2.1)
        #expect(try second.readMessage().status == 504)
        #expect(try rig.pool() == [1, 0, 0])
        #expect(first.isQuiet && server.isQuiet)
    }

    @Test func `requests above the limit of the queue are 503`() throws {
        let count = 1024 + 2
        // A connection with a running request pipelines no second one, so each request needs a client.
        let clients = try (0..<count).map { _ in try rig.send() }
        let refused = try clients.firstIndex { client in
            try rig.untilPool(open: 1, idle: 0, waiting: 1024)
            return !client.isQuiet
        }
        let response = try clients[refused ?? 0].readMessage()
        #expect(response.status == 503)
        #expect(response.value("Retry-After") == "1")
        #expect(response.body.contains("gateway/overloaded"))
    }

    @Test func `a client that leaves while it waits is removed`() throws {
        let (first, server, second) = try queue()
        second.reset()
        try rig.untilPool(open: 1, idle: 0, waiting: 0)
        try server.send(.okResponse)
        #expect(try first.readMessage().body == "ok")
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
    }

    @Test(arguments: [nil, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
    func `a client that leaves before or during its response ends the upstream connection`(response: String?) throws {
        let (client, server) = try rig.exchange()
        if let response {
            try server.send(response)
            _ = try client.read(through: "abc")
        }
        client.reset()
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try rig.until { $0.connectionContext.registry.count == 0 }
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.clientClosed) } == 1)
    }

    @Test func `a request that ends as its connection opens holds no connection`() throws {
        for _ in 0..<3 {
            let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
            #expect(try client.readMessage().status == 400)
            try rig.untilPool(open: 0, idle: 0, waiting: 0)
        }
    }

    @Test func `a closed connection is replaced for a waiting request`() throws {
        let (first, server, second) = try queue("POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        server.close()
        #expect(try first.readMessage().status == 502)
        let next = try rig.upstream.accept()
        #expect(try next.readHead().start == "GET /2 HTTP/1.1")
        #expect(second.isQuiet)
    }
}

extension LogLines {
    /// Each line with its level and sorted metadata.
    fileprivate var texts: [String] {
        all.map { line in
            let metadata = line.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (["\(line.level)", line.message] + metadata).joined(separator: " ")
        }
    }
}
