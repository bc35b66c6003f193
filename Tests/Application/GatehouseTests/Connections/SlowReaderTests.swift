import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Answers that the kernel does not take at once: closing must not lose their ends.
@Suite struct SlowReaderTests {
    private static let length = 60_000

    /// A client that reads nothing yet, on a connection whose kernel buffers are as small as they can be.
    private func connect(_ rig: RequestPathRig) throws -> LoopbackSocket {
        let client = try rig.connect(receiveBuffer: 2048)
        try rig.until { $0.front.registry.count == 1 }
        try rig.onWorker { worker in
            let channel = worker.front.registry.connections[0].context?.channel
            try channel?.syncOptions?.setOption(.socketOption(.so_sndbuf), value: 2048)
        }
        return client
    }

    /// The upstream gives its whole answer.
    private func answer(_ rig: RequestPathRig) throws {
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(
            "HTTP/1.1 200 OK\r\nContent-Length: \(Self.length)\r\n\r\n" + String(repeating: "a", count: Self.length))
    }

    private func untilSentInPart(_ rig: RequestPathRig, _ phase: ClientConnection.Phase) throws {
        try rig.until { $0.front.registry.connections.first?.connection.phase == phase }
        let buffered = try rig.onWorker { worker in
            try worker.front.registry.connections.first?.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)
                ?? 0
        }
        #expect(buffered > 0)
    }

    @Test func anAnswerThatEndsTheConnectionIsSentWhole() throws {
        let rig = try RequestPathRig()
        let client = try connect(rig)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try answer(rig)
        try untilSentInPart(rig, .finishing)
        _ = try client.readHead()
        #expect(try client.countToEnd() == Self.length)
        try rig.until { $0.front.registry.count == 0 }
    }

    @Test func aClientThatEndsBehindItsRequestGetsTheWholeAnswer() throws {
        let rig = try RequestPathRig()
        let client = try connect(rig)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer(rig)
        try untilSentInPart(rig, .awaitingHead)
        client.finishSending()
        try rig.until { $0.front.registry.connections.first?.connection.peerFinished == true }
        _ = try client.readHead()
        #expect(try client.countToEnd() == Self.length)
    }

    @Test func anEarlyAnswerIsSentWhole() throws {
        let rig = try RequestPathRig()
        let client = try connect(rig)
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
        try answer(rig)
        try untilSentInPart(rig, .finishing)
        _ = try client.readHead()
        #expect(try client.countToEnd() == Self.length)
    }

    @Test func anAnswerThatNobodyTakesIsGivenUpAfterTheIdleTime() throws {
        let rig = try RequestPathRig()
        let client = try connect(rig)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        try answer(rig)
        try untilSentInPart(rig, .finishing)
        try rig.pass(seconds: 74)
        #expect(try rig.onWorker { $0.front.registry.count } == 1)
        try rig.pass(seconds: 2)
        try rig.until { $0.front.registry.count == 0 }
        _ = client
    }

    @Test func drainingLosesNoEndOfAnAnswer() throws {
        let rig = try RequestPathRig()
        let client = try connect(rig)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try answer(rig)
        try untilSentInPart(rig, .awaitingHead)
        try rig.onLoop { $0.drain() }
        try rig.pass(seconds: 1.5)
        _ = try client.readHead()
        #expect(try client.countToEnd() == Self.length)
    }
}
