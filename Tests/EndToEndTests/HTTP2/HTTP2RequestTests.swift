import DevelopmentIdentity
import Testing

@testable import SystemFixtures

extension Trait where Self == SharedScenarioTrait {
    /// A cleartext listener that serves HTTP/2 by prior knowledge.
    static var http2Scenario: Self { http2Scenario(limits: nil) }

    static func http2Scenario(limits: String?) -> Self {
        sharedScenario {
            $0["listen"] = "[{ address: 127.0.0.1:0, protocols: [http/1.1, h2c] }]"
            if let limits { $0["limits"] = limits }
        }
    }
}

/// Requests over HTTP/2, as the upstream receives them.
@Suite(.http2Scenario) struct HTTP2RequestTests: SharedScenarioSuite {
    typealias Fields = [(String, String)]

    private func connect() throws -> HTTP2Client { try HTTP2Client(port: scenario.gateway.port) }

    private func report(_ answer: HTTP2Client.Answer) throws -> EchoReport {
        #expect(answer.status == 200 && answer.isComplete, "\(answer)")
        let response = WireResponse(head: Array("HTTP/1.1 200 OK".utf8)).map { response in
            var response = response
            response.body = answer.body
            return response
        }
        return try #require(response.flatMap(EchoReport.init), "\(answer.text)")
    }

    @Test func `M-10, M-21: a request arrives at the upstream in the form of HTTP/1.1`() throws {
        let client = try connect()
        let token = try scenario.token()
        let head = [
            (":method", "GET"), (":scheme", "http"), (":path", "/me/x?a=b"), ("host", "localhost"),
            ("authorization", "Bearer \(token)"), ("cookie", "a=1"), ("cookie", "b=2"), ("te", "trailers"),
            ("x-auth-uid", "eve"),
        ]
        let report = try report(client.exchange(head))
        #expect(report.version == "HTTP/1.1" && report.method == "GET" && report.path == "/me/x?a=b")
        #expect(report.values("Host").count == 1 && report.values("X-Auth-Uid") == ["ada"])
        #expect(report.values("Cookie") == ["a=1; b=2"] && report.values("TE") == [])
        #expect(client.settings[8] == 1 && client.settings[3] == 100 && client.settings[9] == 1)
    }

    @Test func `many requests on one connection are served`() throws {
        let client = try connect()
        let streams = try (0..<50).map { try client.request(HTTP2Client.head("/public/\($0)")) }
        for (number, stream) in streams.enumerated().reversed() {
            #expect(try report(client.answer(stream)).path == "/public/\(number)")
        }
    }

    @Test(.tags(.k03), arguments: ["GET", "DELETE", "POST"])
    func `M-19: a body of any method is framed`(method: String) throws {
        let client = try connect()
        let hidden = "GET /me/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let stream = try client.request(HTTP2Client.head(method: method), endsStream: false)
        try client.data(Array(hidden.utf8), stream: stream)
        try client.data([], stream: stream, endsStream: true)
        let report = try report(client.answer(stream))
        #expect(report.body == hidden && report["Transfer-Encoding"] == "chunked" && report.method == method)
    }

    @Test func `trailers of a request arrive with its body`() throws {
        let client = try connect()
        let stream = try client.request(HTTP2Client.head(method: "POST"), endsStream: false)
        try client.data(Array("abc".utf8), stream: stream)
        try client.client.send(
            HTTP2Client.headers(HTTP2Client.block([("x-checksum", "1")]), stream: stream, endsStream: true))
        #expect(try report(client.answer(stream)).body == "abc")
    }

