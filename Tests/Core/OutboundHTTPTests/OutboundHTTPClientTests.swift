import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CoreFixtures
@testable import OutboundHTTP
@testable import SystemFixtures

@Suite(.timeLimit(.minutes(5))) struct OutboundHTTPClientTests {
    @Test func `a response of any status is returned`() async throws {
        let reply = try await query { _ in
            .send(httpAnswer(status: "503 No", headers: ["Retry-After: 7"], Array("later".utf8)))
        }.get()
        #expect(reply.status == 503 && reply.retryAfter == "7")
        #expect(String(decoding: reply.body, as: UTF8.self) == "later")
    }

    @Test func `the request is sent unchanged`() async throws {
        let source = try await MisbehavingSource { _ in .send(httpAnswer([])) }
        var request = OutboundRequest(
            method: .get, url: source.url + "?t=%7C%26", fields: [("authorization", "Basic eDp5")])
        _ = await OutboundHTTPClient.send(request)
        request.method = .post
        _ = await OutboundHTTPClient.send(request)
        request.method = .put
        _ = await OutboundHTTPClient.send(request)
        let heads = source.requests.map { $0.head.lowercased() }
        #expect(heads[2].hasPrefix("put /keys?"))
        #expect(heads[0].hasPrefix("get /keys?t=%7c%26 http/1.1\r\n"))
        #expect(heads[0].contains("\r\nauthorization: basic edp5\r\n"))
        #expect(heads[0].contains("\r\naccept: application/json\r\n"))
        #expect(!heads[0].contains("accept-encoding"))
        #expect(heads[1].hasPrefix("post /keys?") && heads[1].contains("\r\ncontent-length: 0\r\n"))
        try await source.close()
    }

    @Test(arguments: ["302 Found", "307 T", "308 P"])
    func `no redirect is followed, so secrets are not sent to other hosts`(status: String) async throws {
        let target = try await MisbehavingSource { _ in .send(httpAnswer([])) }
        let location = "Location: \(target.url)"
        let reply = try await query { _ in .send(httpAnswer(status: status, headers: [location], [])) }.get()
        #expect(reply.status == Int(status.prefix(3)))
        #expect(target.requests.isEmpty)
        try await target.close()
    }

    @Test func `a response larger than 64 KiB is rejected`() async throws {
        let largest = [UInt8](repeating: 0x20, count: OutboundHTTPClient.sizeLimit)
        #expect(try await query { _ in .send(httpAnswer(largest)) }.get().body.count == 65_536)
        let announced = await query { _ in .send(httpAnswer(largest + [0x20])) }
        #expect(announced.kind == .tooLarge)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n".utf8)
        let chunked = await query { _ in .send(head + largest + [0x20]) }
        #expect(chunked.kind == .tooLarge)
    }

    @Test(arguments: [MisbehavingSource.Answer.drip(pause: .milliseconds(10), length: 1000), .silence])
    func `a slow response ends at the total timeout`(answer: MisbehavingSource.Answer) async throws {
        #expect(await query(within: .milliseconds(100)) { _ in answer }.kind == .timedOut)
    }

    @Test func `a compressed response is not decompressed, and bytes that are not HTTP are invalid`() async throws {
        let body: [UInt8] = [0x1F, 0x8B, 8, 0]
        let reply = try await query { _ in .send(httpAnswer(headers: ["Content-Encoding: gzip"], body)) }.get()
        #expect(reply.body == body)
        #expect(await query { _ in .sendAndClose(Array("SSH-2.0-x\r\n\r\n".utf8)) }.kind == .invalidResponse)
    }

    @Test func `a body shorter than its length is a failure without a retry`() async throws {
        let source = try await MisbehavingSource { _ in
            .sendAndClose(Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}".utf8))
        }
        #expect(await OutboundHTTPClient.get(source.url).kind == .closed)
        #expect(source.requests.count == 1)
        try await source.close()
    }

    @Test func `a request on a closed connection is retried once on a new one`() async throws {
        let source = try await MisbehavingSource { request in
            request.number >= 2 && request.number <= 3 ? .sendAndClose([]) : .send(httpAnswer([]))
        }
        let transport = OutboundHTTPClient(
            group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: .hangLimit)
        let request = OutboundRequest(method: .get, url: source.url, fields: [])
        #expect(await transport.send(request, within: .hangLimit).kind == nil)
        #expect(await transport.send(request, within: .hangLimit).kind == .closed)
        #expect(await transport.send(request, within: .hangLimit).kind == nil)
        #expect(source.requests.map(\.connection) == [1, 1, 2, 3])
        await transport.shutdown()
        try await source.close()
    }

    @Test func `a server may close a connection before the client has seen that its request was sent`() async throws {
        let source = try await MisbehavingSource { request in
            request.number % 2 == 0 ? .sendAndClose(httpAnswer([]), after: .milliseconds(1)) : .send(httpAnswer([]))
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        // The loops are always busy, so a message between them takes longer than the response of the server.
        let busy = BusyLoops(group)
        let transport = OutboundHTTPClient(group: group, connections: 1, longest: .hangLimit)
        let request = OutboundRequest(method: .post, url: source.url, fields: [], body: Array("token=x".utf8))
        for _ in 0..<100 { _ = await transport.send(request, within: .hangLimit) }
        #expect(source.requests.count >= 100)
        busy.stop()
        await transport.shutdown()
        try await group.shutdownGracefully()
        try await source.close()
    }

    @Test func `no request is sent to a server without TLS`() async throws {
        let source = try await MisbehavingSource { _ in .sendAndClose(httpAnswer([])) }
        let url = "https" + source.url.dropFirst(4)
        #expect(await OutboundHTTPClient.get(url, within: .milliseconds(300)).kind != nil)
        #expect(source.requests.isEmpty)
        try await source.close()
    }

    @Test(arguments: ["", "nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "http://"])
    func `a URL of another scheme is invalid`(url: String) async {
        #expect(await OutboundHTTPClient.get(url).kind == .invalidURL)
    }

    @Test func `a closed port is unreachable`() async throws {
        let source = try await MisbehavingSource { _ in .silence }
        try await source.close()
        #expect(await OutboundHTTPClient.get(source.url).kind == .unreachable)
    }

    @Test func `a client that was shut down sends no request`() async throws {
        let transport = OutboundHTTPClient(
            group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: .hangLimit)
        await transport.shutdown()
        let request = OutboundRequest(method: .get, url: "http://127.0.0.1:1/", fields: [])
        #expect(await transport.send(request, within: .hangLimit).kind != nil)
    }
}

extension OutboundHTTPClientTests {
    private func query(
        within time: Duration = .hangLimit,
        _ answer: @escaping @Sendable (MisbehavingSource.Request) -> MisbehavingSource.Answer
    ) async -> FakeTransport.Reply {
        guard let source = try? await MisbehavingSource(answer) else { return .failure(LookupFailure(.cancelled)) }
        let result = await OutboundHTTPClient.get(source.url, within: time)
        try? await source.close()
        return result
    }
}

/// Keeps event loops busy until `stop`: a millisecond of work, then a pause for events.
private final class BusyLoops: Sendable {
    private let isStopped = Atomic(false)

    init(_ group: MultiThreadedEventLoopGroup) {
        for loop in group.makeIterator() { spin(loop) }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    private func spin(_ loop: any EventLoop) {
        loop.scheduleTask(in: .microseconds(100)) {
            let end = NIODeadline.now() + .milliseconds(1)
            while NIODeadline.now() < end {}
            if !self.isStopped.load(ordering: .relaxed) { self.spin(loop) }
        }
    }
}

extension OutboundHTTPClient {
    static func get(_ url: String, within time: Duration = .hangLimit) async -> FakeTransport.Reply {
        await send(OutboundRequest(method: .get, url: url, fields: []), within: time)
    }

    /// Sends one request with a new client.
    static func send(_ request: OutboundRequest, within time: Duration = .hangLimit) async -> FakeTransport.Reply {
        let transport = OutboundHTTPClient(group: .singletonMultiThreadedEventLoopGroup, connections: 1, longest: time)
        let result = await transport.send(request, within: time)
        await transport.shutdown()
        return result
    }
}

extension FakeTransport.Reply {
    /// The kind of failure. `nil` for a response.
    var kind: LookupFailure.Kind? {
        guard case .failure(let failure) = self else { return nil }
        return failure.kind
    }
}

@Suite struct KeyNamesTests {
    @Test(arguments: [
        ("https://id.example/keys", "https://id.example/keys"),
        ("https://id.example/keys?p=secret#x", "https://id.example/keys"),
        ("https://user:pass@id.example:8443/a@b", "https://id.example:8443/a@b"),
        ("https://u@x:pass@id.example", "https://id.example"), ("nonsense", "nonsense"),
    ])
    func `a source's name has no user, password or query`(url: String, name: String) {
        #expect(KeySource.name(of: url) == name)
    }

    @Test func `the detail of a failure is bounded`() {
        let error = KeyFetchError(.unreachable, String(repeating: "x", count: 10_000))
        #expect(error.detail.count == 200)
        #expect(KeyFetchError(.closed).description == "closed")
    }
}

@Suite struct RetryAfterTests {
    @Test(
        arguments: [
            ("0", 1), ("1", 1), ("7", 7), ("60", 60), ("61", 60), ("99999999999999999999999", 60),
            ("Tue, 14 Nov 2023 22:13:30 GMT", 10), ("Tue, 14 Nov 2023 22:13:20 GMT", 1),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 1), ("Fri, 31 Dec 2100 23:59:59 GMT", 60),
        ] as [(String, Int)])
    func `seconds and dates are limited to 1 to 60 s`(text: String, seconds: Int) {
        #expect(RetryAfter.seconds(text, now: 1_700_000_000) == seconds)
    }

    @Test(arguments: [
        "", "soon", "-1", "+5", "1.5", " 5", "5s", "٣", "Tue, 14 Nov 2023 22:13:30 UTC",
    ])
    func `an invalid value is ignored`(text: String) {
        #expect(RetryAfter.seconds(text, now: 1_700_000_000) == nil)
    }
}
