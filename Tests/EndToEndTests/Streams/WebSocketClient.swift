import Foundation
import Testing

/// The client side of a WebSocket (RFC 6455) on its own connection.
struct WebSocketClient {
    let raw: RawClient
    /// The response to the handshake.
    let answer: WireResponse

    struct Frame: Equatable {
        let opcode: UInt8
        let payload: [UInt8]

        static func close(_ code: UInt16, _ reason: String) -> Frame {
            Frame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
        }
    }

    /// A handshake with additional fields.
    static func handshake(_ target: String, _ fields: [String] = [], host: String = "gateway.example") -> WireRequest {
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        return WireRequest(target: target, fields: upgrade + fields, host: host)
    }

    /// Sends a handshake, directly followed by `early`.
    init(_ scenario: Scenario, _ request: WireRequest, early: [UInt8] = []) throws {
        raw = try scenario.connect()
        try raw.send(request.bytes + early)
        answer = try raw.response()
    }

    var isOpen: Bool { answer.status == 101 }

    static func masked(_ payload: [UInt8], opcode: UInt8 = 2) -> [UInt8] {
        let mask: [UInt8] = [0x11, 0x22, 0x33, 0x44]
        let count = payload.count
        let form = count < 126 ? 0 : count < 65_536 ? 2 : 8
        let short = form == 0 ? UInt8(count) : form == 2 ? 126 : 127
        let length = stride(from: 8 * (form - 1), through: 0, by: -8).map { UInt8(count >> $0 & 0xFF) }
        var body = payload
        for index in body.indices { body[index] ^= mask[index & 3] }
        return [0x80 | opcode, 0x80 | short] + (form == 0 ? [] : length) + mask + body
    }

    func send(_ payload: [UInt8], opcode: UInt8 = 2) throws { try raw.send(Self.masked(payload, opcode: opcode)) }

    func receive() throws -> Frame {
        let start = try raw.read(2)
        let form = start[1] == 126 ? 2 : start[1] == 127 ? 8 : 0
        let count = form == 0 ? Int(start[1]) : try raw.read(form).reduce(0) { $0 << 8 | Int($1) }
        return Frame(opcode: start[0] & 0x0F, payload: try raw.read(count))
    }
}

extension Trait where Self == SharedScenarioTrait {
    /// One gateway for the whole suite, with routes that accept WebSockets.
    static var webSocketScenario: Self {
        sharedScenario {
            $0.routes += [
                "path: /live/**, upgrade: [websocket], token_protocol: true, token_query: access_token, upstream: api",
                "path: /open/**, upgrade: [websocket], auth: none, upstream: api",
                "path: /brief/**, upgrade: [websocket], auth: none, max_stream: 1s, upstream: api",
                "path: /unasked/**, upgrade: [websocket], revocation: 'off', upstream: api",
                "path: /strictly/**, upgrade: [websocket], revocation: strict, recent_sign_in: 5m, upstream: api",
                "path: /fakes/**, upgrade: [websocket], auth: none, upstream: api",
            ]
        }
    }
}