    @Test(
        .tags(.k03),
        arguments: [
            ("M-16", "2", "abcd", true), ("M-16", "0", "abcd", true), ("M-17", "10", "", true),
            ("M-17", "10", "abcd", true),
            ("M-18", "+4", "abcd", true), ("M-18", "4, 4", "abcd", true), ("M-18", "9223372036854775808", "abcd", true),
        ])
    func `M-16 to M-18: a length that differs from the body is refused`(
        id: String, length: String, body: String, ends: Bool
    ) throws {
        let client = try connect()
        // The upstream has the declared body before the rest arrives, and must not respond in between.
        let target = "/public/x?hold=length"
        let head = HTTP2Client.head(target, method: "POST") + [("content-length", length)]
        let stream = try client.request(head, endsStream: body.isEmpty)
        if !body.isEmpty { try client.data(Array(body.utf8), stream: stream, endsStream: true) }
        let answer = try client.answer(stream)
        #expect(answer.status == 400 || (answer.status == 0 && answer.reset == 1), "\(id) \(answer)")
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
    }

    static let malformed: [(id: String, fields: [([UInt8], [UInt8])])] = {
        let head = HTTP2Client.head("/me/x").map { (Array($0.0.utf8), Array($0.1.utf8)) }
        func with(_ name: String, _ value: String) -> [([UInt8], [UInt8])] {
            head + [(Array(name.utf8), Array(value.utf8))]
        }
        func replacing(_ name: String, _ value: String) -> [([UInt8], [UInt8])] {
            head.map { $0.0 == Array(name.utf8) ? ($0.0, Array(value.utf8)) : $0 }
        }
        return [
            ("M-01", Array(head[..<2]) + with("x-a", "1").suffix(1) + head[2...]), ("M-02", with(":path", "/public/x")),
            ("M-03", with(":status", "200")), ("M-03", with(":", "x")), ("M-04", Array(head[1...])),
            ("M-04", Array(head[..<2])), ("M-05", replacing(":path", "public/x")), ("M-05", replacing(":path", "*")),
            ("M-05", replacing(":path", "http://localhost/public/x")), ("M-05", replacing(":path", "/public/ x")),
            ("M-05", replacing(":path", "/public/x#b")), ("M-06", replacing(":method", "G\tET")),
            ("M-06", replacing(":method", "GET /public/x HTTP/1.1")), ("M-07", replacing(":scheme", "http://evil/?")),
            ("M-08", replacing(":authority", "u@localhost")), ("M-08", replacing(":authority", "")),
            ("M-09", with("host", "admin")), ("M-11", with("X-A", "1")), ("M-11", with("x a", "1")),
            ("M-11", head + [([0x80], [0x31])]), ("M-12", with("x-a", "1\r\nx-auth-uid: eve")),
            ("M-12", with("x-a", "1\u{0}")), ("M-13", with("x-a", " a")),
            ("M-14", with("transfer-encoding", "chunked")),
            ("M-15", with("connection", "x-auth-uid")), ("M-15", with("te", "gzip")), ("M-15", with("upgrade", "h2c")),
        ]
    }()

    @Test(.tags(.b13, .b20, .k04), arguments: malformed)
    func `M-01 to M-15: a malformed request reaches no upstream, and its connection serves others`(
        row: (id: String, fields: [([UInt8], [UInt8])])
    ) throws {
        let client = try connect()
        let answer = try client.answer(client.request(block: HTTP2Client.block(bytes: row.fields)))
        #expect(answer.status == 400 || (answer.status == 0 && answer.reset == 1), "\(row.id) \(answer)")
        #expect(try client.exchange(HTTP2Client.head()).status == 200, "\(row.id)")
    }

    @Test func `C-06: CONNECT is rejected`() throws {
        let client = try connect()
        let answer = try client.exchange([(":method", "CONNECT"), (":authority", "localhost:22")])
        #expect(answer.status == 405, "\(answer)")
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
    }

    @Test(.tags(.k06), arguments: ["x-a", "cookie"])
    func `M-35: too many fields are 431`(name: String) throws {
        let client = try connect()
        let head = HTTP2Client.head() + Array(repeating: (name, "a=1"), count: 129)
        let answer = try client.exchange(head)
        #expect(answer.status == 431 && answer.text.contains("request/head-too-large"), "\(answer)")
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
    }

    @Test func `a long head is served, and a longer one is 431`() throws {
        let client = try connect()
        try client.acknowledge()
        let long = String(repeating: "a", count: 10_000)
        let names = (0..<6).map { ("x-\($0)", long) }
        #expect(try client.exchange(HTTP2Client.head() + names).status == 200)
        #expect(try client.exchange(HTTP2Client.head() + names + [("x-7", long)]).status == 431)
    }

