import GatewayConfiguration
import RequestPipeline
import Testing
import TextCoding

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures
@testable import Telemetry

/// The spans of requests through a worker. The test plays the upstream.
@Suite struct RequestSpanTests {
    private static let id = "0af7651916cd43dd8448eb211c80319c"
    private static let sampled = "00-\(id)-b7ad6b7169203331-01"
    private static let unsampled = "00-\(id)-b7ad6b7169203331-00"

    private let queue = SpanQueue()

    private func rig(
        adjusting adjust: (inout Configuration) -> Void = { _ in },
        traces: (inout Configuration.Telemetry.Traces) -> Void = { _ in }
    ) throws -> RequestPathRig {
        var settings = Configuration.Telemetry.Traces()
        traces(&settings)
        let rig = try RequestPathRig { configuration in
            var telemetry = Configuration.Telemetry(endpoint: "http://127.0.0.1:4318")
            telemetry.traces = settings
            configuration.telemetry = telemetry
            adjust(&configuration)
        }
        queue.setLimit(100)
        try rig.onLoop { [queue] in $0.spans = SpanBuffer(queue) }
        return rig
    }

    /// The completed spans.
    private func spans(_ rig: RequestPathRig) throws -> [Span] {
        try rig.tick()
        return queue.take(atMost: 100)
    }

