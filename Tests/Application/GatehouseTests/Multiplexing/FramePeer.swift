import NIOCore
import NIOHPACK

@testable import SystemFixtures

/// A server or a client of HTTP/2 that a test plays frame by frame, below all checks of a library.
final class FramePeer {
    struct Frame: Equatable {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]

        var endsStream: Bool { flags & 1 != 0 }
    }

    /// A received request head.
    struct Head {
        let stream: UInt32
        let fields: HPACKHeaders
        let endsStream: Bool

        func value(_ name: String) -> String? { fields.first(name: name) }
    }

    enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    /// Identifiers of settings.
    enum Setting {
        static let tableSize: UInt16 = 1
        static let enablePush: UInt16 = 2
        static let streams: UInt16 = 3
        static let window: UInt16 = 4
        static let frameSize: UInt16 = 5
    }

    static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    let socket: LoopbackSocket
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    /// The settings that the gateway sent.
    private(set) var received: [UInt16: UInt32] = [:]

    /// Reads the preface and answers with settings.
    init(_ socket: LoopbackSocket, settings: [(UInt16, UInt32)] = []) throws {
        self.socket = socket
        _ = try socket.read(through: Self.preface)
        try send(settings: settings)
    }

    /// Sends the preface and settings, as a client.
    init(connecting socket: LoopbackSocket, settings: [(UInt16, UInt32)] = []) throws {
        self.socket = socket
        try socket.send(Self.preface)
        try send(settings: settings)
    }

    // MARK: - Sending

    func send(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) throws {
        try socket.send(Self.frame(type, flags: flags, stream: stream, payload))
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let size = payload.count
        return [UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF), type, flags]
            + bytes(stream) + payload
    }

    func send(settings: [(UInt16, UInt32)]) throws {
        try send(Kind.settings, settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + Self.bytes($0.1) })
    }

    /// Sends a head whose fields are literals without indexing, whatever their bytes.
    func respond(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = false) throws {
        try send(Kind.headers, flags: ends ? 5 : 4, stream: stream, Self.block(fields))
    }

    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + literal($0.0) + literal($0.1) }
    }

    private static func literal(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (rest, length) = (bytes.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    func send(data: String, stream: UInt32, ends: Bool = false) throws {
        try send(Kind.data, flags: ends ? 1 : 0, stream: stream, Array(data.utf8))
    }

    func reset(_ stream: UInt32, _ code: UInt32) throws { try send(Kind.reset, stream: stream, Self.bytes(code)) }

    func goAway(last: UInt32, _ code: UInt32 = 0) throws { try send(Kind.goAway, Self.bytes(last) + Self.bytes(code)) }

    /// Waits until the gateway has read all frames before, and the acknowledgement of its settings.
    func untilSettled() throws {
        try untilRead()
        try untilRead()
    }

    /// Waits until the gateway has read all frames before.
    func untilRead() throws {
        try send(Kind.ping, Array(repeating: 2, count: 8))
        while try next().type != Kind.ping {}
    }

    static func bytes(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }

    // MARK: - Receiving

    /// Reads the next frame. Settings are acknowledged and skipped, as are window updates.
    func next() throws -> Frame {
        while true {
            let frame = try readFrame()
            switch frame.type {
            case Kind.settings:
                guard !frame.endsStream else { continue }
                for start in stride(from: 0, to: frame.payload.count, by: 6) {
                    let entry = frame.payload[start..<start + 6].map { UInt32($0) }
                    received[UInt16(entry[0] << 8 | entry[1])] =
                        entry[2] << 24 | entry[3] << 16 | entry[4] << 8 | entry[5]
                }
                try send(Kind.settings, flags: 1)
            case Kind.windowUpdate: continue
            default: return frame
            }
        }
    }

    private func readFrame() throws -> Frame {
        let head = try socket.readBytes(9)
        let size = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Frame(type: head[3], flags: head[4], stream: stream, payload: try socket.readBytes(size))
    }

    /// Reads the next frame after resets of streams, which must be a head.
    func head() throws -> Head {
        try head(skipping: Kind.reset)
    }

    /// Reads the trailers of a response after its DATA frames.
    func trailers() throws -> Head { try head(skipping: Kind.data) }

    private func head(skipping type: UInt8) throws -> Head {
        var frame = try next()
        while frame.type == type { frame = try next() }
        guard frame.type == Kind.headers else { throw LoopbackSocket.Problem.timeout(received: "\(frame)") }
        var block = ByteBuffer(bytes: frame.payload)
        return Head(
            stream: frame.stream, fields: try decoder.decodeHeaders(from: &block), endsStream: frame.endsStream)
    }

    /// Reads DATA frames up to the end of a stream, and returns their bytes.
    func body(_ stream: UInt32) throws -> String {
        var body: [UInt8] = []
        while true {
            let frame = try next()
            guard frame.type == Kind.data, frame.stream == stream else { continue }
            body += frame.payload
            if frame.endsStream { return String(decoding: body, as: UTF8.self) }
        }
    }

    /// Reads up to the reset of a stream, and returns its code.
    func resetCode(_ stream: UInt32) throws -> UInt32 {
        while true {
            let frame = try next()
            if frame.type == Kind.reset, frame.stream == stream {
                return frame.payload.reduce(0) { $0 << 8 | UInt32($1) }
            }
        }
    }
}
