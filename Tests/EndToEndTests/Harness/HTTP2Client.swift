import NIOCore
import NIOHPACK

@testable import SystemFixtures

/// A client of HTTP/2 that sends exactly the given frames. Fields are literals without compression, so that any bytes
/// can be sent.
final class HTTP2Client {
    struct Frame {
        var type: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: [UInt8]
    }

    /// The frames of a stream until its end.
    struct Answer {
        var fields: [(name: String, value: String)] = []
        var interim: [[(name: String, value: String)]] = []
        var trailers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// Whether the response has its END_STREAM.
        var isComplete = false
        /// The error code of RST_STREAM.
        var reset: UInt32?

        var status: Int { Int(self[":status"] ?? "") ?? 0 }
        var text: String { String(decoding: body, as: UTF8.self) }

        subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    let client: RawClient
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private(set) var answers: [UInt32: Answer] = [:]
    /// The error codes of GOAWAY frames, in order.
    private(set) var goAways: [(lastStream: UInt32, code: UInt32)] = []
    private(set) var settings: [UInt16: UInt32] = [:]
    private var nextStream: UInt32 = 1
    private var openBlock: (stream: UInt32, flags: UInt8, bytes: [UInt8])?

    /// Connects, and sends the preface and SETTINGS. The window of the connection is then larger than all responses of
    /// a test.
    ///
    /// - Parameter line: Is sent before the preface.
    init(port: Int, settings: [(UInt16, UInt32)] = [], after line: String = "") throws {
        client = try RawClient(port: port)
        try client.send(line)
        let entries = settings.flatMap { entry -> [UInt8] in Self.bytes(entry.0) + Self.bytes(entry.1) }
        try client.send(
            Self.preface + Self.frame(4, payload: entries) + Self.frame(8, payload: Self.bytes(UInt32(1 << 30))))
    }

    /// Waits for the gateway's settings, and acknowledges them. They apply to later frames only.
    func acknowledge() throws {
        while settings[8] == nil, try next() != nil {}
    }

    // MARK: - Sending

    static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) -> [UInt8] {
        Array(bytes(UInt32(payload.count))[1...]) + [type, flags] + bytes(stream) + payload
    }

    /// A header block of literals without indexing.
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        block(bytes: fields.map { (Array($0.0.utf8), Array($0.1.utf8)) })
    }

    static func block(bytes fields: [([UInt8], [UInt8])]) -> [UInt8] {
        fields.flatMap { field -> [UInt8] in [0] + text(field.0) + text(field.1) }
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (rest, length): (Int, [UInt8]) = (bytes.count - 127, [127])
        while rest >= 128 {
            length.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    static func head(
        _ path: String = "/public/x", method: String = "GET", authority: String = "localhost"
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "http"), (":path", path), (":authority", authority)]
    }

    /// Returns the frames of a head, with CONTINUATION frames if it is long.
    static func headers(_ block: [UInt8], stream: UInt32, endsStream: Bool = true) -> [UInt8] {
        var parts = stride(from: 0, to: max(1, block.count), by: 16_384).map {
            Array(block[$0..<min($0 + 16_384, block.count)])
        }
        let first = parts.removeFirst()
        var bytes = frame(1, flags: (endsStream ? 1 : 0) | (parts.isEmpty ? 4 : 0), stream: stream, payload: first)
        for (index, part) in parts.enumerated() {
            bytes += frame(9, flags: index == parts.count - 1 ? 4 : 0, stream: stream, payload: part)
        }
        return bytes
    }

    func takeStream() -> UInt32 {
        defer { nextStream += 2 }
        return nextStream
    }

    /// Sends a head and returns its stream.
    @discardableResult
    func request(_ fields: [(String, String)], endsStream: Bool = true) throws -> UInt32 {
        try request(block: Self.block(fields), endsStream: endsStream)
    }

    @discardableResult
    func request(block: [UInt8], endsStream: Bool = true) throws -> UInt32 {
        let stream = takeStream()
        try client.send(Self.headers(block, stream: stream, endsStream: endsStream))
        return stream
    }

    func data(_ bytes: [UInt8], stream: UInt32, endsStream: Bool = false) throws {
        try client.send(Self.frame(0, flags: endsStream ? 1 : 0, stream: stream, payload: bytes))
    }

    // MARK: - Receiving

    /// Reads one frame and handles it. `nil` at the end of the connection.
    func next() throws -> Frame? {
        guard let header = try? client.read(9) else { return nil }
        let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
        guard let payload = length == 0 ? [] : try? client.read(length) else { return nil }
        let stream = header[5...8].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let frame = Frame(type: header[3], flags: header[4], stream: stream, payload: payload)
        try receive(frame)
        return frame
    }

    private func receive(_ frame: Frame) throws {
        switch frame.type {
        case 0:
            answers[frame.stream, default: Answer()].body += frame.payload
            if frame.flags & 1 != 0 { answers[frame.stream]?.isComplete = true }
        case 1, 9:
            let flags = openBlock?.flags ?? frame.flags
            let block = (openBlock?.bytes ?? []) + frame.payload
            openBlock = (frame.stream, flags, block)
            if frame.flags & 4 != 0 { try finishBlock() }
        case 3: answers[frame.stream, default: Answer()].reset = Self.number(frame.payload)
        case 4 where frame.flags & 1 == 0:
            for index in stride(from: 0, to: frame.payload.count, by: 6) {
                let identifier = UInt16(frame.payload[index]) << 8 | UInt16(frame.payload[index + 1])
                settings[identifier] = Self.number(Array(frame.payload[(index + 2)...]))
            }
            try? client.send(Self.frame(4, flags: 1))
        case 7: goAways.append((Self.number(frame.payload), Self.number(Array(frame.payload[4...]))))
        default: break
        }
    }

    private static func number(_ bytes: [UInt8]) -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    private func finishBlock() throws {
        guard let (stream, flags, bytes) = openBlock else { return }
        openBlock = nil
        var buffer = ByteBuffer(bytes: bytes)
        let fields = try decoder.decodeHeaders(from: &buffer).map { (name: $0.name, value: $0.value) }
        var answer = answers[stream] ?? Answer()
        if fields.first?.name != ":status" {
            answer.trailers = fields
        } else if fields.first?.value.hasPrefix("1") == true {
            answer.interim.append(fields)
        } else {
            answer.fields = fields
        }
        if flags & 1 != 0 { answer.isComplete = true }
        answers[stream] = answer
    }

    /// Reads until a stream has ended, and returns what it received.
    func answer(_ stream: UInt32) throws -> Answer {
        while answers[stream]?.isComplete != true, answers[stream]?.reset == nil {
            guard try next() != nil else { break }
        }
        return answers[stream] ?? Answer()
    }

    /// Sends a request and returns its response.
    func exchange(_ fields: [(String, String)]) throws -> Answer { try answer(request(fields)) }

    /// Reads until the gateway closes the connection. Returns the last error code of GOAWAY.
    func readToEnd() throws -> UInt32? {
        while try next() != nil {}
        return goAways.last?.code
    }
}
