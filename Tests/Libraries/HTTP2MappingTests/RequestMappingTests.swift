import HTTPWire
import NIOCore
import NIOHPACK
import Testing

@testable import HTTP2Mapping

@Suite struct RequestMappingTests {
    typealias Fields = [(String, String)]

    private static let target: Fields = [
        (":method", "GET"), (":scheme", "https"), (":path", "/a"), (":authority", "example.com"),
    ]

    private static func target(_ changes: (String, String?)...) -> Fields {
        target.compactMap { field in
            guard let change = changes.first(where: { $0.0 == field.0 }) else { return field }
            return change.1.map { (field.0, $0) }
        }
    }

    private func map(_ fields: Fields, endsStream: Bool = true, limit: Int = 128) throws -> RequestMapping.Head {
        try RequestMapping.head(
            of: HPACKHeaders(fields), endsStream: endsStream, limits: .init(fields: limit, size: 65_536),
            webSocketKey: { "KEY" })
    }

    private func text(_ fields: Fields, endsStream: Bool = true) throws -> String {
        String(buffer: try map(fields, endsStream: endsStream).bytes)
    }

    static let refused: [(id: String, fields: Fields)] = [
        ("M-01", [(":method", "GET"), (":scheme", "https"), ("x-a", "1"), (":path", "/a"), (":authority", "h")]),
        ("M-01", [("x-a", "1")] + target), ("M-02", target + [(":path", "/a")]),
        ("M-02", target + [(":method", "PUT")]),
        ("M-02", target + [(":scheme", "https")]), ("M-02", target + [(":authority", "example.com")]),
        ("M-03", target + [(":status", "200")]), ("M-03", target + [(":foo", "x")]), ("M-03", target + [(":", "x")]),
        ("M-04", target((":method", nil))), ("M-04", target((":scheme", nil))), ("M-04", target((":path", nil))),
        ("M-04", target((":authority", nil))), ("M-04", target((":method", ""))), ("M-04", target((":scheme", ""))),
        ("M-04", target((":path", ""))), ("M-05", target((":path", "admin/x"))), ("M-05", target((":path", "*"))),
        ("M-05", target((":path", "http://h/x"))), ("M-05", target((":path", "/a b"))),
        ("M-05", target((":path", "/a HTTP/1.1\r\nX: y"))), ("M-05", target((":path", "/a#b"))),
        ("M-05", target((":path", "/a\u{7F}"))), ("M-05", target((":path", "/ä"))),
        ("M-06", target((":method", "GET /admin HTTP/1.1"))), ("M-06", target((":method", "G\tET"))),
        ("M-06", target((":method", "G\r\n"))), ("M-06", target((":method", String(repeating: "A", count: 300)))),
        ("M-07", target((":scheme", "http://evil/?"))), ("M-07", target((":scheme", "htTps"))),
        ("M-07", target((":scheme", "ftp"))), ("M-08", target((":authority", "u@good"))),
        ("M-08", target((":authority", "good/x"))), ("M-08", target((":authority", "good:99999"))),
        ("M-08", target((":authority", " good"))), ("M-08", target((":authority", "good,evil"))),
        ("M-08", target((":authority", ""))), ("M-09", target + [("host", "admin")]),
        ("M-09", target + [("host", "example.com"), ("host", "example.com")]),
        ("M-09", target + [("host", "example.com:80")]), ("M-11", target + [("X-A", "1")]),
        ("M-11", target + [("x a", "1")]), ("M-11", target + [("x:a", "1")]), ("M-11", target + [("", "1")]),
        ("M-12", target + [("x-a", "1\r\nx-y: z")]), ("M-12", target + [("cookie", "a=1\nb")]),
        ("M-12", target((":authority", "h\r\nx: y"))), ("M-13", target + [("authorization", " Bearer x")]),
        ("M-13", target + [("content-length", "0 ")]), ("M-13", target + [("x-auth-uid", "a\t")]),
        ("M-14", target + [("transfer-encoding", "chunked")]), ("M-14", target + [("transfer-encoding", "identity")]),
        ("M-15", target + [("connection", "x-auth-uid")]), ("M-15", target + [("keep-alive", "5")]),
        ("M-15", target + [("proxy-connection", "close")]), ("M-15", target + [("upgrade", "h2c")]),
        ("M-15", target + [("te", "gzip")]), ("M-15", target + [("te", "trailers, gzip")]),
        ("M-17", target + [("content-length", "10")]), ("M-18", target + [("content-length", "+5")]),
        ("M-18", target + [("content-length", "")]),
        ("M-18", target + [("content-length", "0"), ("content-length", "0")]),
        ("M-24", target((":method", "CONNECT"))),
        ("M-24", [(":method", "CONNECT"), (":path", "/"), (":authority", "h:22")]), ("M-24", [(":method", "CONNECT")]),
        ("M-25", target + [(":protocol", "websocket")]), ("M-36", target + [("", "")]),
    ]

    @Test(arguments: refused)
    func `M-01 to M-18, M-24, M-36: a malformed request is refused`(row: (id: String, fields: Fields)) {
        for endsStream in row.id == "M-17" ? [true] : [true, false] {
            #expect(throws: RequestMapping.Failure.self, "\(row)") { try map(row.fields, endsStream: endsStream) }
        }
    }

