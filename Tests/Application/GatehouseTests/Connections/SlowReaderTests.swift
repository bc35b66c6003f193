import NIOCore
import Testing

@testable import Gatehouse
@testable import HTTPServer
@testable import SystemFixtures

/// Closing does not truncate a response that the kernel does not accept immediately.
@Suite struct SlowReaderTests {
    private static let length = 60_000
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    /// A client that has read nothing while the gateway has sent a part of the response. The kernel's buffers have the
    /// minimum size.
    private func receivePart(of request: String, in phase: ClientConnection.Phase) throws -> LoopbackSocket {
        let client = try rig.connectWithSmallBuffers()
        try client.send(request)
        let server = try rig.upstream.accept()
        try server.respond(
            "HTTP/1.1 200 OK\r\nContent-Length: \(Self.length)\r\n\r\n" + String(repeating: "a", count: Self.length))
        try rig.until { $0.connectionContext.registry.elements.first?.connection.phase == phase }
        #expect(try rig.bufferedBytes() > 0)
        return client
    }

    private func expectWhole(_ client: LoopbackSocket) throws {
        _ = try client.readHead()
        #expect(try client.countToEnd() == Self.length)
    }

    private static let closing = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test(arguments: [closing, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc"])
    func `a response that ends the connection is sent completely`(request: String) throws {
        try expectWhole(receivePart(of: request, in: .finishing))
        try rig.until { $0.connectionContext.registry.count == 0 }
    }

    @Test func `a half-closed client receives the whole response`() throws {
        let client = try receivePart(of: .getRequest, in: .awaitingHead)
        client.finishSending()
        try rig.until { $0.connectionContext.registry.elements.first?.connection.peerFinished == true }
        try expectWhole(client)
    }

    @Test func `an unread response is dropped after the idle timeout`() throws {
        let client = try receivePart(of: Self.closing, in: .finishing)
        try rig.pass(seconds: 74)
        #expect(try rig.onWorker { $0.connectionContext.registry.count } == 1)
        try rig.pass(seconds: 2)
        try rig.until { $0.connectionContext.registry.count == 0 }
        withExtendedLifetime(client) {}
    }

    @Test func `draining truncates no response`() throws {
        let client = try receivePart(of: .getRequest, in: .awaitingHead)
        try rig.onLoop { $0.drain() }
        try rig.pass(seconds: 1.5)
        try expectWhole(client)
    }
}
