import GatewayConfiguration
import GatewayCore
import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct BackpressureTests {
    private static let megabyte = 1 << 20

    /// Sends, at most `limit` bytes over and over of `block`, until the worker takes no more and the kernel neither.
    private func fill(
        _ socket: LoopbackSocket, _ rig: RequestPathRig, limit: Int, with block: [UInt8] = filler,
        untilStuck isStuck: @escaping @Sendable (ClientHandler) -> Bool
    ) throws -> Int {
        let end = ContinuousClock.now + .seconds(10)
        var sent = 0
        var refusals = 0
        while sent < limit, refusals < 200, ContinuousClock.now < end {
            let offset = sent % block.count
            let count = socket.sendNow(block[offset..<min(block.count, offset + limit - sent)])
            sent += count
            let stuck = try rig.onWorker { $0.front.registry.connections.first.map(isStuck) ?? false }
            refusals = count == 0 && stuck ? refusals + 1 : 0
        }
        return sent
    }

    private static let filler = [UInt8](repeating: 0x61, count: 1 << 16)

    private func buffered(_ rig: RequestPathRig) throws -> Int {
        try rig.onWorker { worker in
            try worker.front.registry.connections.first?.context?.channel.syncOptions?.getOption(.bufferedWritableBytes)
                ?? 0
        }
    }

    @Test func aClientThatDoesNotReadPausesTheUpstream() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        let length = 64 * Self.megabyte
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        let taken = try fill(server, rig, limit: length) { !$0.isWritable }
        #expect(taken < 32 * Self.megabyte)
        let buffered = try buffered(rig)
        #expect(buffered > 0)
        #expect(buffered <= 64 * 1024 + 4 * 65_536)
    }

    @Test func aClientThatReadsAgainGetsEverything() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        let length = 24 * Self.megabyte
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        var sent = try fill(server, rig, limit: length) { !$0.isWritable }
        let head = try client.readHead()
        #expect(head.value("Connection") == "close")
        let received = try client.countToEnd(meanwhile: {
            if sent < length {
                let block = [UInt8](repeating: 0x61, count: min(1 << 16, length - sent))
                sent += server.sendNow(block[...])
            }
        })
        #expect(received == length)
    }

    @Test func theEndOfAnAnswerThatTheClientReadsLateIsNotCutByClosing() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        let length = 8 * Self.megabyte
        try client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        var sent = try fill(server, rig, limit: length) { !$0.isWritable }
        _ = try client.readHead()
        var received = 0
        // The client reads just enough for the gateway to be through with the answer.
        while try rig.onWorker({ $0.front.registry.connections.contains { $0.connection.isServing } }) {
            received += client.discardNow()
            let block = [UInt8](repeating: 0x61, count: min(1 << 16, length - sent))
            sent += server.sendNow(block[...])
        }
        received += try client.countToEnd()
        #expect(received == length)
    }

    @Test func chunksOfOneByteCostAClientThatDoesNotReadItsBytesOnly() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let block = Array(String(repeating: "1\r\na\r\n", count: 8192).utf8)
        let sent = try fill(server, rig, limit: 64 * Self.megabyte, with: block) { !$0.isWritable }
        #expect(sent < 32 * Self.megabyte)
        // What was read before, and waited for its turn, is passed on all the same.
        #expect(try buffered(rig) <= 64 * 1024 + ConnectionLimits.heldBytes + 4 * 65_536)
        // The chunk that was cut in two, and the end; taken only as the client reads.
        var rest = sent % 6 == 0 ? [] : Array(block[(sent % 6)..<6])
        let whole = sent + rest.count
        rest += Array("0\r\n\r\n".utf8)
        _ = try client.readHead()
        let received = try client.countToEnd(meanwhile: { rest.removeFirst(server.sendNow(rest[...])) })
        #expect(received == whole + 5)
    }

    @Test func anUpstreamThatDoesNotReadPausesTheClient() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        let length = 64 * Self.megabyte
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        let server = try rig.upstream.accept()
        let taken = try fill(client, rig, limit: length) { $0.responder?.acceptsBody == false }
        #expect(taken < 48 * Self.megabyte)
        let held = try rig.onWorker { $0.front.registry.connections[0].inbound.readableBytes }
        #expect(held <= ConnectionLimits.heldBytes + 4 * 65_536)
        _ = server
    }

    @Test func smallChunksThroughASlowUpstreamHoldNoMoreThanTheBound() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let server = try rig.upstream.accept()
        let chunks = Array(String(repeating: "100\r\n\(String(repeating: "a", count: 256))\r\n", count: 100).utf8)
        var offset = 0
        var capacity = 0
        for _ in 0..<500 {
            offset = (offset + client.sendNow(chunks[offset...])) % chunks.count
            _ = server.discardNow()
            capacity = max(capacity, try rig.onWorker { $0.front.registry.connections[0].inbound.storageCapacity })
        }
        #expect(capacity <= 1 << 20)
    }

    @Test func aBodyThatWaitedIsPassedOnToItsEndAlthoughItIsMoreThanTheUpstreamTakesAtOnce() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let first = try rig.connect()
        try first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        let client = try rig.connect()
        let chunk = "2000\r\n\(String(repeating: "a", count: 8192))\r\n"
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        try client.send(head + String(repeating: chunk, count: 7))
        try rig.until { $0.front.registry.connections.last?.inbound.readableBytes == 7 * 8200 }
        try client.send(chunk + chunk + "0\r\n\r\n")
        try rig.until { $0.front.registry.connections.last?.inbound.readableBytes == 9 * 8200 + 5 }
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(try server.readMessage().body.utf8.count == 9 * 8192)
    }

    @Test func aBodyThatItsUpstreamDoesNotTakeIs504() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        let length = 64 * Self.megabyte
        try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try fill(client, rig, limit: length) { $0.responder?.acceptsBody == false }
        try rig.pass(seconds: 76)
        #expect(try client.readHead().status == 504)
        _ = server
    }

    @Test func aClientThatPipelinesAndDoesNotReadIsNotServedOn() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        let requests = Array(String(repeating: "GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000).utf8)
        let sent = try fill(client, rig, limit: 64 * Self.megabyte, with: requests) { !$0.isWritable }
        #expect(sent < 32 * Self.megabyte)
        #expect(try buffered(rig) <= 2 * 65_536)
    }

    @Test func pipelinedRequestsOfASlowReaderAreAllAnswered() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        let count = 20_000
        let request = "GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n"
        let bytes = Array(String(repeating: request, count: count).utf8)
        var sent = 0
        var answered = 0
        while answered < count {
            if sent < bytes.count { sent += client.sendNow(bytes[sent...]) }
            if sent == bytes.count || !client.isQuiet {
                #expect(try client.readMessage().status == 401)
                answered += 1
            }
        }
        #expect(client.isQuiet)
    }

    @Test func aClientThatResetsWhileItsAnswerIsPausedFreesTheUpstreamConnection() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect(receiveBuffer: 4096)
        let length = 64 * Self.megabyte
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        _ = try fill(server, rig, limit: length) { !$0.isWritable }
        client.reset()
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.clientClosed) } == 1)
    }
}
