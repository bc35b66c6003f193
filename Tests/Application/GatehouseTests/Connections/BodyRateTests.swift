import GatewayConfiguration
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// The minimum rate of a body, which frees the upstream connection of a slow client.
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
        // The idle timeout applies to a body without any bytes.
        connection.progress(now: seconds * Self.second)
        return connection.expiry(now: seconds * Self.second, limits: limits, bodyBytes: bytes)
    }

    @Test(arguments: [
        (10, 0, Expiry.none), (11, 239, .requestTimeout), (11, 240, .none), (20, 2399, .requestTimeout),
        (20, 2400, .none), (3610, 863_999, .requestTimeout), (3610, 864_000, .none),
    ]) func `the rate is an average after the first ten seconds`(seconds: UInt64, bytes: UInt64, expected: Expiry) {
        #expect(expiry(at: seconds, bytes: bytes) == expected)
    }

    @Test mutating func `a response that has begun is aborted`() {
        connection.responseBegan(persistent: true, now: 0)
        #expect(expiry(at: 11, bytes: 0) == .abort)
    }

    @Test mutating func `the rate does not apply to a complete body`() {
        connection.bodyEnded(now: 0)
        #expect(expiry(at: 1000, bytes: 0) == .none)
    }

    @Test mutating func `the rate does not apply if it is off`() {
        var limits = limits
        limits.bodyRate = 0
        connection.progress(now: 1000 * Self.second)
        #expect(connection.expiry(now: 1000 * Self.second, limits: limits, bodyBytes: 0) == .none)
    }

    @Test mutating func `time in which the upstream is paused does not count`() {
        connection.bodyHeld(now: 5 * Self.second)
        #expect(expiry(at: 40, bytes: 0) == .none)
        connection.bodyHeld(now: 30 * Self.second)
        connection.bodyTaken(now: 40 * Self.second)
        #expect(expiry(at: 45, bytes: 0) == .none)
        #expect(expiry(at: 46, bytes: 0) == .requestTimeout)
    }

    @Test mutating func `the rate starts anew with each request`() {
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

    @Test mutating func `bytes that arrive while the upstream is paused are no progress`() {
        connection.bodyHeld(now: 0)
        #expect(connection.arrival() == .hold)
        connection.bodyTaken(now: 1)
        #expect(connection.arrival() == .relayBody)
    }

    @Test mutating func `resuming the upstream is progress`() {
        connection.bodyHeld(now: 0)
        connection.bodyTaken(now: 70 * Self.second)
        #expect(connection.expiry(now: 76 * Self.second, limits: limits, bodyBytes: .max) == .none)
    }
}

/// The rate on real connections.
@Suite struct TricklingBodyTests {
    @Test func `K-08: a byte a second is 408 and frees the upstream connection`() throws {
        let rig = try RequestPathRig()
        let (client, server) = try rig.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        for _ in 1...11 {
            try client.send("x")
            #expect(try server.read(1) == "x")
            try rig.pass(seconds: 1)
        }
        #expect(try client.readMessage().status == 408)
        #expect(try server.readToEnd().text.isEmpty)
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `bytes behind a paused upstream do not extend the timeout`() throws {
        let rig = try RequestPathRig()
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n")
        let server = try rig.upstream.accept()
        let block = [UInt8](repeating: 0x61, count: 1 << 14)
        var sent = 0
        // The steps are small, so that the gateway holds few bytes when the upstream stops.
        while try !rig.onWorker({ $0.connectionContext.registry.elements.contains { $0.connection.isBodyHeld } }) {
            try client.send(block)
            sent += block.count
            let count = sent
            try rig.until { $0.connectionContext.registry.elements.first?.bodyBytesHere == count }
        }
        for _ in 1...8 {
            try client.send("x")
            sent += 1
            let count = sent
            try rig.until { $0.connectionContext.registry.elements.first?.bodyBytesHere == count }
            try rig.pass(seconds: 10)
        }
        #expect(try client.readHead().status == 504)
        _ = server
    }
}

extension ClientHandler {
    /// The number of received body bytes, forwarded or not.
    fileprivate var bodyBytesHere: Int { Int(record.bytesIn) + inbound.readableBytes }
}
