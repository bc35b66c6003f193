import HTTPWire
import NIOCore
import NIOHPACK
import Testing

@testable import HTTP2Mapping

@Suite struct ResponseMappingTests {
    /// The parts as texts, with the response written in pieces of `size` bytes.
    private func parts(_ text: String, method: Method = .get, isTunnel: Bool = false, size: Int = .max) -> [String] {
        var mapping = ResponseMapping(method: method, isTunnel: isTunnel)
        let fields = FieldTable(capacity: 64)
        var parts: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            mapping.append(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let part = mapping.next(fields: fields) {
                parts.append(Self.text(part))
                if parts.count > 100 { return parts }
            }
        }
        return parts
    }

    private static func text(_ part: ResponseMapping.Part) -> String {
        switch part {
        case .interim(let fields): "interim \(text(fields))"
        case .head(let fields, let ends): "head\(ends ? " end" : "") \(text(fields))"
        case .data(let bytes): "data \(String(buffer: bytes))"
        case .end(let trailers): "end \(text(trailers))"
        case .headTooLarge: "head too large"
        case .trailersTooLarge: "trailers too large"
        case .invalid: "invalid"
        }
    }

    private static func text(_ fields: HPACKHeaders) -> String {
        fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    }

    static let rows: [(response: String, method: Method, parts: [String])] = [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\nConnection: close\r\n\r\nhello", .get,
            ["head :status=200,content-length=5,x-a=b", "data hello", "end "]
        ),
        ("HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n", .get, ["head end :status=204,x-a=b"]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .head, ["head end :status=200,content-length=5"]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get, ["head end :status=200,content-length=0"]),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", .get,
            ["head :status=200", "data ab", "data c", "end "]
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nGrpc-Status: 0\r\n\r\n", .get,
            ["head :status=200", "data a", "end grpc-status=0"]
        ),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get,
            ["interim :status=103,link=x", "head end :status=200,content-length=0"]
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\ngrpc-status: 16\r\n\r\n", .post,
            ["head end :status=200,grpc-status=16"]
        ),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .get, ["invalid"]), ("nonsense\r\n\r\n", .get, ["invalid"]),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get,
            ["head end :status=200,content-length=0", "invalid"]
        ),
    ]

    @Test(arguments: rows)
    func `a response is translated part by part`(row: (response: String, method: Method, parts: [String])) {
        #expect(parts(row.response, method: row.method) == row.parts)
    }

    @Test(
        arguments: rows.filter {
            !$0.response.contains("hello") && !$0.response.contains("ab") && $0.parts.last != "invalid"
        })
    func `the parts do not depend on the pieces`(row: (response: String, method: Method, parts: [String])) {
        #expect(parts(row.response, method: row.method, size: 1) == row.parts)
    }

    @Test func `101 opens a tunnel with 200`() {
        let response =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: chat\r\n\r\nab"
        #expect(parts(response, isTunnel: true) == ["head :status=200,sec-websocket-protocol=chat", "data ab"])
    }

    @Test func `M-26: a tunnel is opened by 101 only`() {
        let body = "Content-Length: 2\r\n\r\nab"
        #expect(parts("HTTP/1.1 200 OK\r\n" + body, isTunnel: true) == ["invalid"])
        let denied = parts("HTTP/1.1 404 Not Found\r\n" + body, isTunnel: true)
        #expect(denied == ["head :status=404,content-length=2", "data ab", "end "])
    }

    private static let large = "X-A: \(String(repeating: "|", count: 10_000))\r\n"

    @Test func `M-60: a head that exceeds one frame is not sent`() {
        #expect(parts("HTTP/1.1 200 OK\r\n\(Self.large)Content-Length: 0\r\n\r\n") == ["head too large"])
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        let trailer = "A: \(String(repeating: "\\", count: 7_300))\r\n\r\n"
        #expect(parts(chunked + trailer).last == "trailers too large")
    }

    @Test(arguments: [1_000, .max])
    func `an interim response that exceeds one frame is dropped`(size: Int) {
        let interim = "HTTP/1.1 103 Early Hints\r\n"
        let response =
            interim + Self.large + "\r\n" + interim + "Link: x\r\n\r\n" + interim + Self.large + "\r\n"
            + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        #expect(
            parts(response, size: size) == [
                "interim :status=103,link=x", "head end :status=200,content-length=0",
            ])
    }

    @Test func `fields of users are never indexed`() {
        for name in ["set-cookie", "x-auth-uid", "authorization", "x-request-id", "location"] {
            #expect("\(FieldEncoding.indexing(of: name, value: "x"))" == "\(HPACKIndexing.neverIndexed)")
        }
        let long = String(repeating: "a", count: 65)
        #expect("\(FieldEncoding.indexing(of: "content-type", value: long))" == "\(HPACKIndexing.neverIndexed)")
    }
}
