import Logging
import NIOCore
import NIOPosix
import Testing

@testable import CoreFixtures
@testable import OutboundHTTP
@testable import SystemFixtures

@Suite(.timeLimit(.minutes(1))) struct OutboundHTTPClientTests {
    private static let request = OutboundRequest(
        method: .post, url: "", fields: [("content-type", "text/plain")], body: [])

    @Test func anAnswerOfAnyStatusIsHandedOver() async throws {
        let reply = try await ask { _ in
            .send(httpAnswer(status: "503 No", headers: ["Retry-After: 7"], Array("later".utf8)))
        }.get()
        #expect(reply.status == 503 && reply.retryAfter == "7")
        #expect(String(decoding: reply.body, as: UTF8.self) == "later")
    }

    @Test func theQuestionIsSentAsItIs() async throws {
        let source = try await MisbehavingSource { _ in .send(httpAnswer([])) }
        var request = OutboundRequest(
            method: .get, url: source.url + "?t=%7C%26", fields: [("authorization", "Basic eDp5")])
        _ = await OutboundHTTPClient.send(request)
        request.method = .post
        _ = await OutboundHTTPClient.send(request)
        let heads = source.requests.map { $0.head.lowercased() }
        #expect(heads[0].hasPrefix("get /keys?t=%7c%26 http/1.1\r\n"))
        #expect(heads[0].contains("\r\nauthorization: basic edp5\r\n"))
        #expect(heads[0].contains("\r\naccept: application/json\r\n"))
        #expect(!heads[0].contains("accept-encoding"))
        #expect(heads[1].hasPrefix("post /keys?") && heads[1].contains("\r\ncontent-length: 0\r\n"))
        try await source.close()
    }

    @Test("no redirect is followed, so that secrets go nowhere else", arguments: ["302 Found", "307 T", "308 P"])
    func redirects(status: String) async throws {
        let target = try await MisbehavingSource { _ in .send(httpAnswer([])) }
        let location = "Location: \(target.url)"
        let reply = try await ask { _ in .send(httpAnswer(status: status, headers: [location], [])) }.get()
        #expect(reply.status == Int(status.prefix(3)))
        #expect(target.requests.isEmpty)
        try await target.close()
    }

    @Test("what is compressed is not unpacked")
    func compressed() async throws {
        let body: [UInt8] = [0x1F, 0x8B, 8, 0]
        let reply = try await ask { _ in .send(httpAnswer(headers: ["Content-Encoding: gzip"], body)) }.get()
        #expect(reply.body == body)
    }

    @Test func anAnswerHas64KiBAtMost() async throws {
        let largest = [UInt8](repeating: 0x20, count: OutboundHTTPClient.sizeLimit)
        #expect(try await ask { _ in .send(httpAnswer(largest)) }.get().body.count == 65_536)
        let announced = await ask { _ in .send(httpAnswer(largest + [0x20])) }
        #expect(announced.kind == .tooLarge)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n".utf8)
        let chunked = await ask { _ in .send(head + largest + [0x20]) }
        #expect(chunked.kind == .tooLarge)
    }

    @Test func anAnswerThatDripsEndsAtTheTotalTime() async throws {
        let result = await ask(within: .milliseconds(200)) { _ in .drip(pause: .milliseconds(10), length: 1000) }
        #expect(result.kind == .timedOut)
    }

    @Test func silenceEndsAtTheTotalTime() async throws {
        #expect(await ask(within: .milliseconds(100)) { _ in .silence }.kind == .timedOut)
    }

    @Test("a body shorter than its length says is no answer, and not asked for twice")
    func tooShort() async throws {
        let source = try await MisbehavingSource { _ in
            .sendAndClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}".utf8))
        }
        #expect(
            await OutboundHTTPClient.send(OutboundRequest(method: .get, url: source.url, fields: [])).kind == .closed)
        #expect(source.requests.count == 1)
        try await source.close()
    }

    @Test func bytesThatAreNotHTTP() async throws {
        #expect(await ask { _ in .sendAndClose(Array("SSH-2.0-x\r\n\r\n".utf8)) }.kind == .invalidResponse)
    }

    @Test func aKeptConnectionThatItsServerClosesIsAskedAgainOnANewOneOnce() async throws {
        let source = try await MisbehavingSource { request in
            request.number >= 2 && request.number <= 3 ? .sendAndClose([]) : .send(httpAnswer([]))
        }
        let transport = OutboundHTTPClient(
            group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: .seconds(5))
        let request = OutboundRequest(method: .get, url: source.url, fields: [])
        #expect(await transport.send(request, within: .seconds(5)).kind == nil)
        #expect(await transport.send(request, within: .seconds(5)).kind == .closed)
        #expect(await transport.send(request, within: .seconds(5)).kind == nil)
        #expect(source.requests.map(\.connection) == [1, 1, 2, 3])
        await transport.shutdown()
        try await source.close()
    }

    @Test func aPortWhereNobodyListens() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await source.close()
        let result = await OutboundHTTPClient.send(OutboundRequest(method: .get, url: source.url, fields: []))
        #expect(result.kind == .unreachable)
    }

    @Test("certificates are verified: nothing is said to who does not speak TLS")
    func notTLS() async throws {
        let source = try await MisbehavingSource { _ in .sendAndClose(httpAnswer([])) }
        let url = "https" + source.url.dropFirst(4)
        let result = await OutboundHTTPClient.send(
            OutboundRequest(method: .get, url: url, fields: []), within: .milliseconds(300))
        #expect(result.kind != nil)
        #expect(source.requests.isEmpty)
        try await source.close()
    }

    @Test(arguments: ["", "nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "http://"])
    func onlyHTTPIsAsked(url: String) async {
        #expect(await OutboundHTTPClient.send(OutboundRequest(method: .get, url: url, fields: [])).kind == .invalidURL)
    }

    @Test func afterItsEndNobodyIsAsked() async throws {
        let transport = OutboundHTTPClient(
            group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: .seconds(5))
        await transport.shutdown()
        let request = OutboundRequest(method: .get, url: "http://127.0.0.1:1/", fields: [])
        #expect(await transport.send(request, within: .seconds(1)).kind != nil)
    }
}

extension OutboundHTTPClientTests {
    private func ask(
        within time: Duration = .seconds(5),
        _ answer: @escaping @Sendable (MisbehavingSource.Request) -> MisbehavingSource.Answer
    ) async -> FakeTransport.Reply {
        guard let source = try? await MisbehavingSource(answer) else { return .failure(LookupFailure(.cancelled)) }
        let result = await OutboundHTTPClient.send(
            OutboundRequest(method: .get, url: source.url, fields: []), within: time)
        try? await source.close()
        return result
    }
}

extension OutboundHTTPClient {
    /// One request by a client of its own.
    static func send(_ request: OutboundRequest, within time: Duration = .seconds(5)) async -> FakeTransport.Reply {
        let transport = OutboundHTTPClient(group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: time)
        let result = await transport.send(request, within: time)
        await transport.shutdown()
        return result
    }
}

extension FakeTransport.Reply {
    /// The kind of failure; nil for an answer.
    var kind: LookupFailure.Kind? {
        guard case .failure(let failure) = self else { return nil }
        return failure.kind
    }
}
