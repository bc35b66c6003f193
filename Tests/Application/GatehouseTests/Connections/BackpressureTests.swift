import GatewayConfiguration
import GatewayCore
import NIOCore
import Testing

@testable import Forwarding
@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

@Suite struct BackpressureTests {
    private static let megabyte = 1 << 20
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    /// Sends up to `limit` bytes of repeated blocks until neither the worker nor the kernel accepts more.
    private func fill(
        _ socket: LoopbackSocket, limit: Int, with block: [UInt8] = filler,
        untilStuck isStuck: @escaping @Sendable (ClientHandler) -> Bool
    ) throws -> Int {
        let end = ContinuousClock.now + .hangLimit
        var sent = 0
        var refusals = 0
        while sent < limit, refusals < 200, ContinuousClock.now < end {
            let offset = sent % block.count
            let count = socket.sendNow(block[offset..<min(block.count, offset + limit - sent)])
            sent += count
            let stuck = try rig.onWorker { $0.connectionContext.registry.elements.first.map(isStuck) ?? false }
            refusals = count == 0 && stuck ? refusals + 1 : 0
        }
        return sent
    }

    private static let filler = [UInt8](repeating: 0x61, count: 1 << 16)

    /// A response to a client that does not read yet, sent until the kernel and the gateway accept no more.
    private func download(
        _ request: String = .getRequest, length: Int
    ) throws -> (client: LoopbackSocket, server: LoopbackSocket, sent: Int) {
        let (client, server) = try rig.exchange(request, receiveBuffer: 4096)
        try server.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        return (client, server, try fill(server, limit: length) { !$0.isWritable })
    }

    /// A request to an upstream that does not read, sent until the kernel and the gateway accept no more.
    private func upload() throws -> (client: LoopbackSocket, server: LoopbackSocket, sent: Int) {
        let length = 64 * Self.megabyte
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
        let server = try rig.upstream.accept()
        return (client, server, try fill(client, limit: length) { $0.responder?.acceptsBody == false })
    }

    @Test func `a client that does not read pauses the upstream`() throws {
        let (client, server, sent) = try download(length: 64 * Self.megabyte)
        #expect(sent < 32 * Self.megabyte)
        let buffered = try rig.bufferedBytes()
        #expect(buffered > 0)
        #expect(buffered <= 64 * 1024 + 4 * 65_536)
        withExtendedLifetime((client, server)) {}
    }

