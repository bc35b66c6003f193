import GatewayConfiguration
import HTTPServer

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// A client, an upstream, and a tunnel between them.
struct TunnelRig {
    let rig: RequestPathRig
    let client: LoopbackSocket
    let server: LoopbackSocket
    /// The head that the upstream received.
    let head: WireMessage

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n"

    /// A rig whose routes allow WebSockets.
    static func rig(_ adjust: (inout Configuration) -> Void = { _ in }) throws -> RequestPathRig {
        let rig = try RequestPathRig { configuration in
            for index in configuration.routes.indices { configuration.routes[index].upgrade = ["websocket"] }
            adjust(&configuration)
        }
        try rig.installKeys()
        return rig
    }

    static func handshake(_ target: String, _ lines: [String] = [], key: String = key) -> String {
        let fields = [
            "Host: a", "Connection: keep-alive, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: \(key)",
            "Sec-WebSocket-Version: 13",
        ]
        return "GET \(target) HTTP/1.1\r\n" + (fields + lines).map { "\($0)\r\n" }.joined() + "\r\n"
    }

    /// Opens a tunnel.
    ///
    /// - Parameters:
    ///   - token: The token. `nil` for an anonymous request.
    ///   - fields: Further fields of the handshake.
    ///   - early: Bytes that the client sends before the 101.
    init(
        token: TokenDraft? = .idToken(), fields: [String] = [], early: String = "", receiveBuffer: Int32? = nil,
        _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws {
        rig = try Self.rig(adjust)
        client = try rig.connect(receiveBuffer: receiveBuffer)
        let lines = token.map { ["Authorization: Bearer \($0.signed())"] } ?? []
        try client.send(Self.handshake(token == nil ? "/ws" : "/private/ws", lines + fields) + early)
        server = try rig.upstream.accept()
        head = try server.readHead()
        try server.send(Self.switching + "\r\n")
        let response = try client.readHead()
        guard response.status == 101 else { throw LoopbackSocket.Problem.timeout(received: response.head) }
        try rig.until { $0.connectionContext.registry.elements.first?.stream != nil }
    }

    /// The bytes of a close frame to the client.
    static func close(_ code: UInt16, _ reason: String) -> [UInt8] {
        [0x88, UInt8(2 + reason.utf8.count), UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
    }

    /// Whether the client receives a close frame.
    func clientReceivesClose(_ code: UInt16, _ reason: String) throws -> Bool {
        let frame = Self.close(code, reason)
        return try client.readBytes(frame.count) == frame
    }

    /// Whether the tunnel forwards bytes.
    func isOpen() throws -> Bool {
        try client.send("on")
        return try server.read(2) == "on"
    }

    /// Whether the upstream receives a masked close frame with code 1001 and then the end.
    func serverReceivesClose() throws -> Bool {
        let frame = try server.readBytes(8)
        let payload = [frame[6] ^ frame[2], frame[7] ^ frame[3]]
        let rest = try server.readToEnd().text
        return frame[0] == 0x88 && frame[1] == 0x82 && payload == [0x03, 0xE9] && rest.isEmpty
    }
}

extension LoopbackSocket {
    /// Whether the end is next, without errors.
    func hasFinished() throws -> Bool {
        let rest = try readToEnd()
        return rest.text.isEmpty && rest.end == .finished
    }
}