    private static func get(_ target: String, _ lines: String...) -> String {
        "GET \(target) HTTP/1.1\r\nHost: api.example:81\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    /// Exchanges a request with the upstream, and returns the head that the upstream received.
    private func exchange(
        _ rig: RequestPathRig, _ request: String, _ response: String = .okResponse
    ) throws -> WireMessage {
        let client = try rig.send(request)
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        try server.send(response)
        _ = try client.readMessage()
        return head
    }

    // MARK: - The shape of a trace

    @Test func `a forwarded request has a server span, and a client span that is the upstream's parent`() throws {
        let rig = try rig()
        let head = try exchange(rig, Self.get("/v1/a%20b?secret=1", "User-Agent: curl/8"))
        let spans = try spans(rig)
        try #require(spans.count == 2)
        let (client, server) = (spans[0], spans[1])
        #expect(server.kind == .server && server.name == "GET /**" && server.parent == 0 && !server.isError)
        #expect(client.kind == .client && client.name == "GET" && client.parent == server.id)
        let parent = "00-\(HexDigits.text(of: server.trace))-\(String(hexadecimal: client.id))-01"
        #expect(head.values("traceparent") == [parent])
        #expect(
            server.texts == [
                "url.path": "/v1/a%20b", "network.protocol.version": "1.1", "http.request.method": "GET",
                "server.address": "api.example", "server.port": "81", "user_agent.original": "curl/8",
                "url.scheme": "http", "client.address": "127.0.0.1", "gatehouse.code": "ok", "http.route": "/**",
                "gatehouse.upstream": "api", "http.response.status_code": "200",
                "gatehouse.request_id": head.values("X-Request-Id").first ?? "",
            ])
        #expect(
            client.texts == [
                "http.request.method": "GET", "gatehouse.upstream": "api", "server.address": "127.0.0.1",
                "server.port": "\(rig.upstream.port)", "http.response.status_code": "200",
            ])
    }

    @Test func `the spans have the time of the wall clock`() throws {
        let rig = try rig()
        let client = try rig.send(.getRequest)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try rig.pass(seconds: 2)
        try server.send(.okResponse)
        _ = try client.readMessage()
        let span = try #require(try spans(rig).last)
        #expect(span.start == UInt64(ManualClock.start) * 1_000_000_000 && span.end - span.start == 2_000_000_000)
    }

    @Test func `a request that waits for keys has a span of the lookup`() throws {
        let rig = try rig()
        let token = TokenDraft.idToken().signed()
        let client = try rig.send(Self.get("/private/x", "Authorization: Bearer \(token)"))
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 1)
        try rig.installKeys()
        try rig.upstream.accept().respond()
        _ = try client.readMessage()
        let spans = try spans(rig)
        try #require(spans.map(\.name) == ["lookup key_set", "GET", "GET /private/**"])
        #expect(spans[0].kind == .internal && spans[0].texts == ["gatehouse.lookup": "key_set"])
        #expect(spans[0].end - spans[0].start == 1_000_000_000 && spans[0].parent == spans[2].id)
    }

    @Test func `a lookup without a result is an error, and the denial names its phase`() throws {
        let rig = try rig()
        let token = TokenDraft.idToken().signed()
        let client = try rig.send(Self.get("/private/x", "Authorization: Bearer \(token)"))
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        try client.expectProblem(503, "auth/keys-unavailable")
        let spans = try spans(rig)
        try #require(spans.count == 2)
        #expect(spans[0].isError && spans[0].texts["error.type"] == "unavailable")
        #expect(spans[1].isError && spans[1].texts["error.type"] == "auth/keys-unavailable")
        #expect(spans[1].texts["gatehouse.phase"] == "authenticate")
    }

    @Test func `a denial is not an error`() throws {
        let rig = try rig()
        try rig.send(Self.get("/private/x")).expectProblem(401, "auth/missing-credential")
        let span = try #require(try spans(rig).first)
        #expect(!span.isError && span.texts["error.type"] == nil && span.texts["http.response.status_code"] == "401")
        #expect(span.texts["gatehouse.code"] == "auth/missing-credential")
        #expect(span.texts["gatehouse.phase"] == "authenticate" && span.texts["gatehouse.upstream"] == nil)
    }

    @Test func `an upstream that ends without a response is an error of both spans`() throws {
        let rig = try rig(adjusting: { $0.upstreams[0].retry = nil })
        let (client, server) = try rig.exchange()
        server.close()
        #expect(try client.readMessage().status == 502)
        let spans = try spans(rig)
        try #require(spans.count == 2)
        #expect(spans.allSatisfy { $0.isError && $0.texts["error.type"] == "upstream/unreachable" })
        #expect(spans[0].texts["http.response.status_code"] == nil)
        #expect(spans[1].texts["http.response.status_code"] == "502")
    }

    @Test func `an error status of the upstream is an error of the client span from 400 on`() throws {
        let rig = try rig()
        _ = try exchange(rig, .getRequest, "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
        let spans = try spans(rig)
        #expect(spans.map(\.isError) == [true, false])
        #expect(spans.map { $0.texts["error.type"] } == ["404", nil])
    }

    @Test func `each attempt has a span and its own parent for the upstream`() throws {
        let second = try LoopbackListener()
        let rig = try rig(adjusting: {
            $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
            $0.upstreams[0].retry?.conditions = [.status503]
        })
        let client = try rig.send()
        let server = try rig.upstream.accept()
        let first = try server.readHead()
        try server.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        let other = try second.accept()
        let next = try other.readHead()
        try other.send(.okResponse)
        #expect(try client.readMessage().status == 200)
        let spans = try spans(rig)
        try #require(spans.map(\.kind) == [.client, .client, .server])
        #expect(spans.map { $0.texts["http.request.resend_count"] } == [nil, "1", nil])
        #expect(spans.map { $0.texts["error.type"] } == ["retried", nil, nil])
        #expect(spans[1].texts["server.port"] == "\(second.port)")
        #expect(first.values("traceparent").first?.contains(String(hexadecimal: spans[0].id)) == true)
        #expect(next.values("traceparent").first?.contains(String(hexadecimal: spans[1].id)) == true)
    }

    @Test func `a client that leaves has a span without a status`() throws {
        let rig = try rig()
        let (client, server) = try rig.exchange()
        client.reset()
        try rig.until { $0.requestsInFlight == 0 }
        withExtendedLifetime(server) {}
        let span = try #require(try spans(rig).last)
        #expect(span.texts["error.type"] == "client/closed" && span.texts["gatehouse.code"] == "client/closed")
        #expect(span.texts["http.response.status_code"] == nil && !span.isError)
    }

    @Test func `an unknown method is not in the span name`() throws {
        let rig = try rig()
        _ = try exchange(rig, "BREW / HTTP/1.1\r\nHost: a\r\n\r\n")
        let spans = try spans(rig)
        #expect(spans.map(\.name) == ["HTTP", "HTTP /**"])
        #expect(spans[1].texts["http.request.method"] == "_OTHER")
        #expect(spans[1].texts["http.request.method_original"] == "BREW")
    }

    // MARK: - Identity

    @Test(arguments: [false, true]) func `the uid is recorded only if configured, and never more`(isOn: Bool) throws {
        let rig = try rig(traces: { $0.recordsUser = isOn })
        try rig.installKeys()
        let token = TokenDraft.idToken().signed()
        _ = try exchange(rig, Self.get("/private/x?email=ada@example.com", "Authorization: Bearer \(token)"))
        let spans = try spans(rig)
        #expect(spans.last?.texts["enduser.id"] == (isOn ? "user-1" : nil))
        let text = spans.map { "\($0.name) \($0.texts)" }.joined()
        #expect(!text.contains(token.prefix(20)) && !text.contains("@") && !text.contains("email"))
    }

    // MARK: - Trace context and sampling

    @Test func `a sampled parent is continued with its state`() throws {
        let rig = try rig(traces: { $0.ratio = 0 })
        let head = try exchange(rig, Self.get("/", "traceparent: \(Self.sampled)", "tracestate: a=1"))
        let spans = try spans(rig)
        try #require(spans.count == 2)
        #expect(HexDigits.text(of: spans[1].trace) == Self.id && spans[1].parent == 0xb7ad_6b71_6920_3331)
        #expect(head.values("traceparent") == ["00-\(Self.id)-\(String(hexadecimal: spans[0].id))-01"])
        #expect(head.values("tracestate") == ["a=1"])
    }

    @Test func `an unsampled parent is passed on unchanged and not recorded`() throws {
        let rig = try rig()
        let head = try exchange(rig, Self.get("/", "traceparent: \(Self.unsampled)"))
        #expect(head.values("traceparent") == [Self.unsampled])
        #expect(try spans(rig).isEmpty)
    }

    @Test func `a sampler without a parent clears the flag of a request that it does not record`() throws {
        let rig = try rig(traces: { ($0.sampler, $0.ratio) = (.traceIDRatio, 0) })
        let head = try exchange(rig, Self.get("/", "traceparent: \(Self.sampled)"))
        let parent = try #require(head.values("traceparent").first)
        #expect(parent.hasPrefix("00-\(Self.id)-") && parent.hasSuffix("-00") && !parent.contains("b7ad6b7169203331"))
        #expect(try spans(rig).isEmpty)
    }

    @Test(arguments: ["", "00-\(id)-b7ad6b7169203331-0", "\(sampled), \(sampled)"])
    func `a malformed parent is ignored`(value: String) throws {
        let rig = try rig()
        let head = try exchange(rig, Self.get("/", "traceparent: \(value)"))
        let span = try #require(try spans(rig).last)
        #expect(span.parent == 0 && HexDigits.text(of: span.trace) != Self.id)
        #expect(head.values("traceparent").first?.hasSuffix("-01") == true)
    }

    @Test func `with restart, a client's parent does not count`() throws {
        let rig = try rig(adjusting: { $0.traceContext = .restart })
        _ = try exchange(rig, Self.get("/", "traceparent: \(Self.unsampled)"))
        #expect(try spans(rig).last?.parent == 0)
    }

    @Test func `a ratio of zero records nothing, and the upstream gets a cleared flag`() throws {
        let rig = try rig(traces: { $0.ratio = 0 })
        let head = try exchange(rig, .getRequest)
        #expect(head.values("traceparent").first?.hasSuffix("-00") == true)
        #expect(try spans(rig).isEmpty)
    }

    @Test func `without telemetry nothing is recorded`() throws {
        let rig = try rig(adjusting: { $0.telemetry = nil })
        let head = try exchange(rig, Self.get("/", "traceparent: \(Self.sampled)"))
        #expect(head.values("traceparent") == [Self.sampled])
        #expect(try spans(rig).isEmpty)
    }

    @Test func `each request of a connection has its own trace`() throws {
        let rig = try rig()
        let (client, server) = try rig.warm()
        for _ in 0..<2 {
            try client.send(.getRequest)
            try server.respond()
            _ = try client.readMessage()
        }
        let servers = try spans(rig).filter { $0.kind == .server }
        #expect(servers.count == 3 && Set(servers.map { HexDigits.text(of: $0.trace) }).count == 3)
    }
}

extension Span {
    /// The attributes as text.
    fileprivate var texts: [String: String] {
        attributes.reduce(into: [:]) { texts, attribute in
            switch attribute.value {
            case .text(let text): texts[attribute.name] = text
            case .number(let number): texts[attribute.name] = "\(number)"
            }
        }
    }
}

extension String {
    /// 16 hexadecimal digits.
    fileprivate init(hexadecimal value: UInt64) {
        self = String(HexDigits.text(of: (0, value)).suffix(16))
    }
}
