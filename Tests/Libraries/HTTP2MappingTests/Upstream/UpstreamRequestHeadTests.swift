import HTTPWire
import NIOHPACK
import Testing

@testable import HTTP2Mapping

/// The conversion of requests from HTTP/1.1 to HTTP/2.
@Suite struct UpstreamRequestHeadTests {
    typealias Failure = UpstreamRequestHead.Failure

    private func convert(_ text: String, isSecure: Bool = false, listLimit: Int? = nil) throws -> UpstreamRequestHead {
        try Array(text.utf8).withUnsafeBytes { try UpstreamRequestHead($0, isSecure: isSecure, listLimit: listLimit) }
    }

    private func failure(_ bytes: [UInt8], listLimit: Int? = nil) -> Failure? {
        do {
            _ = try bytes.withUnsafeBytes { try UpstreamRequestHead($0, isSecure: false, listLimit: listLimit) }
            return nil
        } catch {
            return error as? Failure
        }
    }

    /// The fields in order, as `name: value`.
    private func lines(_ fields: HPACKHeaders) -> [String] { fields.map { "\($0.name): \($0.value)" } }

    static let converted: [(head: String, fields: [String])] = [
        (
            "GET /a?b=%2F HTTP/1.1\r\nHost: api:8080\r\nX-Auth-Uid: u1\r\n",
            [":method: GET", ":scheme: http", ":path: /a?b=%2F", ":authority: api:8080", "x-auth-uid: u1"]
        ),
        (
            "POST / HTTP/1.1\r\nhost: a\r\nContent-Length: 5\r\nCookie: a=1\r\nCookie: b=2\r\n",
            [
                ":method: POST", ":scheme: http", ":path: /", ":authority: a", "content-length: 5", "cookie: a=1",
                "cookie: b=2",
            ]
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n",
            [":method: POST", ":scheme: http", ":path: /", ":authority: a", "trailer: X-Sum"]
        ),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\nKeep-Alive: 1\r\n"
                + "Proxy-Connection: x\r\nTE: gzip\r\nHTTP2-Settings: AA\r\nX-Kept: 1\r\n",
            [":method: GET", ":scheme: http", ":path: /", ":authority: a", "x-kept: 1"]
        ),
        (
            "POST /p.S/M HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc+proto\r\nTE: x\r\n",
            [
                ":method: POST", ":scheme: http", ":path: /p.S/M", ":authority: a",
                "content-type: application/grpc+proto", "te: trailers",
            ]
        ),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n", [":method: OPTIONS", ":scheme: http", ":path: *", ":authority: a"]),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nX-Padded: \t b \r\n",
            [":method: GET", ":scheme: http", ":path: /", ":authority: a", "x-empty: ", "x-padded: b"]
        ),
    ]

    @Test(arguments: converted)
    func `fields are converted, and those of one connection removed`(head: String, fields: [String]) throws {
        #expect(lines(try convert(head + "\r\n").fields) == fields)
    }

    @Test func `no field enters the dynamic table`() throws {
        let head = try convert("PATCH /x HTTP/1.1\r\nHost: a\r\nX-Auth-Uid: u\r\nAccept: */*\r\n\r\n")
        // Only entries of the static table are encoded as indices.
        #expect(head.fields.filter { $0.indexable == .indexable }.map(\.value) == ["http"])
        #expect(head.fields.filter { !$0.name.hasPrefix(":") }.allSatisfy { $0.indexable == .neverIndexed })
    }

    @Test(arguments: [
        ("", BodyFraming.none), ("Content-Length: 0\r\n", .length(0)), ("Content-Length: 7\r\n", .length(7)),
        ("Transfer-Encoding: chunked\r\n", .chunked),
    ])
    func `the framing is that of the HTTP/1.1 body`(fields: String, framing: BodyFraming) throws {
        let head = try convert("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
        #expect(head.framing == framing)
    }

    static let rejected: [(head: String, failure: Failure)] = [
        ("", .malformed), ("GET / HTTP/1.1\r\n", .malformed), ("GET / HTTP/1.0\r\n\r\n", .malformed),
        ("GET  / HTTP/1.1\r\n\r\n", .malformed), ("GET x HTTP/1.1\r\n\r\n", .malformed),
        ("GET http://a/ HTTP/1.1\r\n\r\n", .malformed), ("GET /#a HTTP/1.1\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nX y: 1\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{FFFD}\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .malformed),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /admin HTTP/1.1\r\n\r\n", .malformed),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", .upgrade),
        ("GET /\(String(repeating: "~", count: 16_000)) HTTP/1.1\r\nHost: a\r\n\r\n", .tooLarge),
    ]

    @Test(arguments: rejected)
    func `M-12, M-18, M-60: other heads are rejected`(head: String, failure: Failure) {
        #expect(self.failure(Array(head.utf8)) == failure)
    }

    @Test func `bytes that are not UTF-8 are rejected, because NIO would replace them`() {
        #expect(failure(Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xE9] + Array("\r\n\r\n".utf8)) == .notUTF8)
    }

    @Test func `the server's limit of a field list holds`() {
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        // 4 fields of 32 bytes each, 29 bytes of names and 9 of values.
        #expect(failure(head, listLimit: 166) == nil)
        #expect(failure(head, listLimit: 165) == .tooLarge)
    }

    @Test func `trailers are converted without fields of one connection`() throws {
        let trailers = try Array("X-Sum: 1\r\nConnection: x\r\n".utf8).withUnsafeBytes {
            try UpstreamRequestHead.trailers($0)
        }
        #expect(lines(trailers) == ["x-sum: 1"])
    }

    @Test(arguments: [
        ("application/grpc", true), ("Application/GRPC", true), ("application/grpc+json", true),
        ("application/grpc;x=1", true), ("application/grpc ; x", false), ("application/grpc-web", false),
        ("application/grpcx", false), ("application/json", false), ("", false),
    ])
    func `a content type is gRPC or not`(type: String, isGRPC: Bool) {
        #expect(GRPCType.matches(type.utf8) == isGRPC)
    }

    @Test(arguments: [
        (UInt64(0), "1n"), (1, "1n"), (99_999_999, "99999999n"), (100_000_000, "100000u"),
        (99_999_999_999, "99999999u"), (59_500_000_000, "59500000u"),
        (3_600_000_000_000_000, "3600000S"),
    ])
    func `K-12: the rest of a timeout is sent`(left: UInt64, text: String) throws {
        #expect(GRPCTimeout.text(nanoseconds: left) == text)
        #expect(GRPCTimeout.nanoseconds(Array(GRPCTimeout.text(nanoseconds: .max).utf8)) != nil)
        let bytes = Array("POST /p.S/M HTTP/1.1\r\nHost: a\r\nGRPC-Timeout: 60S\r\n\r\n".utf8)
        let head = try bytes.withUnsafeBytes { try UpstreamRequestHead($0, isSecure: true, timeLeft: left) }
        #expect(head.fields["grpc-timeout"] == [GRPCTimeout.text(nanoseconds: left)])
        let unchanged = try bytes.withUnsafeBytes { try UpstreamRequestHead($0, isSecure: true) }
        #expect(unchanged.fields["grpc-timeout"] == ["60S"])
    }
}
