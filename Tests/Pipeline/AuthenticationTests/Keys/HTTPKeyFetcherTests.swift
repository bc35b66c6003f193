import Authentication
import JOSE
import NIOCore
import NIOPosix
import OutboundHTTP
import Testing

@testable import GatewayFixtures
@testable import SystemFixtures

@Suite(.timeLimit(.minutes(1))) struct HTTPKeyFetcherTests {
    let key: TestKey

    init() throws {
        key = try TestKey("a")
    }

    @Test func aJWKSetIsReadWithItsLifetime() async throws {
        let body = jwkSet([key])
        let fetched = try await fetch { _ in
            .send(httpAnswer(headers: ["Cache-Control: public", "cache-control: max-age=100", "Age: 40"], body))
        }
        #expect(fetched.keys.key(id: "a") != nil)
        #expect(fetched.maxAge == 60)
    }

    @Test("whatever the Content-Type", arguments: ["text/html", "application/jwk-set+json", "nonsense"])
    func contentTypeDoesNotMatter(type: String) async throws {
        let body = jwkSet([key])
        let fetched = try await fetch { _ in .send(httpAnswer(headers: ["Content-Type: \(type)"], body)) }
        #expect(fetched.keys.keys.count == 1)
    }

    @Test func anX509MapIsRead() async throws {
        let signing = try SigningKey.generate(.rs256, keyID: "x")
        let pem = try signing.certificatePEM(commonName: "x", notBefore: 0, notAfter: 4_000_000_000)
        let escaped = String(decoding: pem, as: UTF8.self).split(separator: "\n").joined(separator: #"\n"#)
        let body = Array(#"{"x":"\#(escaped)\n"}"#.utf8)
        let fetched = try await fetch { _ in .send(httpAnswer(body)) }
        #expect(fetched.keys.key(id: "x") != nil)
    }

    @Test func theRequestAsksForJSON() async throws {
        let body = jwkSet([key])
        let source = try await MisbehavingSource { _ in .send(httpAnswer(body)) }
        _ = try await HTTPKeyFetcher.use { try await $0.fetch(.url(source.url)) }
        let head = try #require(source.requests.first?.head.lowercased())
        #expect(head.hasPrefix("get /keys http/1.1\r\n"))
        #expect(head.contains("\r\naccept: application/jwk-set+json"))
        #expect(!head.contains("accept-encoding"))
        try await source.close()
    }

    @Test("F-18: a redirect is not followed", arguments: ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
    func redirects(status: String) async throws {
        let good = jwkSet([key])
        let target = try await MisbehavingSource { _ in .send(httpAnswer(good)) }
        let location = "Location: \(target.url)"
        let error = try await failure { _ in .send(httpAnswer(status: status, headers: [location], good)) }
        #expect(error.code == .redirected)
        #expect(target.requests.isEmpty)
        try await target.close()
    }

    @Test(
        "F-19: an answer with another status is no key set, whatever its body",
        arguments: ["204 No Content", "206 Partial", "404 Not Found", "500 Broken", "503 Unavailable"])
    func statuses(status: String) async throws {
        let good = status.hasPrefix("204") ? [] : jwkSet([key])
        let error = try await failure { _ in .send(httpAnswer(status: status, good)) }
        #expect(error.code == .status)
        #expect(error.detail == String(status.prefix(3)))
    }

    @Test(
        "F-18: a body that is no key set",
        arguments: [
            "<html>sign in</html>", "", "null", "[]", "{}", #"{"error":{"code":500}}"#, #"{"keys":"none"}"#,
            #"{"keys":[{"kty":"EC""#,
        ])
    func bodies(body: String) async throws {
        let error = try await failure { _ in .send(httpAnswer(Array(body.utf8))) }
        #expect(error.code == .notAKeySet || error.code == .noUsableKeys)
    }

    @Test("F-18: zero usable keys", arguments: [#"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AA","kid":"a"}]}"#])
    func zeroKeys(body: String) async throws {
        let error = try await failure { _ in .send(httpAnswer(Array(body.utf8))) }
        #expect(error.code == .noUsableKeys)
    }

    @Test("F-18: 10 MB, announced")
    func tooLargeAnnounced() async throws {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 10 << 20)
        let error = try await failure { _ in .send(httpAnswer(body)) }
        #expect(error.code == .tooLarge)
    }

    @Test("F-18: 10 MB, in chunks")
    func tooLargeChunked() async throws {
        let chunk = Array("A00000\r\n".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 10 << 20)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        let error = try await failure { _ in .send(head + chunk) }
        #expect(error.code == .tooLarge)
    }

    @Test func exactlyTheLimitIsRead() async throws {
        let good = jwkSet([key])
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: HTTPKeyFetcher.Limits().size - good.count)
        #expect(try await fetch { _ in .send(httpAnswer(good + padding)) }.keys.keys.count == 1)
        #expect(try await failure { _ in .send(httpAnswer(good + padding + [0x20])) }.code == .tooLarge)
    }

    @Test("F-18: a body that drips ends at the total time, though every byte is a sign of life")
    func drip() async throws {
        let error = try await failure(time: .milliseconds(200)) { _ in .drip(pause: .milliseconds(10)) }
        #expect(error.code == .timedOut)
    }

    @Test("F-18: a source that never answers")
    func silence() async throws {
        let error = try await failure(time: .milliseconds(100)) { _ in .silence }
        #expect(error.code == .timedOut)
    }

    @Test("F-18: a body shorter than its length says")
    func tooShort() async throws {
        let body = Array(httpAnswer(jwkSet([key])).dropLast(10))
        let source = try await MisbehavingSource { _ in .sendAndClose(body) }
        let error = await HTTPKeyFetcher.failure(of: source.url)
        #expect(error?.code == .closed)
        #expect(source.requests.count == 1, "what was answered in part is not asked for twice")
        try await source.close()
    }

    @Test("F-18: a body longer than its length says is cut, and so no JSON")
    func tooLong() async throws {
        let good = jwkSet([key])
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(good.count - 1)\r\n\r\n".utf8)
        #expect(try await failure { _ in .sendAndClose(head + good) }.code == .notAKeySet)
    }

    @Test func bytesThatAreNotHTTP() async throws {
        let error = try await failure { _ in .sendAndClose(Array("SSH-2.0-nonsense\r\n\r\n".utf8)) }
        #expect(error.code == .invalidResponse)
    }

    @Test("F-09: a kept connection that the source closes is asked again on a new one, once")
    func closedKeepAlive() async throws {
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

    @Test("F-09: a source that closes every connection is asked twice, not for ever")
    func closesAlways() async throws {
        let source = try await MisbehavingSource { _ in .sendAndClose([]) }
        #expect(await HTTPKeyFetcher.failure(of: source.url)?.code == .closed)
        #expect(source.requests.count == 2)
        try await source.close()
    }

    @Test func aPortWhereNobodyListens() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await source.close()
        #expect(await HTTPKeyFetcher.failure(of: source.url)?.code == .unreachable)
    }

    @Test(arguments: [
        "", "nonsense", "ftp://127.0.0.1/keys", "http+unix://%2Ftmp%2Fx/keys", "file:///etc/passwd", "http://",
    ])
    func onlyHTTPIsAsked(url: String) async throws {
        #expect(await HTTPKeyFetcher.failure(of: url)?.code == .invalidURL)
    }

    @Test func aSourceThatDoesNotSpeakTLSIsRefusedUnderHTTPS() async throws {
        let body = jwkSet([key])
        let source = try await MisbehavingSource { _ in .sendAndClose(httpAnswer(body)) }
        let error = await HTTPKeyFetcher.failure(of: "https" + source.url.dropFirst(4), time: .milliseconds(300))
        #expect(error != nil)
        #expect(source.requests.isEmpty)
        try await source.close()
    }

    @Test func aCancelledFetchEndsAtOnce() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await HTTPKeyFetcher.use { fetcher in
            let url = source.url
            let task = Task { () -> KeyFetchError? in
                do throws(KeyFetchError) {
                    _ = try await fetcher.fetch(.url(url))
                    return nil
                } catch {
                    return error
                }
            }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
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
        time: TimeAmount = .seconds(5),
        _ answer: @escaping @Sendable (MisbehavingSource.Request) -> MisbehavingSource.Answer
    ) async throws -> KeyFetchError {
        let source = try await MisbehavingSource(answer)
        let error = await HTTPKeyFetcher.failure(of: source.url, time: time)
        try await source.close()
        return try #require(error)
    }
}

extension HTTPKeyFetcher {
    /// A fetcher that is shut down after `body`.
    static func use<T>(
        time: TimeAmount = .seconds(5), _ body: (HTTPKeyFetcher) async throws -> T
    ) async throws -> T {
        var limits = Limits()
        limits.time = time
        let fetcher = HTTPKeyFetcher(group: .singletonMultiThreadedEventLoopGroup, limits: limits)
        let result: Result<T, any Error>
        do {
            result = .success(try await body(fetcher))
        } catch {
            result = .failure(error)
        }
        try await fetcher.shutdown()
        return try result.get()
    }

    /// Why a fetch of `url` fails; nil if it does not.
    static func failure(of url: String, time: TimeAmount = .seconds(5)) async -> KeyFetchError? {
        do {
            _ = try await use(time: time) { try await $0.fetch(.url(url)) }
            return nil
        } catch {
            return error as? KeyFetchError
        }
    }
}
