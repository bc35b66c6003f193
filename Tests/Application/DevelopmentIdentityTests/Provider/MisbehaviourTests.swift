import DevelopmentIdentity
import IdentityFixtures
import JOSE
import Testing

@testable import SystemFixtures

@Suite(.provider) struct MisbehaviourTests {
    private let provider: DevelopmentProvider
    private let endpoint = DevelopmentProvider.Endpoint.idTokenJWKSet

    init() throws { provider = try #require(DevelopmentProvider.current) }

    private func bytes(_ misbehaviour: Misbehaviour) async throws -> [UInt8] {
        provider.misbehave(misbehaviour, at: endpoint)
        return try await exchange(provider.port, endpoint.rawValue)
    }

    private func response(_ misbehaviour: Misbehaviour) async throws -> Response {
        try await #require(Response(bytes(misbehaviour)))
    }

    @Test func `the response has the status, the fields and the body`() async throws {
        let response = try await response(.status(503, body: "later", fields: ["Retry-After": "3"]))
        #expect(response.status == 503)
        #expect(response.text == "later")
        #expect(response.field("Retry-After") == "3")
        #expect(try await self.response(.body("{\"error\":{}}")).text == "{\"error\":{}}")
    }

    @Test func `a page is sent with 200`() async throws {
        let response = try await response(.html)
        #expect(response.status == 200)
        #expect(response.field("Content-Type") == "text/html; charset=utf-8")
    }

    @Test func `the JSON is truncated`() async throws {
        let response = try await response(.truncatedJSON)
        #expect(response.text.hasPrefix("{\"keys\""))
        #expect(response.field("Content-Length") == "\(response.body.count)")
        #expect(response.json == nil)
    }

    @Test func `an empty key set has the form of its endpoint`() async throws {
        #expect(try await response(.noKeys).text == "{\"keys\":[]}")
        provider.misbehave(.noKeys, at: .sessionX509)
        #expect(try await provider.response(at: .sessionX509).text == "{}")
    }

    @Test func `an oversized body has ten mebibytes`() async throws {
        let response = try await response(.oversized())
        #expect(response.body.count == 10_485_760)
        #expect(response.field("Content-Length") == "10485760")
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirect has the status and names its target`(status: Int) async throws {
        let response = try await response(.redirect(to: "http://127.0.0.1:1/x", status: status))
        #expect(response.status == status)
        #expect(response.field("Location") == "http://127.0.0.1:1/x")
    }

    @Test func `a compressed body consists of spaces`() async throws {
        let response = try await response(.gzipBomb(bytes: 64))
        #expect(response.field("Content-Encoding") == "gzip")
        // As zlib inflates it: one space, then copies of it.
        #expect(response.body.prefix(15) == [31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 0x53, 0x18, 0x05, 0xA3, 0x60])
        #expect(response.body[12..<25].elementsEqual(response.body[25..<38]))
    }

    @Test func `an endless body continues while the client reads`() async throws {
        provider.misbehave(.endless, at: endpoint)
        async let bytes = exchange(provider.port, endpoint.rawValue)
        await provider.waitForCalls(1, to: endpoint)
        await provider.stop()
        let text = String(decoding: try await bytes.prefix(1000), as: UTF8.self)
        #expect(text.contains("Transfer-Encoding: chunked\r\n\r\n10000000000\r\n0123456789"))
    }

    @Test func `a client that leaves an endless body delays no other request`() async throws {
        provider.misbehave(.endless, at: endpoint)
        for _ in 0..<8 {
            let client = try await SocketClient(port: provider.port)
            try await client.transmit("GET \(endpoint.rawValue) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            _ = try await client.read(until: "0123456789")
        }
        for _ in 0..<4 { #expect(try await provider.response(at: .sessionJWKSet).status == 200) }
    }

    @Test func `a dripped response is complete`() async throws {
        var keys = DevelopmentKeys()
        keys.add(try .generate(.edDSA, keyID: "k"), for: .idToken)
        try await withProvider(keys: keys) { provider in
            provider.misbehave(.drip(interval: .microseconds(10)), at: endpoint)
            let response = try await provider.response(at: endpoint)
            #expect(try KeySet(jwkSet: response.body).keys.count == 1)
        }
    }

    @Test func `a hanging request gets no response`() async throws {
        provider.misbehave(.hang, at: endpoint)
        async let bytes = exchange(provider.port, endpoint.rawValue)
        await provider.waitForCalls(1, to: endpoint)
        await provider.stop()
        let received = try await bytes
        #expect(received.isEmpty)
    }

    @Test func `a held response is sent once the gate opens`() async throws {
        let gate = Gate()
        provider.misbehave(.held(gate), at: endpoint)
        async let bytes = exchange(provider.port, endpoint.rawValue)
        await provider.waitForCalls(1, to: endpoint)
        gate.open()
        let response = try await Response(bytes)
        #expect(response?.status == 200)
    }

    @Test(arguments: [-3, 7])
    func `the length is wrong`(difference: Int) async throws {
        let response = try await response(.wrongContentLength(by: difference))
        #expect(response.field("Content-Length") == "\(response.body.count + difference)")
    }

    @Test(arguments: [Misbehaviour.drop, .raw("")])
    func `the connection closes without a response`(misbehaviour: Misbehaviour) async throws {
        #expect(try await bytes(misbehaviour).isEmpty)
    }

    @Test func `the connection is reset`() async throws {
        await #expect(throws: SocketClient.Failure(call: "recv", number: 104)) { try await bytes(.reset) }
    }

    @Test func `raw bytes are sent unchanged`() async throws {
        #expect(try await bytes(.raw("HTTP/1.1 200\n")) == Array("HTTP/1.1 200\n".utf8))
    }

    @Test func `the cache control is odd or missing`() async throws {
        #expect(try await response(.cacheControl("max-age=-1")).field("Cache-Control") == "max-age=-1")
        #expect(try await response(.cacheControl(nil)).field("Cache-Control") == nil)
    }

    @Test func `a misbehaviour lasts for the given number of responses`() async throws {
        provider.misbehave(.status(500), at: endpoint, times: 2)
        for status in [500, 500, 200] { #expect(try await provider.response(at: endpoint).status == status) }
    }

    @Test func `a misbehaviour ends when it is removed`() async throws {
        provider.misbehave(.status(500), at: endpoint)
        provider.misbehave(nil, at: endpoint)
        #expect(try await provider.response(at: endpoint).status == 200)
    }

    @Test func `other endpoints are not affected`() async throws {
        provider.misbehave(.drop, at: endpoint)
        #expect(try await provider.response(at: .idTokenX509).status == 200)
    }

    @Test func `connections are refused until the server listens again`() async throws {
        // No other test takes this port while the server does not listen.
        let provider = try await DevelopmentProvider.start(port: Ports.free())
        let port = provider.port
        await provider.stopListening()
        await #expect(throws: SocketClient.Failure(call: "connect", number: 111)) {
            try await exchange(port, endpoint.rawValue)
        }
        try await provider.resumeListening()
        #expect(provider.port == port)
        #expect(try await provider.response(at: endpoint).status == 200)
    }

    @Test func `open connections end when the server stops listening`() async throws {
        let client = try await SocketClient(port: provider.port)
        try await client.transmit("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await client.read(until: "no such path")
        await provider.stopListening()
        #expect(try await client.readToEnd().isEmpty)
    }
}
