import Authorization
import GatewayConfiguration
import GatewayCore
import JOSE
import NIOCore
import Redis
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import HTTPServer
@testable import RedisFixtures
@testable import SystemFixtures

/// Requests and lists of requests at `/decide`, with a controlled clock and keys that arrive later.
@Suite struct DecisionListTests {
    private static let token = TokenDraft.idToken().signed()
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig(decides: true) }

    private static func request(_ path: String, _ token: String? = nil) -> String {
        "{\"url\":\"https://a\(path)\"\(token.map { ",\"token\":\"\($0)\"" } ?? "")}"
    }

    private static func post(_ requests: [String]) -> String { post("[\(requests.joined(separator: ","))]") }

    private static func post(_ body: String) -> String {
        "POST /decide HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// The codes of a response, in order.
    private func codes(_ response: WireMessage) throws -> [String] {
        let document = try JSONDocument(Array(response.body.utf8))
        #expect(response.status == 200 && document.root.kind == .array, "\(response.body)")
        return document.root.elements.map { verdict in
            let code = verdict["code"]?.string ?? ""
            #expect(verdict["allow"]?.bool == (code == "ok"), "\(response.body)")
            return code
        }
    }

    private func wait(_ request: String) throws -> LoopbackSocket {
        let client = try rig.send(request)
        try rig.until { $0.pending.count == 1 }
        return client
    }

    @Test func `a list has a decision for each request, in order`() throws {
        try rig.installKeys()
        let requests = [
            Self.request("/open"), Self.request("/private/a"), Self.request("/private/a", Self.token), "7",
            Self.request("/private/a", "x"), "{}", Self.request("/a/../b"), Self.request("/private/b", Self.token),
        ]
        let client = try rig.send(Self.post(requests))
        #expect(
            try codes(try client.readMessage()) == [
                "ok", "auth/missing-credential", "ok", "request/malformed", "auth/argument-error", "request/malformed",
                "request/malformed", "ok",
            ])
        // Each one is counted by its own code and route.
        let counts = try rig.onWorker { $0.counters.snapshot() }
        #expect(counts.requests(.ok) == 3 && counts.requests(.malformedRequest) == 3)
        #expect(counts.requests(.missingCredential) == 1 && counts.requests(.argumentError) == 1)
    }

    @Test func `one request of a list has the identity of its own token only`() throws {
        try rig.installKeys()
        let requests = [
            Self.request("/private/a", Self.token), Self.request("/open"), "[]", Self.request("/open", Self.token),
        ]
        let root = try JSONDocument(Array(try rig.send(Self.post(requests)).readMessage().body.utf8)).root
        let users = root.elements.map { $0["identity"]?["x-auth-uid"]?.string }
        #expect(users == ["user-1", nil, nil, nil])
        #expect(Array(root.elements).last?["allow"]?.bool == true)
    }

    @Test func `a list waits for keys once, one request at a time`() throws {
        let requests = Array(repeating: Self.request("/private/a", Self.token), count: 8)
        let client = try wait(Self.post([Self.request("/open")] + requests))
        #expect(client.isQuiet)
        try rig.installKeys()
        #expect(try codes(try client.readMessage()) == Array(repeating: "ok", count: 9))
        #expect(rig.keyRequests.count == 1)
    }

    @Test func `the requests of a list share the time for lookups`() throws {
        let requests = Array(repeating: Self.request("/private/a", Self.token), count: 64)
        let client = try wait(Self.post(requests))
        try rig.pass(seconds: 4.9)
        #expect(client.isQuiet)
        try rig.pass(seconds: 0.2)
        #expect(try codes(try client.readMessage()) == Array(repeating: "auth/keys-unavailable", count: 64))
    }

    @Test func `requests of a list do not affect the next request of the connection`() throws {
        try rig.installKeys()
        let client = try rig.send(Self.post([Self.request("/private/a", Self.token), "[]"]))
        #expect(try codes(try client.readMessage()) == ["ok", "request/malformed"])
        try client.send(Self.post(Self.request("/private/a")))
        let response = try client.readMessage()
        #expect(response.status == 200 && response.body.contains("auth/missing-credential"), "\(response.body)")
        #expect(!response.body.contains("user-1") && response.body.hasPrefix("{"))
    }

    @Test(arguments: [0, 65])
    func `a list has 1 to 64 requests`(_ count: Int) throws {
        let client = try rig.send(Self.post(Array(repeating: Self.request("/open"), count: count)))
        try client.expectProblem(400, "request/malformed")
        let most = try rig.send(Self.post(Array(repeating: Self.request("/open"), count: 64)))
        #expect(try codes(try most.readMessage()).count == 64)
    }

    @Test(arguments: ["[{\"url\":\"https://a/open\"}", "[{\"url\":1,\"url\":2}]", "[[[[[[]]]]]]", "[1,]", "[\u{FF}]"])
    func `a list that is not JSON has no decisions`(_ body: String) throws {
        try rig.send(Self.post(body)).expectProblem(400, "request/malformed")
    }

    @Test func `a decision whose identity fields are too large is a denial of its own`() throws {
        let email = try ClaimPath(parsing: "token.email")
        let rig = try RequestPathRig(decides: true) {
            $0.headers.extra = (0..<20).map { Configuration.ExtraHeader(name: "X-Large-\($0)", source: .claim(email)) }
        }
        try rig.installKeys()
        let large = TokenDraft.idToken().with("email", "\"\(String(repeating: "a", count: 1000))\"").signed()
        let requests = [Self.request("/private/a", large), Self.request("/private/a", Self.token)]
        let client = try rig.send(Self.post(requests))
        #expect(try codes(try client.readMessage()) == ["request/head-too-large", "ok"])
        try client.send(Self.post(requests[0]))
        let verdict = try JSONDocument(Array(try client.readMessage().body.utf8)).root
        #expect(verdict["allow"]?.bool == false && verdict["code"]?.string == "request/head-too-large")
        #expect(verdict["reason"]?.string == "the identity fields exceed 16384 bytes" && verdict["identity"] == nil)
    }

    /// One list could otherwise hold the event loop for 64 decisions.
    @Test func `a list is decided in several turns of its connection`() throws {
        let client = try rig.connect()
        try rig.until { $0.connectionContext.registry.count == 1 }
        let list = Self.post(Array(repeating: Self.request("/open"), count: 64))
        let decided = try rig.onWorker { worker in
            let pipeline = worker.connectionContext.registry.elements[0].context?.pipeline.syncOperations
            pipeline?.fireChannelRead(NIOAny(ByteBuffer(string: list)))
            pipeline?.fireChannelReadComplete()
            return worker.counters.snapshot().requests(.ok)
        }
        #expect(decided <= 4)
        #expect(try codes(try client.readMessage()) == Array(repeating: "ok", count: 64))
        let left = try rig.connect()
        try rig.until { $0.connectionContext.registry.count == 2 }
        let code = try rig.onWorker { worker in
            let connection = worker.connectionContext.registry.elements[1]
            let pipeline = connection.context?.pipeline.syncOperations
            pipeline?.fireChannelRead(NIOAny(ByteBuffer(string: list)))
            pipeline?.fireChannelReadComplete()
            connection.close()
            return connection.record.code
        }
        #expect(code == .clientClosed)
        try rig.until { $0.connectionContext.turns.count == 0 }
        #expect(try left.readToEnd().text.isEmpty)
    }
}

