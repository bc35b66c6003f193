import GatewayConfiguration

@testable import CoreFixtures
@testable import SystemFixtures

/// A worker whose upstream speaks HTTP/2 without TLS. The test plays it.
struct HTTP2Rig {
    let rig: RequestPathRig
    let log = LogLines()

    init(_ adjust: (inout Configuration) -> Void = { _ in }) throws {
        rig = try RequestPathRig(log: log) {
            $0.upstreams[0].protocol = .h2c
            $0.upstreams[0].connectTimeout = .seconds(60)
            adjust(&$0)
        }
    }

    /// Accepts the next connection.
    func accept(settings: [(UInt16, UInt32)] = []) throws -> FramePeer {
        try FramePeer(rig.upstream.accept(), settings: settings)
    }

    /// A client that sent a request, the server, and the received head.
    func exchange(
        _ request: String = .getRequest, settings: [(UInt16, UInt32)] = []
    ) throws -> (client: LoopbackSocket, server: FramePeer, head: FramePeer.Head) {
        let client = try rig.send(request)
        let server = try accept(settings: settings)
        return (client, server, try server.head())
    }

    /// Serves one request on a connection, to show that it still works.
    func serveAnother(on server: FramePeer) throws -> Int {
        let client = try rig.send("GET /another HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try server.head()
        try server.respond(head.stream, [(":status", "200"), ("content-length", "0")], ends: true)
        return try client.readMessage().status
    }
}

extension [(String, String)] {
    static var ok: [(String, String)] { [(":status", "200")] }
}