    @Test func `a denial has the form of HTTP/2`() throws {
        let client = try connect()
        let answer = try client.exchange(HTTP2Client.head("/me/x"))
        #expect(answer.status == 401 && answer["www-authenticate"] == "Bearer")
        #expect(answer["connection"] == nil && answer["content-type"] == "application/problem+json")
        #expect(answer.text.contains("auth/missing-credential"))
        let head = try client.exchange(HTTP2Client.head("/me/x", method: "HEAD"))
        #expect(head.status == 401 && head.body == [] && head.isComplete)
    }

    @Test(.tags(.i12)) func `a denied gRPC call is one block of fields`() throws {
        let client = try connect()
        let fields = HTTP2Client.head("/me/S/C", method: "POST") + [("content-type", "application/grpc")]
        let stream = try client.request(fields, endsStream: false)
        let answer = try client.answer(stream)
        #expect(answer.status == 200 && answer["grpc-status"] == "16" && answer.isComplete && answer.body == [])
        #expect(answer["grpc-message"] == "auth/missing-credential" && answer["content-length"] == nil)
        #expect(answer["grpc-status-details-bin"] != nil)
        let web = try client.exchange(
            HTTP2Client.head("/me/S/C", method: "POST") + [("content-type", "application/grpc-web")])
        #expect(web.status == 401)
        #expect(answer["cache-control"] == "no-store")
        // A denial with the status 200 to another method could be cached.
        let get = try client.exchange(HTTP2Client.head("/me/S/C") + [("content-type", "application/grpc")])
        #expect(get.status == 401)
    }

    @Test func `an early response ends the stream without an error, and the rest of the body is dropped`() throws {
        let client = try connect()
        let head = HTTP2Client.head("/small/x", method: "POST") + [("content-length", "100000")]
        let stream = try client.request(head, endsStream: false)
        let answer = try client.answer(stream)
        #expect(answer.status == 413 && answer.isComplete)
        for _ in 0..<10 { try client.data(Array(repeating: 0, count: 10_000), stream: stream) }
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
        #expect(client.answers[stream]?.reset == 0)
        // The dropped bytes do not use up the window of the connection.
        for _ in 0..<30 {
            let stream = try client.request(HTTP2Client.head(method: "POST"), endsStream: false)
            try client.data(Array(repeating: 0x61, count: 16_000), stream: stream, endsStream: true)
            #expect(try client.answer(stream).status == 200)
        }
        #expect(client.goAways.isEmpty)
    }

    @Test func `M-61: trailers that arrive after an early response do not end the connection`() throws {
        let client = try connect()
        let long = try client.request(HTTP2Client.head("/public/long?delay=300"))
        let head = HTTP2Client.head("/small/x", method: "POST") + [("content-length", "100000")]
        let stream = try client.request(head, endsStream: false)
        #expect(try client.answer(stream).status == 413)
        while client.answers[stream]?.reset == nil { _ = try #require(try client.next()) }
        let trailers = HTTP2Client.block([("x-checksum", "1")])
        try client.client.send(HTTP2Client.headers(trailers, stream: stream))
        #expect(try report(client.exchange(HTTP2Client.head("/public/next"))).path == "/public/next")
        #expect(try report(client.answer(long)).path == "/public/long?delay=300" && client.goAways.isEmpty)
    }

    @Test func `the same port serves HTTP/1.1`() throws {
        #expect(try scenario.passes(WireRequest(method: "POST", target: "/public/x")).method == "POST")
        #expect(try scenario.passes(WireRequest(method: "GET", target: "/public/x")).path == "/public/x")
    }

    @Test func `the metrics and the log name the protocol`() async throws {
        let client = try connect()
        #expect(try client.exchange(HTTP2Client.head()).status == 200)
        #expect(try scenario.gateway.metric("gatehouse_http2_connections") >= 1)
        #expect(try scenario.gateway.metric("gatehouse_http2_requests_total") >= 1)
    }
}