/// Lists on routes with `on_store_failure: allow`. A request whose lookup has not begun is not permitted for a failure.
@Suite struct DecisionListFailureTests {
    private static func request(of uid: String) -> String {
        let token = TokenDraft.idToken().with("sub", "\"\(uid)\"").with("user_id", "\"\(uid)\"").signed()
        return "{\"url\":\"https://a/private/a\",\"token\":\"\(token)\"}"
    }

    private static func post(_ uids: String...) -> String {
        let body = "[\(uids.map(request).joined(separator: ","))]"
        return "POST /decide HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func codes(_ client: LoopbackSocket) throws -> [String?] {
        try JSONDocument(Array(try client.readMessage().body.utf8)).root.elements.map { $0["code"]?.string }
    }

    private static func isAllowed(_ worker: Worker) -> UInt64 { worker.counters.snapshot()[.storeFailuresAllowed] }

    @Test func `a strict request that does not query the store in time is denied`() async throws {
        let redis = try FakeRedis { $0.name == "HMGET" ? .silence : .text("+PONG\r\n") }
        let rig = try RequestPathRig(redis: RedisConfiguration(host: "127.0.0.1", port: redis.port), decides: true) {
            $0.routes[1].revocation = .strict
            $0.routes[1].onStoreFailure = .allow
            $0.revocation.strictTimeout = .seconds(100)
        }
        try rig.installKeys()
        try rig.until { $0.inquiries?.isConnected == true }
        let client = try rig.send(Self.post("ada", "eve", "bob"))
        try await eventually("a lookup") { redis.commands.count { $0.name == "HMGET" } == 2 ? true : nil }
        rig.clock.advance(seconds: 5.1)
        redis.answerSilenced("*2\r\n$-1\r\n$-1\r\n", "*3\r\n$-1\r\n$-1\r\n$-1\r\n")
        #expect(try codes(client) == ["ok", "auth/store-unavailable", "auth/store-unavailable"])
        #expect(redis.commands.count { $0.name == "HMGET" } == 2)
        #expect(try rig.onWorker(Self.isAllowed) == 0)
    }

    @Test func `a request whose account is not looked up in time is denied`() async throws {
        let toolkit = ScriptedProviders()
        let rig = try RequestPathRig(lookups: RemoteLookups(accounts: toolkit), decides: true) {
            $0.routes[1].onStoreFailure = .allow
        }
        try rig.installKeys()
        func answer(_ number: Int, _ state: AccountStatus.State) async throws {
            let lookUp = try await eventually("\(number) look-ups") {
                toolkit.lookUps.count >= number ? toolkit.lookUps[number - 1] : nil
            }
            lookUp.resolve(AccountStatus(state: state, queriedAt: rig.clock.clock.monotonic()))
        }
        let client = try rig.send(Self.post("ada", "eve", "bob"))
        // A lookup that fails in time is permitted, as for a single request.
        try await answer(1, .unavailable)
        _ = try await eventually("the next look-up") { toolkit.lookUps.count == 2 ? true : nil }
        rig.clock.advance(seconds: 5.1)
        try await answer(2, .account(validSince: nil, disabled: false))
        #expect(try codes(client) == ["ok", "ok", "auth/store-unavailable"])
        #expect(toolkit.lookUps.count == 2)
        #expect(try rig.onWorker(Self.isAllowed) == 1)
    }

    @Test func `requests are denied if the view is not loaded in time`() throws {
        let rig = try RequestPathRig(decides: true) { $0.routes[1].onStoreFailure = .allow }
        rig.view.setStale()
        try rig.installKeys()
        let client = try rig.send(Self.post("ada", "eve"))
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        #expect(try codes(client) == ["auth/store-unavailable", "auth/store-unavailable"])
        #expect(try rig.onWorker(Self.isAllowed) == 0)
    }
}
