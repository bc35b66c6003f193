import Authentication
import GatewayCore
import JOSE
import NIOCore
import NIOPosix
import OutboundHTTP
import Testing

@testable import GatewayFixtures
@testable import SystemFixtures

@Suite(.timeLimit(.minutes(5))) struct HTTPKeyFetcherTests {
    let key: TestKey

    init() throws {
        key = try TestKey("a")
    }

    @Test(arguments: [nil, "text/html", "application/jwk-set+json", "nonsense"])
    func `a JWK set is read with its lifetime, whatever the Content-Type`(type: String?) async throws {
        let body = jwkSet([key])
        let type = type.map { ["Content-Type: \($0)"] } ?? []
        let fetched = try await fetch { _ in
            .send(httpAnswer(headers: type + ["Cache-Control: public", "cache-control: max-age=100", "Age: 40"], body))
        }
        #expect(fetched.keys.key(id: "a") != nil)
        #expect(fetched.maxAge == 60)
    }

    @Test func `a map of X.509 certificates is read`() async throws {
        let signing = try SigningKey.generate(.rs256, keyID: "x")
        let pem = try signing.certificatePEM(commonName: "x", notBefore: 0, notAfter: 4_000_000_000)
        let escaped = String(decoding: pem, as: UTF8.self).split(separator: "\n").joined(separator: #"\n"#)
        let body = Array(#"{"x":"\#(escaped)\n"}"#.utf8)
        let fetched = try await fetch { _ in .send(httpAnswer(body)) }
        #expect(fetched.keys.key(id: "x") != nil)
    }

    @Test func `the request accepts JSON`() async throws {
        let body = jwkSet([key])
        let source = try await MisbehavingSource { _ in .send(httpAnswer(body)) }
        _ = try await HTTPKeyFetcher.use { try await $0.fetch(.url(source.url)) }
        let head = try #require(source.requests.first?.head.lowercased())
        #expect(head.hasPrefix("get /keys http/1.1\r\n"))
        #expect(head.contains("\r\naccept: application/jwk-set+json"))
        #expect(!head.contains("accept-encoding"))
        try await source.close()
    }

    @Test(arguments: [nil, "key-1"])
    func `the key set of App Check is requested with the API key`(apiKey: String?) async throws {
        let body = jwkSet([key])
        let source = try await MisbehavingSource { _ in .send(httpAnswer(body)) }
        let keySet = KeySetSource.appCheck(url: source.url, apiKey: apiKey.map { Secret($0) })
        #expect(keySet.name.contains("key-1") == false)
        let fetched = try await HTTPKeyFetcher.use { try await $0.fetch(keySet) }
        #expect(fetched.keys.key(id: "a") != nil)
        let head = try #require(source.requests.first?.head.lowercased())
        #expect(head.contains("\r\nx-goog-api-key:") == (apiKey != nil))
        #expect(apiKey == nil || head.contains("\r\nx-goog-api-key: key-1\r\n"))
        try await source.close()
    }

    @Test(arguments: ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
    func `F-18: a redirect is not followed`(status: String) async throws {
        let good = jwkSet([key])
        let target = try await MisbehavingSource { _ in .send(httpAnswer(good)) }
        let location = "Location: \(target.url)"
        #expect(
            try await failure { _ in .send(httpAnswer(status: status, headers: [location], good)) }.code == .redirected)
        #expect(target.requests.isEmpty)
        try await target.close()
    }

    @Test(arguments: ["204 No Content", "206 Partial", "404 Not Found", "500 Broken", "503 Unavailable"])
    func `F-19: a response with another status is not a key set, whatever its body`(status: String) async throws {
        let good = status.hasPrefix("204") ? [] : jwkSet([key])
        let error = try await failure { _ in .send(httpAnswer(status: status, good)) }
        #expect(error.code == .status)
        #expect(error.detail == String(status.prefix(3)))
    }

    @Test(arguments: [
        "<html>sign in</html>", "", "null", "[]", "{}", #"{"error":{"code":500}}"#, #"{"keys":"none"}"#,
        #"{"keys":[{"kty":"EC""#,
    ])
    func `F-18: a body that is not a key set fails`(body: String) async throws {
        let code = try await failure { _ in .send(httpAnswer(Array(body.utf8))) }.code
        #expect(code == .notAKeySet || code == .noUsableKeys)
    }

    @Test(arguments: [#"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AA","kid":"a"}]}"#])
    func `F-18: a set without a usable key fails`(body: String) async throws {
        #expect(try await failure { _ in .send(httpAnswer(Array(body.utf8))) }.code == .noUsableKeys)
    }

    @Test func `F-18: a body above the size limit fails, announced or in chunks`() async throws {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20)
        #expect(try await failure { _ in .send(httpAnswer(body)) }.code == .tooLarge)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n".utf8)
        #expect(try await failure { _ in .send(head + body) }.code == .tooLarge)
        let good = jwkSet([key])
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: HTTPKeyFetcher.Limits().size - good.count)
        #expect(try await fetch { _ in .send(httpAnswer(good + padding)) }.keys.keys.count == 1)
        #expect(try await failure { _ in .send(httpAnswer(good + padding + [0x20])) }.code == .tooLarge)
    }

    @Test func `F-18: a source that sends nothing, or single bytes, fails at the total timeout`() async throws {
        #expect(try await failure(time: .milliseconds(100)) { _ in .silence }.code == .timedOut)
        #expect(try await failure(time: .milliseconds(200)) { _ in .drip(pause: .milliseconds(10)) }.code == .timedOut)
    }

    @Test func `F-18: a body shorter than its length is not fetched again`() async throws {
        let body = Array(httpAnswer(jwkSet([key])).dropLast(10))
        let source = try await MisbehavingSource { _ in .sendAndClose(body) }
        #expect(await HTTPKeyFetcher.failure(of: source.url)?.code == .closed)
        #expect(source.requests.count == 1)
        try await source.close()
    }

    @Test func `F-18: a body longer than its length, or bytes that are no HTTP, fail`() async throws {
        let good = jwkSet([key])
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(good.count - 1)\r\n\r\n".utf8)
        #expect(try await failure { _ in .sendAndClose(head + good) }.code == .notAKeySet)
        #expect(
            try await failure { _ in .sendAndClose(Array("SSH-2.0-nonsense\r\n\r\n".utf8)) }.code == .invalidResponse)
    }

    @Test func `F-09: a request on a closed kept connection is retried once on a new one`() async throws {
        let body = jwkSet([key])
        let source = try await MisbehavingSource { request in
            request.number == 2 ? .sendAndClose([]) : .send(httpAnswer(body))
        }
        try await HTTPKeyFetcher.use { fetcher in
            _ = try await fetcher.fetch(.url(source.url))
            #expect(try await fetcher.fetch(.url(source.url)).keys.keys.count == 1)
        }
        #expect(source.requests.map(\.connection) == [1, 1, 2])
        try await source.close()
    }

    @Test func `F-09: a source that closes every connection gets two requests`() async throws {
        let source = try await MisbehavingSource { _ in .sendAndClose([]) }
        #expect(await HTTPKeyFetcher.failure(of: source.url)?.code == .closed)
        #expect(source.requests.count == 2)
        try await source.close()
    }

    @Test func `a closed port is unreachable`() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await source.close()
        #expect(await HTTPKeyFetcher.failure(of: source.url)?.code == .unreachable)
    }

    @Test(arguments: [
        "", "nonsense", "ftp://127.0.0.1/keys", "http+unix://%2Ftmp%2Fx/keys", "file:///etc/passwd", "http://",
    ])
    func `only URLs of HTTP are fetched`(url: String) async throws {
        #expect(await HTTPKeyFetcher.failure(of: url)?.code == .invalidURL)
    }

    @Test func `a source without TLS is rejected for an https URL`() async throws {
        let body = jwkSet([key])
        let source = try await MisbehavingSource { _ in .sendAndClose(httpAnswer(body)) }
        let error = await HTTPKeyFetcher.failure(of: "https" + source.url.dropFirst(4), time: .milliseconds(300))
        #expect(error != nil)
        #expect(source.requests.isEmpty)
        try await source.close()
    }

    @Test func `a cancelled fetch ends immediately`() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await HTTPKeyFetcher.use { fetcher in
            let url = source.url
            let task = Task { try await fetcher.fetch(.url(url)) }
            task.cancel()
            let error = await #expect(throws: KeyFetchError.self) { _ = try await task.value }
            #expect(error?.code == .cancelled)
        }
        try await source.close()
    }
}

