import GatewayConfiguration
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct TimeoutTests {
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    @Test func `K-07: a partial head is 408 after the head timeout`() throws {
        let client = try rig.send("GET / HT")
        try rig.until { $0.connectionContext.registry.elements.first?.connection.hasPartialHead == true }
        try rig.pass(seconds: 9.9)
        #expect(client.isQuiet)
        try rig.pass(seconds: 0.2)
        #expect(try client.readMessage().status == 408)
        #expect(try client.readToEnd().end == .finished)
    }

    @Test func `a dripped head does not extend the timeout`() throws {
        let client = try rig.connect()
        for byte in "GET / HTTP/" {
            try client.send(String(byte))
            try rig.until { $0.connectionContext.registry.elements.first?.connection.hasPartialHead == true }
            try rig.pass(seconds: 1)
        }
        #expect(try client.readMessage().status == 408)
    }

    @Test func `an idle connection closes without a response`() throws {
        let (client, _) = try rig.warm()
        try rig.pass(seconds: 74)
        #expect(client.isQuiet)
        try rig.pass(seconds: 2)
        let rest = try client.readToEnd()
        #expect(rest.text.isEmpty)
        #expect(rest.end == .finished)
    }

    @Test func `a connection without a request closes`() throws {
        let client = try rig.connect()
        try rig.until { $0.connectionContext.registry.count == 1 }
        try rig.pass(seconds: 76)
        #expect(try client.readToEnd().text.isEmpty)
    }

    @Test func `K-08: a stalled body is 408`() throws {
        let (client, server) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\nabc")
        #expect(try server.read(3) == "abc")
        try rig.pass(seconds: 76)
        #expect(try client.readMessage().status == 408)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `an upstream that does not respond is 504`() throws {
        let (client, server) = try rig.exchange()
        try rig.pass(seconds: 59)
        #expect(client.isQuiet)
        try rig.pass(seconds: 2)
        #expect(try client.readMessage().status == 504)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test(arguments: [["H", "T", "T", "P"], Array(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 4)])
    func `a dripped response head and interim responses do not extend the timeout`(parts: [String]) throws {
        let (client, server) = try rig.exchange()
        for part in parts {
            try server.send(part)
            if part.count > 1 { #expect(try client.readHead().status == 103) }
            try rig.pass(seconds: 16)
        }
        #expect(try client.readMessage().status == 504)
    }

    @Test(arguments: [(nil, 76), (20, 21)] as [(Int?, Double)])
    func `a stalled response is aborted after the idle timeout or the request timeout`(
        requestTimeout: Int?, seconds: Double
    ) throws {
        let rig = try RequestPathRig {
            if let requestTimeout { $0.limits.requestTimeout = .seconds(requestTimeout) }
        }
        let (client, server) = try rig.exchange()
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        #expect(try client.read(through: "abc\r\n").contains("200 OK"))
        try rig.pass(seconds: seconds)
        #expect(try client.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "", 504),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", "abc", 408),
    ])
    func `the request timeout is 504, and 408 during an upload`(head: String, body: String, status: Int) throws {
        let rig = try RequestPathRig { $0.limits.requestTimeout = .seconds(20) }
        let (client, server) = try rig.exchange(head + body)
        #expect(try server.read(body.utf8.count) == body)
        try rig.pass(seconds: 21)
        #expect(try client.readMessage().status == status)
        #expect(try server.readToEnd().text.isEmpty)
    }

    @Test func `lingering ends after two seconds`() throws {
        let client = try rig.send("POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\nabc")
        let denial = try client.readMessage()
        #expect(denial.status == 401 && denial.values("Connection") == ["close"])
        try rig.until { $0.connectionContext.registry.elements.first?.connection.phase == .lingering }
        try rig.pass(seconds: 2.1)
        try rig.until { $0.connectionContext.registry.count == 0 }
    }

    @Test func `an idle upstream connection is closed before the server closes it`() throws {
        let (_, server) = try rig.warm()
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
        try rig.pass(seconds: 51)
        #expect(try server.readToEnd().text.isEmpty)
        #expect(try rig.pool() == [0, 0, 0])
    }
}
