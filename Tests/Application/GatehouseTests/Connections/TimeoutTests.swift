import GatewayConfiguration
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct TimeoutTests {
    @Test func k07APartialHeadIs408AfterTheHeadTimeout() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HT")
        try rig.until { $0.front.registry.connections.first?.connection.hasPartialHead == true }
        try rig.pass(seconds: 9.9)
        #expect(client.isQuiet)
        try rig.pass(seconds: 0.2)
        #expect(try client.readMessage().status == 408)
        #expect(try client.readToEnd().end == .finished)
    }

    @Test func aDrippedHeadGainsNoTime() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        for byte in "GET / HTTP/" {
            try client.send(String(byte))
            try rig.until { $0.front.registry.connections.first?.connection.hasPartialHead == true }
            try rig.pass(seconds: 1)
        }
        #expect(try client.readMessage().status == 408)
    }

    @Test func anIdleConnectionClosesWithoutAWord() throws {
        let rig = try RequestPathRig()
        let (client, _) = try rig.warm()
        try rig.pass(seconds: 74)
        #expect(client.isQuiet)
        try rig.pass(seconds: 2)
        let rest = try client.readToEnd()
        #expect(rest.text.isEmpty)
        #expect(rest.end == .finished)
    }

    @Test func aConnectionThatNeverAsksCloses() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try rig.until { $0.front.registry.count == 1 }
        try rig.pass(seconds: 76)
        #expect(try client.readToEnd().text.isEmpty)
    }

    @Test func k08ABodyThatStopsComingIs408() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\nabc")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        #expect(try server.read(3) == "abc")
        try rig.pass(seconds: 76)
        #expect(try client.readMessage().status == 408)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func anUpstreamThatDoesNotAnswerIs504() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try rig.pass(seconds: 59)
        #expect(client.isQuiet)
        try rig.pass(seconds: 2)
        #expect(try client.readMessage().status == 504)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aDrippedAnswersHeadGainsNoTime() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        for byte in "HTTP" {
            try server.send(String(byte))
            try rig.pass(seconds: 16)
        }
        #expect(try client.readMessage().status == 504)
    }

    @Test func interimAnswersGainNoTime() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        for _ in 1...4 {
            try server.send("HTTP/1.1 103 Early Hints\r\n\r\n")
            #expect(try client.readHead().status == 103)
            try rig.pass(seconds: 16)
        }
        #expect(try client.readMessage().status == 504)
    }

    @Test func anAnswerThatStopsIsCutOff() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        #expect(try client.read(through: "abc\r\n").contains("200 OK"))
        try rig.pass(seconds: 76)
        #expect(try client.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func theRequestTimeoutBoundsTheWhole() throws {
        let rig = try RequestPathRig { $0.limits.requestTimeout = .seconds(20) }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try rig.pass(seconds: 21)
        #expect(try client.readMessage().status == 504)
    }

    @Test func theRequestTimeoutCutsAnAnswerUnderWay() throws {
        let rig = try RequestPathRig { $0.limits.requestTimeout = .seconds(20) }
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        #expect(try client.read(through: "abc").contains("200 OK"))
        try rig.pass(seconds: 21)
        #expect(try client.readToEnd().text.isEmpty)
    }

    @Test func aSlowUploadPastTheRequestTimeoutIsTheClientsDelay() throws {
        let rig = try RequestPathRig { $0.limits.requestTimeout = .seconds(20) }
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        #expect(try server.read(3) == "abc")
        try rig.pass(seconds: 21)
        #expect(try client.readMessage().status == 408)
    }

    @Test func lingeringEndsAfterTwoSeconds() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\nabc")
        _ = try client.readMessage()
        try rig.until { $0.front.registry.connections.first?.connection.phase == .lingering }
        try rig.pass(seconds: 2.1)
        try rig.until { $0.front.registry.count == 0 }
    }

    @Test func anIdleUpstreamConnectionIsClosedBeforeItsServerWould() throws {
        let rig = try RequestPathRig()
        let (_, server) = try rig.warm()
        try rig.untilPool(open: 1, idle: 1, waiting: 0)
        try rig.pass(seconds: 51)
        #expect(try server.readToEnd().text.isEmpty)
        #expect(try rig.pool() == [0, 0, 0])
    }
}
