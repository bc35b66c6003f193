import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@Suite struct EchoInstructionTests {
    private func bytes(_ query: String, _ method: String = "GET") async throws -> [UInt8] {
        var bytes: [UInt8] = []
        try await withEcho { bytes = try await exchange($0.port, method, "/?\(query)") }
        return bytes
    }

    private func response(_ query: String, _ method: String = "GET") async throws -> Response {
        try await #require(Response(bytes(query, method)))
    }

    @Test(arguments: [200, 201, 404, 500, 599])
    func theStatusIsTheChosenOne(status: Int) async throws {
        #expect(try await response("status=\(status)").status == status)
    }

    @Test(arguments: ["status=abc", "status=100", "status=600", "delay=-1", "bytes=x", "raw=x", "other=1", "=&&"])
    func whatIsNotUnderstoodIsIgnored(query: String) async throws {
        let response = try await response(query)
        #expect(response.status == 200)
        #expect(response.json != nil)
    }

    @Test(arguments: ["status=204", "status=304"])
    func anAnswerThatHasNoBodyHasNone(query: String) async throws {
        #expect(try await response(query).body.isEmpty)
    }

    @Test func anAnswerToHEADHasNoBodyButTellsItsLength() async throws {
        let response = try await response("bytes=1000", "HEAD")
        #expect(response.body.isEmpty)
        #expect(response.field("Content-Length") == "1000")
    }

    @Test(arguments: [0, 1, 65_536, 1_000_001])
    func theBodyIsOfSoManyBytes(count: Int) async throws {
        let response = try await response("bytes=\(count)")
        #expect(response.body == BodyPattern.bytes(count))
        #expect(response.field("Content-Length") == "\(count)")
    }

    @Test func theBodyIsChunkedWithATrailer() async throws {
        let response = try await response("chunked=1&bytes=200000")
        #expect(response.field("Transfer-Encoding") == "chunked")
        let framed =
            Array("30d40\r\n".utf8) + BodyPattern.bytes(200_000) + Array("\r\n0\r\nX-Trailer: echo\r\n\r\n".utf8)
        #expect(response.body == framed)
    }

    @Test func anEmptyBodyMayBeChunked() async throws {
        #expect(try await response("chunked=1&bytes=0").text == "0\r\nX-Trailer: echo\r\n\r\n")
    }

    @Test func theConnectionClosesAfterTheAnswer() async throws {
        try await withEcho { echo in
            let client = try await SocketClient(port: echo.port)
            try await client.transmit("GET /?close=1 HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try await Response(client.readToEnd())
            #expect(response?.field("Connection") == "close")
        }
    }

    @Test func theConnectionClosesWithoutAnAnswer() async throws {
        #expect(try await bytes("drop=1").isEmpty)
    }

    @Test func theConnectionIsReset() async throws {
        await #expect(throws: SocketClient.Failure(call: "recv", number: 104)) { try await bytes("reset=1") }
    }

    @Test(arguments: [("1", [100, 103, 200]), ("100", [100, 200]), ("103", [103, 200]), ("x", [200])])
    func interimResponsesComeFirst(value: String, statuses: [Int]) async throws {
        let text = String(decoding: try await bytes("early=\(value)"), as: UTF8.self)
        let found = text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1 ") }
        #expect(found.map { Int($0.dropFirst(9).prefix(3)) } == statuses)
    }

    @Test func aDelayedAnswerIsWhole() async throws {
        #expect(try await response("delay=1").status == 200)
    }

    @Test func aDrippedAnswerIsWhole() async throws {
        let response = try await response("drip=1&bytes=10")
        #expect(response.body == BodyPattern.bytes(10))
    }

    @Test func aHeldAnswerComesOnceItIsReleased() async throws {
        try await withEcho { echo in
            async let bytes = exchange(echo.port, "/?hold=a")
            await echo.waitForRequests(1)
            echo.release("a")
            let response = try await Response(bytes)
            #expect(response?.status == 200)
        }
    }

    @Test func aHastyAnswerDoesNotWaitForTheBody() async throws {
        try await withEcho { echo in
            let client = try await SocketClient(port: echo.port)
            try await client.transmit(
                "POST /?hasty=1&status=413&bytes=3 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
            #expect(try await client.read(until: "\r\n\r\n012").hasPrefix("HTTP/1.1 413 "))
            #expect(echo.requestCount == 0)
            try await client.transmit("0123456789GET /?bytes=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let response = try await Response(client.readToEnd())
            #expect(response?.text == "0")
            #expect(echo.received.map(\.bodyLength) == [10, 0])
        }
    }

    @Test func aBodyIsNotReadUntilItIsReleased() async throws {
        try await withEcho { echo in
            let client = try await SocketClient(port: echo.port)
            try await client.transmit("POST /?unread=a&bytes=1 HTTP/1.0\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
            await echo.waitForHeads(1)
            // More than the sockets' buffers hold: it is sent only once the server reads.
            async let sent: Void = client.transmit(bytes: [UInt8](repeating: 0, count: 10_000_000))
            echo.release("a")
            try await sent
            let response = try await Response(client.readToEnd())
            #expect(response?.text == "0")
            #expect(echo.received.first?.bodyLength == 10_000_000)
        }
    }

    @Test func furtherFieldsAreTheChosenOnes() async throws {
        let response = try await response("field=X-Auth-Uid:eve&field=Set-Cookie:a%3Db%3B%20Path=/")
        #expect(response.field("X-Auth-Uid") == "eve")
        #expect(response.field("Set-Cookie") == "a=b; Path=/")
    }

    @Test(arguments: RawResponse.allCases)
    func cannedBytesAreSentAsTheyAre(raw: RawResponse) async throws {
        try await withEcho { echo in
            let client = try await SocketClient(port: echo.port)
            try await client.transmit("GET /?raw=\(raw.rawValue) HTTP/1.1\r\nHost: a\r\n\r\n")
            if raw.keepsOpen {
                let text = String(decoding: raw.bytes, as: UTF8.self)
                #expect(try await client.read(until: text) == text)
            } else {
                #expect(try await client.readToEnd() == raw.bytes)
            }
        }
    }

    @Test func connectionsAreRefusedUntilItListensAgain() async throws {
        try await withEcho { echo in
            await echo.stopListening()
            await #expect(throws: SocketClient.Failure(call: "connect", number: 111)) {
                try await exchange(echo.port, "/")
            }
            try await echo.resumeListening()
            let response = try await Response(exchange(echo.port, "/"))
            #expect(response?.status == 200)
            #expect(echo.url == "http://127.0.0.1:\(echo.port)")
        }
    }
}
