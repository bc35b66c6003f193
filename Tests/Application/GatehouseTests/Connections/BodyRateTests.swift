import GatewayConfiguration
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// A body that only trickles keeps its upstream connection from others.
@Suite struct BodyRateTests {
    typealias Expiry = ClientConnection.Expiry

    private static let second: UInt64 = 1_000_000_000
    private let limits = ConnectionLimits()
    private var connection = ClientConnection(now: 0)

    init() {
        connection.headCompleted(persistent: true, hasBody: true, now: 0)
        connection.exchangeBegan(now: 0)
    }

    private func expiry(at seconds: UInt64, bytes: UInt64) -> Expiry {
        var connection = connection
        // Of whether anything comes at all, the idle timeout judges.
        connection.progress(now: seconds * Self.second)
        return connection.expiry(now: seconds * Self.second, limits: limits, bodyBytes: bytes)
    }

    @Test(arguments: [
        (10, 0, Expiry.none), (11, 239, .requestTimeout), (11, 240, .none), (20, 2399, .requestTimeout),
        (20, 2400, .none), (3610, 863_999, .requestTimeout), (3610, 864_000, .none),
    ]) func isAnAverageBeyondTheFirstTenSeconds(seconds: UInt64, bytes: UInt64, expected: Expiry) {
        #expect(expiry(at: seconds, bytes: bytes) == expected)
    }

    @Test mutating func begunAnswersAreAborted() {
        connection.responseBegan(persistent: true, now: 0)
        #expect(expiry(at: 11, bytes: 0) == .abort)
    }

    @Test mutating func isNotAskedOfABodyThatHasEnded() {
        connection.bodyEnded(now: 0)
        #expect(expiry(at: 1000, bytes: 0) == .none)
    }

    @Test mutating func isNotAskedWhereItIsOff() {
        var limits = limits
        limits.bodyRate = 0
        connection.progress(now: 1000 * Self.second)
        #expect(connection.expiry(now: 1000 * Self.second, limits: limits, bodyBytes: 0) == .none)
    }

    @Test mutating func theTimeInWhichTheUpstreamTakesNothingIsNotTheClients() {
        connection.bodyHeld(now: 5 * Self.second)
        #expect(expiry(at: 40, bytes: 0) == .none)
        connection.bodyHeld(now: 30 * Self.second)
        connection.bodyTaken(now: 40 * Self.second)
        #expect(expiry(at: 45, bytes: 0) == .none)
        #expect(expiry(at: 46, bytes: 0) == .requestTimeout)
    }

    @Test mutating func eachRequestBeginsAnew() {
        connection.bodyHeld(now: 0)
        connection.bodyEnded(now: 0)
        connection.responseBegan(persistent: true, now: 0)
        #expect(connection.responseEnded(hasMore: false, now: 0) == .nextRequest)
        connection.headCompleted(persistent: true, hasBody: true, now: 100 * Self.second)
        connection.exchangeBegan(now: 100 * Self.second)
        #expect(connection.arrival() == .relayBody)
        #expect(expiry(at: 110, bytes: 0) == .none)
        #expect(expiry(at: 111, bytes: 0) == .requestTimeout)
    }

    @Test mutating func whatArrivesWhileTheUpstreamTakesNothingIsNoProgress() {
        connection.bodyHeld(now: 0)
        #expect(connection.arrival() == .hold)
        connection.bodyTaken(now: 1)
        #expect(connection.arrival() == .relayBody)
    }

    @Test mutating func thatTheUpstreamTakesTheBodyAgainIsProgress() {
        connection.bodyHeld(now: 0)
        connection.bodyTaken(now: 70 * Self.second)
        #expect(connection.expiry(now: 76 * Self.second, limits: limits, bodyBytes: .max) == .none)
    }
}

/// The same through sockets.
@Suite struct TricklingBodyTests {
    @Test func k08AByteASecondIs408AndFreesTheUpstreamConnection() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        for _ in 1...11 {
            try client.send("x")
            #expect(try server.read(1) == "x")
            try rig.pass(seconds: 1)
        }
        #expect(try client.readMessage().status == 408)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func aByteASecondPassesWhereTheRateIsOff() throws {
        let rig = try RequestPathRig { $0.limits.bodyRate = 0 }
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        for _ in 1...20 {
            try client.send("x")
            #expect(try server.read(1) == "x")
            try rig.pass(seconds: 1)
        }
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.readMessage().status == 200)
    }

    @Test func bytesThatDripBehindAStuckUpstreamGainNoTime() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n")
        let server = try rig.upstream.accept()
        let block = [UInt8](repeating: 0x61, count: 1 << 14)
        var sent = 0
        // Step by step, so that little is held when the upstream takes no more.
        while try !rig.onWorker({ $0.front.registry.connections.contains { $0.connection.isBodyHeld } }) {
            try client.send(block)
            sent += block.count
            let count = sent
            try rig.until { $0.front.registry.connections.first?.bodyBytesHere == count }
        }
        for _ in 1...8 {
            try client.send("x")
            sent += 1
            let count = sent
            try rig.until { $0.front.registry.connections.first?.bodyBytesHere == count }
            try rig.pass(seconds: 10)
        }
        #expect(try client.readHead().status == 504)
        _ = server
    }
}

extension ClientHandler {
    /// How much of the body has come, passed on or not.
    fileprivate var bodyBytesHere: Int { Int(record.bytesIn) + inbound.readableBytes }
}
