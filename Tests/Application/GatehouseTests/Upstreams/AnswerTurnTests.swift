import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Answers that need more than one turn of the event loop.
@Suite struct AnswerTurnTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func ask(_ rig: RequestPathRig, _ fields: String = "") throws -> (LoopbackSocket, LoopbackSocket) {
        let client = try rig.connect()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        return (client, server)
    }

    @Test func `chunks of one byte arrive whole, and the connection serves on`() throws {
        let rig = try RequestPathRig()
        let (client, server) = try ask(rig)
        for _ in 0..<3 {
            try server.send(Self.head + String(repeating: "1\r\na\r\n", count: 5000) + "0\r\n\r\n")
            #expect(try client.readMessage().body.utf8.count == 5000)
            try rig.untilPool(open: 1, idle: 1, waiting: 0)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try server.readHead()
        }
    }

    @Test(arguments: [true, false])
    func `an upstream that closes behind its answer loses nothing of it`(isWhole: Bool) throws {
        let rig = try RequestPathRig()
        let (client, server) = try ask(rig, "Connection: close\r\n")
        try rig.atOnce {
            try server.send(Self.head + String(repeating: "1\r\na\r\n", count: 5000) + (isWhole ? "0\r\n\r\n" : ""))
            server.close()
        }
        _ = try client.readHead()
        let rest = try client.readToEnd().text
        #expect(rest.utf8.count == 5000 * 6 + (isWhole ? 5 : 0))
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
    }

    @Test func `a client that goes meanwhile leaves nothing behind`() throws {
        let rig = try RequestPathRig()
        let (client, server) = try ask(rig)
        try rig.atOnce {
            try server.send(Self.head + String(repeating: "1\r\na\r\n", count: 5000))
            server.close()
            client.reset()
        }
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        try rig.until { $0.front.turns.count == 0 && $0.front.registry.count == 0 }
    }
}