    @Test func `a client that reads again receives the whole response`() throws {
        let length = 24 * Self.megabyte
        let (client, server, first) = try download(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", length: length)
        #expect(try client.readHead().value("Connection") == "close")
        var sent = first
        let received = try client.countToEnd(meanwhile: {
            if sent < length {
                let block = [UInt8](repeating: 0x61, count: min(1 << 16, length - sent))
                sent += server.sendNow(block[...])
            }
        })
        #expect(received == length)
    }

    @Test func `closing does not truncate a response that the client reads late`() throws {
        let length = 8 * Self.megabyte
        let (client, server, first) = try download("GET / HTTP/1.0\r\nHost: a\r\n\r\n", length: length)
        _ = try client.readHead()
        var (sent, received) = (first, 0)
        // The client reads until the gateway has completed the response.
        while try rig.onWorker({ $0.connectionContext.registry.elements.contains { $0.connection.isServing } }) {
            received += client.discardNow()
            let block = [UInt8](repeating: 0x61, count: min(1 << 16, length - sent))
            sent += server.sendNow(block[...])
        }
        received += try client.countToEnd()
        #expect(received == length)
    }

    @Test func `chunks of one byte are buffered by their bytes only`() throws {
        let (client, server) = try rig.exchange(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", receiveBuffer: 4096)
        // The kernel buffers megabytes. Each byte of them is a chunk to parse.
        server.limitSendBuffer(to: 16_384)
        try rig.onWorker { worker in
            let client = worker.connectionContext.registry.elements[0]
            let upstream = client.responder as? UpstreamConnection
            _ = client.context?.channel.setOption(.socketOption(.so_sndbuf), value: 16_384)
            _ = upstream?.context?.channel.setOption(.socketOption(.so_rcvbuf), value: 16_384)
        }
        try server.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let block = Array(String(repeating: "1\r\na\r\n", count: 8192).utf8)
        let sent = try fill(server, limit: 64 * Self.megabyte, with: block) { !$0.isWritable }
        #expect(sent < 32 * Self.megabyte)
        // Bytes that were read before the pause are forwarded too.
        #expect(try rig.bufferedBytes() <= 64 * 1024 + ConnectionLimits.heldBytes + 4 * 65_536)
        // The rest of the last chunk and the end. They are accepted only while the client reads.
        var rest = sent % 6 == 0 ? [] : Array(block[(sent % 6)..<6])
        let whole = sent + rest.count
        rest += Array("0\r\n\r\n".utf8)
        _ = try client.readHead()
        let received = try client.countToEnd(meanwhile: { rest.removeFirst(server.sendNow(rest[...])) })
        #expect(received == whole + 5)
    }

    @Test func `an upstream that does not read pauses the client`() throws {
        let (client, server, sent) = try upload()
        #expect(sent < 48 * Self.megabyte)
        let held = try rig.onWorker { $0.connectionContext.registry.elements[0].inbound.readableBytes }
        #expect(held <= ConnectionLimits.heldBytes + 4 * 65_536)
        withExtendedLifetime((client, server)) {}
    }

    @Test func `small chunks through a slow upstream hold no more than the bound`() throws {
        let client = try rig.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let server = try rig.upstream.accept()
        let chunks = Array(String(repeating: "100\r\n\(String(repeating: "a", count: 256))\r\n", count: 100).utf8)
        var offset = 0
        var capacity = 0
        for _ in 0..<500 {
            offset = (offset + client.sendNow(chunks[offset...])) % chunks.count
            _ = server.discardNow()
            capacity = max(
                capacity, try rig.onWorker { $0.connectionContext.registry.elements[0].inbound.storageCapacity })
        }
        #expect(capacity <= 1 << 20)
    }

    @Test func `a body that waited is forwarded completely`() throws {
        let rig = try RequestPathRig { $0.upstreams[0].connections = 1 }
        let (first, server) = try rig.exchange()
        let client = try rig.connect()
        let chunk = "2000\r\n\(String(repeating: "a", count: 8192))\r\n"
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        try client.send(head + String(repeating: chunk, count: 7))
        try rig.until { $0.connectionContext.registry.elements.last?.inbound.readableBytes == 7 * 8200 }
        try client.send(chunk + chunk + "0\r\n\r\n")
        try rig.until { $0.connectionContext.registry.elements.last?.inbound.readableBytes == 9 * 8200 + 5 }
        try server.send(.okResponse)
        #expect(try server.readMessage().body.utf8.count == 9 * 8192)
        #expect(try first.readMessage().body == "ok")
    }

    @Test func `a body that the upstream does not read is 504`() throws {
        let (client, server, _) = try upload()
        try rig.pass(seconds: 76)
        #expect(try client.readHead().status == 504)
        withExtendedLifetime(server) {}
    }

    @Test func `a client that pipelines without reading is paused`() throws {
        let client = try rig.connectWithSmallBuffers()
        let requests = Array(String(repeating: "GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000).utf8)
        let sent = try fill(client, limit: 64 * Self.megabyte, with: requests) { !$0.isWritable }
        #expect(sent < 32 * Self.megabyte)
        #expect(try rig.bufferedBytes() <= 2 * 65_536)
    }

    @Test func `all pipelined requests of a slow reader get responses`() throws {
        let client = try rig.connectWithSmallBuffers()
        let count = 1000
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

    @Test func `a reset during a paused response frees the upstream connection`() throws {
        let (client, server, _) = try download(length: 64 * Self.megabyte)
        client.reset()
        try rig.untilPool(open: 0, idle: 0, waiting: 0)
        withExtendedLifetime(server) {}
        #expect(try rig.onWorker { $0.counters.snapshot().requests(.clientClosed) } == 1)
    }
}
