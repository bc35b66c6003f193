import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

/// Request and response bodies: bytes are unchanged, and only permitted requests are forwarded.
@Suite(.sharedScenario { $0["limits"] = "{ head_size: 16KiB, head_fields: 64 }" }) struct BodyTests: SharedScenarioSuite
{
    @Test func `a long request body is forwarded unchanged`() throws {
        let body = BodyPattern.bytes(10_000_003)
        let report = try scenario.passes(.post("/public/upload", body: body))
        #expect(report.bodyChecksum == String(FNV1a.checksum(body), radix: 16))
        #expect(report["Content-Length"] == "10000003")
    }

    @Test func `a long response body is forwarded unchanged`() throws {
        let response = try scenario.send(.get("/public/download?bytes=10000003"))
        #expect(Data(response.body) == Data(BodyPattern.bytes(10_000_003)))
    }

    @Test func `a chunked body arrives complete and in chunks`() throws {
        let body = BodyPattern.bytes(1_000_000)
        let client = try scenario.client(
            sending: "POST /public/chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: 100_000) {
            try client.send(Array("186a0;name=value\r\n".utf8) + body[start..<start + 100_000] + Array("\r\n".utf8))
        }
        try client.send("0\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.bodyChecksum == String(FNV1a.checksum(body), radix: 16))
        #expect(report.values("Transfer-Encoding") == ["chunked"] && report["Content-Length"] == nil)
    }

    @Test func `a chunked response is forwarded in chunks with its trailer`() throws {
        let response = try scenario.send(.get("/public/chunked?chunked=1&bytes=100000"))
        #expect(response["Transfer-Encoding"] == "chunked")
        #expect(response["Content-Length"] == nil)
        #expect(Data(response.body) == Data(BodyPattern.bytes(100_000)))
        #expect(response.trailers.map(\.name) == ["X-Trailer"])
    }

    @Test func `a response that ends with its connection is complete`() throws {
        let response = try scenario.send(.get("/public/close?raw=until-close"))
        #expect(response.text == "until the end")
    }

    @Test(arguments: [
        ("HEAD", "/public/head?bytes=1000", 200), ("HEAD", "/public/head?chunked=1", 200), ("HEAD", "/me/head", 401),
        ("GET", "/public/s?status=204", 204), ("GET", "/public/s?status=304", 304),
    ])
    func `a response without a body leaves the connection usable`(method: String, target: String, status: Int) throws {
        let client = try scenario.connect()
        let response = try client.exchange(WireRequest(method: method, target: target))
        #expect(response.status == status)
        if target.contains("bytes") { #expect(response["Content-Length"] == "1000") }
        #expect(try client.exchange(.get("/public/after")).status == 200)
    }

    @Test func `a permitted request with Expect gets 100 Continue`() throws {
        let client = try scenario.connect()
        let token = try scenario.token()
        try client.send(
            "POST /me/expect HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        #expect(try client.response().status == 100)
        try client.send("hi")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.body == "hi")
        #expect(report["Expect"] == nil)
    }

    @Test func `interim responses are forwarded`() throws {
        let client = try scenario.client(sending: WireRequest.get("/public/early?early=1"))
        let early = try client.response()
        #expect(early.status == 103)
        #expect(early["Link"] == "</style.css>; rel=preload")
        #expect(try client.response().status == 200)
    }

    @Test func `pipelined requests get responses in order`() throws {
        let client = try scenario.connect()
        let users = ["ada", "grace", "alan", "linus"]
        for _ in 0..<5 {
            let requests = try users.map { user in
                WireRequest.bearer(try scenario.token(.named(user)), "/me/\(user)?delay=\(user == "ada" ? 30 : 1)")
                    .bytes
            }
            try client.send(Array(requests.joined()))
            for user in users {
                let report = try #require(EchoReport(try client.response()))
                #expect(report["X-Auth-Uid"] == user)
                #expect(report.path.hasPrefix("/me/\(user)"))
            }
        }
    }

    @Test func `a denial between pipelined requests keeps the order`() throws {
        let client = try scenario.connect()
        let requests = [WireRequest.get("/public/1"), .post("/me/2", body: Array("body".utf8)), .get("/public/3")]
        try client.send(requests.flatMap(\.bytes))
        let statuses = try requests.map { _ in try client.response().status }
        #expect(statuses == [200, 401, 200])
    }

    @Test func `an HTTP/1.0 request gets a response and its connection closes`() throws {
        let client = try scenario.client(sending: "GET /public/old HTTP/1.0\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.version == "HTTP/1.1")
        #expect(report.values("Host").count == 1)
        #expect(try client.readToEnd() == [])
    }

    @Test func `HTTP/1.0 keeps the connection on request`() throws {
        let client = try scenario.connect()
        for _ in 0..<2 {
            try client.send("GET /public/old HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response["Connection"]?.lowercased() == "keep-alive")
        }
    }

    @Test func `HTTP/1.0 gets no chunks`() throws {
        let client = try scenario.client(
            sending: "GET /public/old?chunked=1&bytes=100 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        let response = try client.response()
        #expect(response["Transfer-Encoding"] == nil)
        #expect(response.body == BodyPattern.bytes(100))
        #expect(client.hasEnded)
    }

    @Test func `the connection closes on request of the client`() throws {
        let client = try scenario.connect()
        let response = try client.exchange(.get("/public/close", "Connection: close"))
        #expect(response["Connection"] == "close")
        #expect(try client.readToEnd() == [])
    }

    @Test func `a head can arrive in single bytes`() throws {
        let client = try scenario.connect()
        for byte in WireRequest.get("/public/drip", "X-A: b").bytes { try client.send([byte]) }
        #expect(try client.response().status == 200)
    }

    @Test func `a body over the limit of its route is rejected`() throws {
        let exact = try scenario.send(.post("/small/x", body: BodyPattern.bytes(1024)))
        #expect(exact.status == 200)
        let before = scenario.echo.requestCount
        expectDenial(
            try scenario.send(.post("/small/x", body: BodyPattern.bytes(1025))), 413, "request/too-large")
        #expect(scenario.echo.requestCount == before)
    }

    @Test func `a chunked body over the limit of its route is rejected`() throws {
        let client = try scenario.client(
            sending: "POST /small/chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<3 {
            try client.send(Array("190\r\n".utf8) + BodyPattern.bytes(400) + Array("\r\n".utf8))
        }
        expectDenial(try client.response(), 413, "request/too-large")
        #expect(!scenario.echo.received.contains { $0.path == "/small/chunked" && $0.isComplete })
    }

    @Test func `a head over the limit is rejected`() throws {
        let fits = try scenario.send(.get("/public/x", "X-A: \(String(repeating: "a", count: 15_000))"))
        #expect(fits.status == 200)
        let response = try scenario.send(.get("/public/x", "X-A: \(String(repeating: "a", count: 17_000))"))
        expectDenial(response, 431, "request/head-too-large")
    }

    @Test func `K-06: too many fields are rejected`() throws {
        var request = WireRequest.get("/public/x")
        request.fields = (0..<64).map { "X-\($0): a" }
        expectDenial(try scenario.send(request), 431, "request/head-too-large")
    }

    @Test func `a half-closed client still gets its response`() throws {
        let client = try scenario.client(sending: WireRequest.post("/public/half?delay=50", body: Array("hi".utf8)))
        client.finishSending()
        #expect(EchoReport(try client.response())?.body == "hi")
        #expect(try client.readToEnd() == [])
    }

    @Test func `an empty body is forwarded`() throws {
        let client = try scenario.connect()
        for text in ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
            try client.send("POST /public/empty HTTP/1.1\r\nHost: a\r\n\(text)")
            let report = try #require(EchoReport(try client.response()))
            #expect(report.method == "POST" && report.body == "")
        }
    }
}
