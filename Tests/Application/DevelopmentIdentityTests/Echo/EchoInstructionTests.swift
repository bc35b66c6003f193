import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@Suite(.echo) struct EchoInstructionTests {
    private let echo: EchoUpstream

    init() throws { echo = try #require(EchoUpstream.current) }

    private func bytes(_ query: String, _ method: String = "GET") async throws -> [UInt8] {
        try await exchange(echo.port, method, "/?\(query)")
    }

    private func response(_ query: String, _ method: String = "GET") async throws -> Response {
        try await #require(Response(bytes(query, method)))
    }

    @Test(arguments: [200, 201, 404, 500, 599])
    func `the status is the requested one`(status: Int) async throws {
        #expect(try await response("status=\(status)").status == status)
    }

    @Test(arguments: ["status=abc", "status=100", "status=600", "delay=-1", "bytes=x", "raw=x", "other=1", "=&&"])
    func `an unknown instruction is ignored`(query: String) async throws {
        let response = try await response(query)
        #expect(response.status == 200)
        #expect(response.json != nil)
    }

    @Test(arguments: ["status=204", "status=304"])
    func `a status that permits no body has none`(query: String) async throws {
        #expect(try await response(query).body.isEmpty)
    }

    @Test func `a response to HEAD has a length and no body`() async throws {
        let response = try await response("bytes=1000", "HEAD")
        #expect(response.body.isEmpty)
        #expect(response.field("Content-Length") == "1000")
    }

    @Test(arguments: [0, 1, 65_536, 1_000_001])
    func `the body has the requested length`(count: Int) async throws {
        let response = try await response("bytes=\(count)")
        #expect(response.body == BodyPattern.bytes(count))
        #expect(response.field("Content-Length") == "\(count)")
    }

    @Test func `the body is chunked with a trailer`() async throws {
        let response = try await response("chunked=1&bytes=200000")
        #expect(response.field("Transfer-Encoding") == "chunked")
        let framed =
            Array("30d40\r\n".utf8) + BodyPattern.bytes(200_000) + Array("\r\n0\r\nX-Trailer: echo\r\n\r\n".utf8)
        #expect(response.body == framed)
    }

    @Test func `an empty body may be chunked`() async throws {
        #expect(try await response("chunked=1&bytes=0").text == "0\r\nX-Trailer: echo\r\n\r\n")
    }

    @Test func `the connection closes after the response`() async throws {
        let response = try await DevelopmentIdentityTests.response(
            to: "GET /?close=1 HTTP/1.1\r\nHost: a\r\n\r\n", port: echo.port)
        #expect(response.field("Connection") == "close")
    }

    @Test func `the connection closes without a response`() async throws {
        #expect(try await bytes("drop=1").isEmpty)
    }

    @Test func `the connection is reset`() async throws {
        await #expect(throws: SocketClient.Failure(call: "recv", number: 104)) { try await bytes("reset=1") }
    }

    @Test(arguments: [("1", [100, 103, 200]), ("100", [100, 200]), ("103", [103, 200]), ("x", [200])])
    func `interim responses come first`(value: String, statuses: [Int]) async throws {
        let text = String(decoding: try await bytes("early=\(value)"), as: UTF8.self)
        let found = text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.1 ") }
        #expect(found.map { Int($0.dropFirst(9).prefix(3)) } == statuses)
    }

    @Test(arguments: ["delay=1&bytes=10", "drip=1&bytes=10"])
    func `a delayed or dripped response is complete`(query: String) async throws {
        #expect(try await response(query).body == BodyPattern.bytes(10))
    }

    @Test func `a held response is sent once it is released`() async throws {
        async let bytes = exchange(echo.port, "/?hold=a")
        await echo.waitForRequests(1)
        echo.release("a")
        let response = try await Response(bytes)
        #expect(response?.status == 200)
    }

    @Test func `a hasty response does not wait for the body`() async throws {
        let client = try await SocketClient(port: echo.port)
        try await client.transmit(
            "POST /?hasty=1&status=413&bytes=3 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
        #expect(try await client.read(until: "\r\n\r\n012").hasPrefix("HTTP/1.1 413 "))
        #expect(echo.requestCount == 0)
        try await client.transmit("0123456789GET /?bytes=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try await Response(client.readToEnd())?.text == "0")
        #expect(echo.received.map(\.bodyLength) == [10, 0])
    }

    @Test func `a body is not read until it is released`() async throws {
        let client = try await SocketClient(port: echo.port)
        try await client.transmit("POST /?unread=a&bytes=1 HTTP/1.0\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
        await echo.waitForHeads(1)
        // The body exceeds the buffers of the sockets, so sending completes only once the server reads.
        async let sent: Void = client.transmit(bytes: [UInt8](repeating: 0, count: 10_000_000))
        echo.release("a")
        try await sent
        #expect(try await Response(client.readToEnd())?.text == "0")
        #expect(echo.received.first?.bodyLength == 10_000_000)
    }

    @Test func `further fields are the requested ones`() async throws {
        let response = try await response("field=X-Auth-Uid:eve&field=Set-Cookie:a%3Db%3B%20Path=/")
        #expect(response.field("X-Auth-Uid") == "eve")
        #expect(response.field("Set-Cookie") == "a=b; Path=/")
    }

    @Test(arguments: RawResponse.allCases)
    func `canned bytes are sent unchanged`(raw: RawResponse) async throws {
        let client = try await SocketClient(port: echo.port)
        try await client.transmit("GET /?raw=\(raw.rawValue) HTTP/1.1\r\nHost: a\r\n\r\n")
        if raw.keepsOpen {
            let text = String(decoding: raw.bytes, as: UTF8.self)
            #expect(try await client.read(until: text) == text)
        } else {
            #expect(try await client.readToEnd() == raw.bytes)
        }
    }

    @Test func `connections are refused until the server listens again`() async throws {
        await echo.stopListening()
        await #expect(throws: SocketClient.Failure(call: "connect", number: 111)) {
            try await exchange(echo.port, "/")
        }
        try await echo.resumeListening()
        #expect(try await Response(exchange(echo.port, "/"))?.status == 200)
        #expect(echo.url == "http://127.0.0.1:\(echo.port)")
    }
}
