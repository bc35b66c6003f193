import Testing

@testable import SystemFixtures

/// Hostile clients of HTTP/2: each is disconnected within bounded work, and other clients are served.
///
/// A client that sends without reading acknowledges no SETTINGS. The timeout for that is not the subject here.
@Suite(.http2Scenario(limits: "{ head_timeout: 5m }")) struct HTTP2HostileTests: SharedScenarioSuite {
    typealias Frame = @Sendable (UInt32) -> [UInt8]

    private func connect(_ settings: [(UInt16, UInt32)] = []) throws -> HTTP2Client {
        try HTTP2Client(port: scenario.gateway.port, settings: settings)
    }

    private func expectService() throws {
        let client = try connect()
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
    }

    private static func request(_ stream: UInt32, _ path: String = "/public/x?delay=20000") -> [UInt8] {
        HTTP2Client.headers(HTTP2Client.block(HTTP2Client.head(path)), stream: stream)
    }

    static let floods: [(id: String, limit: Int, frame: Frame)] = [
        ("M-28 reset", 10_000, { request($0) + HTTP2Client.frame(3, stream: $0, payload: [0, 0, 0, 8]) }),
        (
            "M-29 window update 0", 10_000,
            { request($0) + HTTP2Client.frame(8, stream: $0, payload: [0, 0, 0, 0]) }
        ),
        (
            "M-29 window overflow", 10_000,
            { request($0) + HTTP2Client.frame(8, stream: $0, payload: [0x7F, 0xFF, 0xFF, 0xFF]) }
        ),
        ("M-29 data after the end", 10_000, { request($0) + HTTP2Client.frame(0, stream: $0, payload: [1]) }),
        ("M-30 priority", 10_000, { HTTP2Client.frame(2, stream: $0, payload: [0, 0, 0, 0, 1]) }),
        ("M-37 empty data", 10_000, { _ in HTTP2Client.frame(0, stream: 1) }),
        ("M-39 ping", 10_000, { _ in HTTP2Client.frame(6, payload: Array(repeating: 0, count: 8)) }),
        ("M-39 settings", 10_000, { _ in HTTP2Client.frame(4) }),
        ("M-42 unknown frames", 10_000, { _ in HTTP2Client.frame(0xAB, payload: [1, 2, 3]) }),
        ("M-42 window updates", 100_000, { _ in HTTP2Client.frame(8, payload: [0, 0, 0, 1]) }),
        ("M-49 streams", 1_000, { request($0) }),
    ]

    @Test(.tags(.k05), arguments: floods)
    func `M-28 to M-30, M-37, M-39, M-42, M-49: a flood ends its connection`(
        row: (id: String, limit: Int, frame: Frame)
    ) throws {
        let client = try connect()
        if row.id.hasPrefix("M-37") { try client.request(HTTP2Client.head(method: "POST"), endsStream: false) }
        let sent = Result {
            for start in stride(from: 0, to: row.limit, by: 100) {
                try client.client.send((start..<start + 100).flatMap { row.frame(UInt32($0) * 2 + 1) })
            }
        }
        _ = sent
        // A reset of the connection may lose GOAWAY.
        let code = try? client.readToEnd()
        #expect(code == nil || code == 0xB || code == 0x1, "\(row.id)")
        try expectService()
    }

    @Test func `M-49: streams above the limit are refused, and the others are served`() throws {
        let client = try connect()
        try client.acknowledge()
        let streams = try (0..<130).map { _ in try client.request(HTTP2Client.head("/public/x?delay=2000")) }
        let answers = try streams.map { try client.answer($0) }
        #expect(answers.count { $0.reset == 7 } >= 30 && answers.prefix(100).allSatisfy { $0.status == 200 })
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
    }

    @Test func `streams whose heads take too much memory are refused`() throws {
        let client = try connect()
        try client.acknowledge()
        let large = [("x-a", String(repeating: "a", count: 32_000))]
        let streams = try (0..<40).map { _ in try client.request(HTTP2Client.head("/public/x?delay=60000") + large) }
        // 31 heads fit.
        while client.answers.values.count(where: { $0.reset == 7 }) < 9 { _ = try #require(try client.next()) }
        #expect(streams.prefix(31).allSatisfy { client.answers[$0]?.reset == nil })
        // Streams that have ended release their heads.
        try client.client.send(
            streams.prefix(31).flatMap { HTTP2Client.frame(3, stream: $0, payload: [0, 0, 0, 8]) })
        var answer = try client.exchange(HTTP2Client.head() + large)
        while answer.reset == 7 { answer = try client.exchange(HTTP2Client.head() + large) }
        #expect(answer.status == 200)
    }

    @Test func `after a field that is not UTF-8 the connection ends with its current streams`() throws {
        let client = try connect()
        let (current, rejected, later) = (client.takeStream(), client.takeStream(), client.takeStream())
        let invalid = HTTP2Client.block(HTTP2Client.head()) + HTTP2Client.block(bytes: [(Array("x-a".utf8), [0xFF])])
        try client.client.send(
            Self.request(current, "/public/x?delay=1000") + HTTP2Client.headers(invalid, stream: rejected)
                + Self.request(later, "/public/x"))
        #expect(try client.answer(rejected).status == 400)
        #expect(try client.answer(later).reset == 7)
        #expect(try client.answer(current).status == 200)
        #expect(try client.readToEnd() == 0)
        try expectService()
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        HTTP2Client.frame(type, flags: flags, stream: stream, payload: payload)
    }

    private static func bytes(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }

    private static func times(_ count: Int, _ bytes: [UInt8]) -> [UInt8] {
        (0..<count).flatMap { _ in bytes }
    }

    private static func settings(_ payload: [UInt8]) -> [UInt8] { frame(4, 0, 0, payload) }

    /// A head of one entry of the compression table, and many references to it.
    private static var bomb: [UInt8] {
        let entry: [UInt8] = bytes([0x40, 1, 0x78, 0x7F, 0x81, 0x1E], times(4_000, [0x61]))
        return bytes(frame(1, 0, 1, entry), frame(9, 4, 1, times(16_000, [0xBE])))
    }

    /// The head of a request with a body.
    private static var upload: [UInt8] {
        HTTP2Client.headers(
            HTTP2Client.block(HTTP2Client.head(method: "POST")), stream: 1, endsStream: false)
    }

    typealias Fatal = (id: String, code: UInt32?, bytes: [UInt8])
    static let fatal: [Fatal] = [
        ("M-31 continuations", 0xB, bytes(frame(1, 0, 1, []), times(100, frame(9, 0, 1, [])))),
        ("M-32 ping in a head", 0x1, bytes(frame(1, 0, 1, []), frame(6, 0, 0, times(8, [0])))),
        ("M-32 other stream", 0x1, bytes(frame(1, 0, 1, []), frame(9, 4, 3, []))),
        ("M-43 initial window", 0x3, settings([0, 4, 0x80, 0, 0, 0])),
        ("M-43 frame size", 0x1, settings([0, 5, 0, 0, 0, 1])),
        ("M-43 push", 0x1, settings([0, 2, 0, 0, 0, 2])), ("M-43 connect", 0x1, settings([0, 8, 0, 0, 0, 2])),
        ("M-43 ack with payload", 0x6, frame(4, 1, 0, [0, 8, 0, 0, 0, 1])),
        ("M-43 length", 0x6, settings([0, 8, 0, 0, 0, 1, 0])), ("M-43 stream", 0x1, frame(4, 0, 1, [])),
        ("M-44 entries", 0xB, settings(times(2_700, [0, 3, 0, 0, 0, 1]))),
        ("M-46 window", 0x3, frame(8, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF])),
        ("M-50 even stream", 0x1, request(2, "/public/x")),
        ("M-50 lower stream", nil, bytes(request(5, "/public/x"), request(3, "/public/x"))),
        ("M-50 data on stream 0", 0x1, frame(0, 0, 0, [1])), ("M-50 data on an idle stream", nil, frame(0, 0, 7, [1])),
        ("M-50 frame size", 0x6, frame(0, 0, 1, times(16_385, [0]))),
        ("M-51 padding", 0x1, bytes(upload, frame(0, 8, 1, [5, 1, 2]))),
        ("M-52 index 0", 0x9, frame(1, 5, 1, [0x80])), ("M-52 index", 0x9, frame(1, 5, 1, [0xFF, 0xFF, 0x03])),
        ("M-52 integer", 0x9, frame(1, 5, 1, times(32, [0xFF]))),
        ("M-52 table size", 0x9, frame(1, 5, 1, [0x3F, 0xFF, 0xFF, 0x03])), ("M-33, M-34 references", nil, bomb),
        ("M-36 empty name", nil, frame(1, 5, 1, [0, 0, 0])),
    ]

    @Test(.tags(.k05), arguments: fatal)
    func `M-31 to M-34, M-43 to M-52: an error of the connection ends it`(
        row: Fatal
    ) throws {
        let client = try connect()
        try client.client.send(row.bytes)
        let code = try #require(try client.readToEnd(), "\(row.id)")
        if let expected = row.code { #expect(code == expected, "\(row.id)") } else { #expect(code != 0, "\(row.id)") }
        try expectService()
    }

    @Test func `M-45, M-60: heads of users stay correct with the largest compression table`() throws {
        let client = try connect([(1, .max)])
        for number in 0..<300 {
            let answer = try client.exchange(HTTP2Client.head("/public/\(number)"))
            #expect(answer.status == 200 && answer["x-request-id"]?.count == 32)
        }
    }

    @Test func `M-41: responses to a client without a window end, and hold no others`() throws {
        let client = try connect([(4, 0)])
        let streams = try (0..<20).map { _ in try client.request(HTTP2Client.head("/public/x?bytes=1000000")) }
        for stream in streams {
            while client.answers[stream]?.status != 200 { _ = try #require(try client.next()) }
        }
        try expectService()
        // The window of one stream is opened: its response is complete, while the others wait.
        let first = streams[7]
        try client.client.send(
            HTTP2Client.frame(8, stream: first, payload: [0, 0x0F, 0x42, 0x40])
                + HTTP2Client.frame(8, payload: [0, 0x0F, 0x42, 0x40]))
        #expect(try client.answer(first).body.count == 1_000_000)
    }
}

/// Clients of HTTP/2 that do not complete the beginning of a connection or of a head.
@Suite(.http2Scenario(limits: "{ head_timeout: 1s }")) struct HTTP2BeginningTests: SharedScenarioSuite {
    static let beginnings: [(what: String, bytes: [UInt8])] = [
        ("nothing after the preface", HTTP2Client.preface), ("half a preface", Array(HTTP2Client.preface.prefix(12))),
        ("no acknowledgement", HTTP2Client.preface + HTTP2Client.frame(4)),
        (
            "half a head",
            HTTP2Client.preface + HTTP2Client.frame(4) + HTTP2Client.frame(4, flags: 1)
                + HTTP2Client.frame(1, stream: 1)
        ),
    ]

    @Test(arguments: beginnings)
    func `M-47: an incomplete beginning is closed in time`(row: (what: String, bytes: [UInt8])) throws {
        let client = try scenario.client(sending: row.bytes)
        _ = try client.readToEnd()
    }
}
