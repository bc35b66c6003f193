import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Responses that need more than one turn of the event loop.
@Suite struct AnswerTurnTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    @Test func `chunks of one byte arrive completely, and the connection serves the next request`() throws {
        let (client, server) = try rig.exchange()
        for _ in 0..<3 {
            try server.send(Self.head + String(repeating: "1\r\na\r\n", count: 5000) + "0\r\n\r\n")
            #expect(try client.readMessage().body.utf8.count == 5000)
            try rig.untilPool(open: 1, idle: 1, waiting: 0)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try server.readHead()
        }
    }

    @Test(arguments: [true, false])
    func `a response is complete although the upstream closes at its end`(isWhole: Bool) throws {
        let (client, server) = try rig.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try rig.atOnce {
            try server.send(Self.head + String(repeating: "1\r\na\r\n", count: 5000) + (isWhole ? "0\r\n\r\n" : ""))
            server.close()
        }
        _ = try client.readHead()
        let rest = try client.readToEnd().text
        #expect(rest.utf8.count == 5000 * 6 + (isWhole ? 5 : 0))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a client that leaves during a turn is removed`() throws {
        let (client, server) = try rig.exchange()
        try rig.atOnce {
            try server.send(Self.head + String(repeating: "1\r\na\r\n", count: 5000))
            server.close()
            client.reset()
        }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try rig.until { $0.connectionContext.turns.count == 0 && $0.connectionContext.registry.count == 0 }
    }
}