    @Test func `a request is translated with one Host and its fields in order`() throws {
        let fields = Self.target((":path", "/a?b=c")) + [("accept", "*/*"), ("x-b", "é"), ("te", "trailers")]
        #expect(
            try text(fields) == "GET /a?b=c HTTP/1.1\r\nhost: example.com\r\naccept: */*\r\nx-b: é\r\n\r\n")
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "TRACE", "POST", "get"])
    func `M-19: a body without a length is chunked, whatever the method`(method: String) throws {
        let head = try map(Self.target((":method", method)), endsStream: false)
        #expect(head.framing == .chunked)
        #expect(String(buffer: head.bytes).contains("\r\ntransfer-encoding: chunked\r\n"))
        #expect(try map(Self.target((":method", method))).framing == .none)
    }

    @Test func `a length frames the body`() throws {
        let head = try map(Self.target + [("content-length", "5")], endsStream: false)
        #expect(head.framing == .length(5))
        #expect(!String(buffer: head.bytes).contains("transfer-encoding"))
    }

    @Test(arguments: [
        ("example.com", "EXAMPLE.com"), ("example.com:443", "example.com"), ("[::1]", "[::1]:443"), ("a.", "a"),
    ])
    func `M-09: an equal host leaves one Host upstream`(authority: String, host: String) throws {
        let text = try text(Self.target((":authority", authority)) + [("host", host)])
        #expect(text == "GET /a HTTP/1.1\r\nhost: \(authority)\r\n\r\n")
    }

    @Test func `M-10: host alone names the authority`() throws {
        #expect(try text(Self.target((":authority", nil)) + [("host", "b")]) == "GET /a HTTP/1.1\r\nhost: b\r\n\r\n")
    }

    @Test func `M-21: the parts of a cookie are joined`() throws {
        let text = try text(Self.target + [("cookie", "a=1"), ("x-a", "1"), ("cookie", "b=2"), ("cookie", "c=3")])
        #expect(text.hasSuffix("\r\ncookie: a=1; b=2; c=3\r\nx-a: 1\r\n\r\n"))
    }

    @Test(arguments: [("x-a", 128, true), ("x-a", 129, false), ("cookie", 128, true), ("cookie", 129, false)])
    func `M-35: fields are counted before the parts of a cookie are joined`(
        name: String, count: Int, isPermitted: Bool
    ) throws {
        let fields = Self.target + Array(repeating: (name, "a=1"), count: count)
        if isPermitted {
            _ = try map(fields)
        } else {
            #expect(throws: RequestMapping.Failure.tooManyFields) { try map(fields) }
        }
    }

    @Test func `M-34: fields are bounded in bytes`() {
        let fields = Self.target + Array(repeating: ("x-a", String(repeating: "a", count: 1000)), count: 100)
        #expect(throws: RequestMapping.Failure.tooLarge) { try map(fields) }
    }

    @Test func `M-24: CONNECT is left to the decision`() throws {
        let head = try map([(":method", "CONNECT"), (":authority", "h:22")], endsStream: false)
        #expect(String(buffer: head.bytes) == "CONNECT h:22 HTTP/1.1\r\nhost: h:22\r\n\r\n")
        #expect(head.framing == .none && !head.isTunnel)
    }

    @Test func `extended CONNECT becomes a WebSocket handshake`() throws {
        let fields: Fields =
            Self.target((":method", "CONNECT")) + [
                (":protocol", "websocket"), ("sec-websocket-version", "13"), ("sec-websocket-key", "x"),
            ]
        let head = try map([fields[4]] + fields[..<4] + fields[5...], endsStream: false)
        #expect(head.isTunnel && head.framing == .none)
        #expect(
            String(buffer: head.bytes)
                == "GET /a HTTP/1.1\r\nhost: example.com\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
                + "sec-websocket-key: KEY\r\nsec-websocket-version: 13\r\n\r\n")
    }

    @Test(arguments: ["", "foo", "h2c"])
    func `M-25: another protocol is refused`(name: String) {
        let fields = Self.target((":method", "CONNECT")) + [(":protocol", name)]
        #expect(throws: RequestMapping.Failure.unknownProtocol) { try map(fields, endsStream: false) }
    }

    static let trailers: [(fields: Fields, areValid: Bool)] = [
        ([("grpc-status", "0")], true), ([], true), ([(":path", "/")], false), ([("connection", "x")], false),
        ([("X", "1")], false), ([("x", "a\nb")], false), (Array(repeating: ("x", "1"), count: 129), false),
    ]

    @Test(arguments: trailers)
    func `M-03, M-12, M-35: trailers have no pseudo-header and are bounded`(row: (fields: Fields, areValid: Bool)) {
        let limits = RequestMapping.Limits(fields: 128, size: 65_536)
        #expect(RequestMapping.areTrailers(HPACKHeaders(row.fields), limits: limits) == row.areValid)
    }

    @Test(arguments: [
        ("application/grpc", true), ("application/grpc+proto", true), ("Application/GRPC; a=b", true),
        ("application/grpc-web", false), ("application/grpc-web+proto", false), ("application/grp", false),
        ("application/grpcx", false),
    ])
    func `gRPC is recognized by its content type`(type: String, isGRPC: Bool) {
        #expect(GRPCType.matches(type.utf8) == isGRPC)
    }
}