extension HTTPKeyFetcherTests {
    private func fetch(
        _ answer: @escaping @Sendable (MisbehavingSource.Request) -> MisbehavingSource.Answer
    ) async throws -> FetchedKeySet {
        let source = try await MisbehavingSource(answer)
        let fetched = try await HTTPKeyFetcher.use { try await $0.fetch(.url(source.url)) }
        try await source.close()
        return fetched
    }

    private func failure(
        time: TimeAmount = .seconds(120),
        _ answer: @escaping @Sendable (MisbehavingSource.Request) -> MisbehavingSource.Answer
    ) async throws -> KeyFetchError {
        let source = try await MisbehavingSource(answer)
        let error = await HTTPKeyFetcher.failure(of: source.url, time: time)
        try await source.close()
        return try #require(error)
    }
}

extension HTTPKeyFetcher {
    /// Runs `body` with a fetcher, then shuts it down.
    static func use<T>(
        time: TimeAmount = .seconds(120), _ body: (HTTPKeyFetcher) async throws -> T
    ) async throws -> T {
        var limits = Limits()
        limits.time = time
        let fetcher = HTTPKeyFetcher(group: .singletonMultiThreadedEventLoopGroup, limits: limits)
        do {
            let result = try await body(fetcher)
            try await fetcher.shutdown()
            return result
        } catch {
            try await fetcher.shutdown()
            throw error
        }
    }

    /// The failure of a fetch of `url`. `nil` if it succeeds.
    static func failure(of url: String, time: TimeAmount = .seconds(120)) async -> KeyFetchError? {
        do {
            _ = try await use(time: time) { try await $0.fetch(.url(url)) }
            return nil
        } catch {
            return error as? KeyFetchError
        }
    }
}
