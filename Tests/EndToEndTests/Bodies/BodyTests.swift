import DevelopmentIdentity
import Foundation
import IdentityFixtures
import Testing

/// Bodies in both directions, byte for byte, on permitted requests only.
@Suite(.sharedScenario { $0["limits"] = "{ head_size: 16KiB, head_fields: 64 }" }) struct BodyTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    private func connect() throws -> RawClient { try RawClient(port: scenario.gateway.port) }

    @Test func aLongBodyArrivesAsItWasSent() throws {
        let body = BodyPattern.bytes(10_000_003)
        let report = try scenario.passes(.post("/public/upload", body: body))
        #expect(report.bodyChecksum == String(FNV1a.checksum(body), radix: 16))
        #expect(report["Content-Length"] == "10000003")
    }

    @Test func aLongAnswerArrivesAsItWasSent() throws {
        let response = try scenario.send(.get("/public/download?bytes=10000003"))
        #expect(Data(response.body) == Data(BodyPattern.bytes(10_000_003)))
    }

    @Test func aChunkedBodyArrivesInChunks() throws {
        let client = try connect()
        try client.send("POST /public/chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send("5;name=value\r\nhello\r\n")
        try client.send("6\r\n world\r\n0\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.body == "hello world")
        #expect(report.values("Transfer-Encoding") == ["chunked"])
        #expect(report["Content-Length"] == nil)
    }

    @Test func aLongChunkedBodyArrivesWhole() throws {
        let client = try connect()
        let body = BodyPattern.bytes(1_000_000)
        try client.send("POST /public/chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: 100_000) {
            try client.send(Array("186a0\r\n".utf8) + body[start..<start + 100_000] + Array("\r\n".utf8))
        }
        try client.send("0\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.bodyChecksum == String(FNV1a.checksum(body), radix: 16))
    }

    @Test func aChunkedAnswerArrivesInChunksWithItsTrailer() throws {
        let response = try scenario.send(.get("/public/chunked?chunked=1&bytes=100000"))
        #expect(response["Transfer-Encoding"] == "chunked")
        #expect(response["Content-Length"] == nil)
        #expect(Data(response.body) == Data(BodyPattern.bytes(100_000)))
        #expect(response.trailers.map(\.name) == ["X-Trailer"])
    }

    @Test func anAnswerThatEndsWithItsConnectionArrivesWhole() throws {
        let response = try scenario.send(.get("/public/close?raw=until-close"))
        #expect(response.text == "until the end")
    }

    @Test func headHasTheFieldsOfGetAndNoBody() throws {
        let client = try connect()
        var request = WireRequest.get("/public/head?bytes=1000")
        request.method = "HEAD"
        let response = try client.exchange(request)
        #expect(response.status == 200)
        #expect(response["Content-Length"] == "1000")
        #expect(try client.exchange(.get("/public/after")).status == 200)
    }

    @Test func aRefusalOfHeadHasNoBody() throws {
        let client = try connect()
        let response = try client.exchange(WireRequest(method: "HEAD", target: "/me/head"))
        #expect(response.status == 401)
        #expect(try client.exchange(.get("/public/after")).status == 200)
    }

    @Test(arguments: [204, 304])
    func anAnswerWithoutABodyKeepsTheConnection(status: Int) throws {
        let client = try connect()
        #expect(try client.exchange(.get("/public/s?status=\(status)")).status == status)
        #expect(try client.exchange(.get("/public/after")).status == 200)
    }

    @Test func expectIsAnsweredOnceTheRequestIsPermitted() throws {
        let client = try connect()
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

    @Test func c09ARefusedRequestIsNotAskedForItsBody() throws {
        let client = try connect()
        try client.send("POST /me/expect HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        expectDenial(try client.response(), 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test func c09ARefusalDoesNotWaitForTheBody() throws {
        let client = try connect()
        try client.send("POST /me/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n")
        let response = try client.response()
        expectDenial(response, 401, "auth/missing-credential", challenge: "Bearer")
        #expect(response["Connection"] == "close")
    }

    @Test func interimResponsesArePassedOn() throws {
        let client = try connect()
        try client.send(WireRequest.get("/public/early?early=1").bytes)
        let early = try client.response()
        #expect(early.status == 103)
        #expect(early["Link"] == "</style.css>; rel=preload")
        #expect(try client.response().status == 200)
    }

    @Test func requestsSentAheadAreAnsweredInTheirOrder() throws {
        let client = try connect()
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

    @Test func aRefusalBetweenRequestsSentAheadKeepsTheOrder() throws {
        let client = try connect()
        let requests = [WireRequest.get("/public/1"), .post("/me/2", body: Array("body".utf8)), .get("/public/3")]
        try client.send(requests.flatMap(\.bytes))
        let statuses = try requests.map { _ in try client.response().status }
        #expect(statuses == [200, 401, 200])
    }

    @Test func http10IsAnsweredAndClosed() throws {
        let client = try connect()
        try client.send("GET /public/old HTTP/1.0\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.version == "HTTP/1.1")
        #expect(report.values("Host").count == 1)
        #expect(try client.readToEnd() == [])
    }

    @Test func http10KeepsTheConnectionWhereAsked() throws {
        let client = try connect()
        for _ in 0..<2 {
            try client.send("GET /public/old HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response["Connection"]?.lowercased() == "keep-alive")
        }
    }

    @Test func http10GetsNoChunks() throws {
        let client = try connect()
        try client.send("GET /public/old?chunked=1&bytes=100 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        let response = try client.response()
        #expect(response["Transfer-Encoding"] == nil)
        #expect(response.body == BodyPattern.bytes(100))
        #expect(client.hasEnded)
    }

    @Test func theConnectionClosesWhereTheClientAsks() throws {
        let client = try connect()
        let response = try client.exchange(.get("/public/close", "Connection: close"))
        #expect(response["Connection"] == "close")
        #expect(try client.readToEnd() == [])
    }

    @Test func aHeadInPiecesIsAHead() throws {
        let client = try connect()
        for byte in WireRequest.get("/public/drip", "X-A: b").bytes { try client.send([byte]) }
        #expect(try client.response().status == 200)
    }

    @Test func aBodyOverTheRoutesBoundIsRefused() throws {
        let exact = try scenario.send(.post("/small/x", body: BodyPattern.bytes(1024)))
        #expect(exact.status == 200)
        let before = scenario.echo.requestCount
        expectDenial(
            try scenario.send(.post("/small/x", body: BodyPattern.bytes(1025))), 413, "request/too-large")
        #expect(scenario.echo.requestCount == before)
    }

    @Test func aChunkedBodyOverTheRoutesBoundIsRefused() throws {
        let client = try connect()
        try client.send("POST /small/chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<3 {
            try client.send(Array("190\r\n".utf8) + BodyPattern.bytes(400) + Array("\r\n".utf8))
        }
        expectDenial(try client.response(), 413, "request/too-large")
        #expect(!scenario.echo.received.contains { $0.path == "/small/chunked" && $0.isComplete })
    }

    @Test func aHeadOverTheBoundIsRefused() throws {
        let fits = try scenario.send(.get("/public/x", "X-A: \(String(repeating: "a", count: 15_000))"))
        #expect(fits.status == 200)
        let response = try scenario.send(.get("/public/x", "X-A: \(String(repeating: "a", count: 17_000))"))
        expectDenial(response, 431, "request/head-too-large")
    }

    @Test func k06TooManyFieldsAreRefused() throws {
        var request = WireRequest.get("/public/x")
        request.fields = (0..<64).map { "X-\($0): a" }
        expectDenial(try scenario.send(request), 431, "request/head-too-large")
    }

    @Test func k11AnUpstreamThatAnswersBeforeTheBodyIsNotUsedAgain() throws {
        let client = try connect()
        try client.send("POST /public/hasty?hasty=1&early=0 HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nhi")
        #expect(try client.response().status == 200)
        for _ in 0..<4 {
            let report = try scenario.passes(.get("/public/after-hasty"))
            #expect(report.path == "/public/after-hasty")
        }
    }

    @Test func aClientThatHasSentEverythingStillGetsItsAnswer() throws {
        let client = try connect()
        try client.send(WireRequest.post("/public/half?delay=50", body: Array("hi".utf8)).bytes)
        client.finishSending()
        #expect(EchoReport(try client.response())?.body == "hi")
        #expect(try client.readToEnd() == [])
    }

    @Test func headOfAChunkedAnswerHasNoBody() throws {
        let client = try connect()
        #expect(try client.exchange(WireRequest(method: "HEAD", target: "/public/head?chunked=1")).status == 200)
        #expect(try client.exchange(.get("/public/after")).status == 200)
    }

    @Test func anEmptyBodyIsABody() throws {
        let client = try connect()
        for text in ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"] {
            try client.send("POST /public/empty HTTP/1.1\r\nHost: a\r\n\(text)")
            let report = try #require(EchoReport(try client.response()))
            #expect(report.method == "POST" && report.body == "")
        }
    }
}
