import GatewayCore
import JOSE
import RequestPipeline
import Testing

@testable import CoreFixtures
@testable import Gatehouse
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

    @Test func `J-07: a proxy that disconnects ends its decision and affects no other`() throws {
        let asked =
            "GET /authz/forward HTTP/1.1\r\nHost: a\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /private/a\r\n"
            + "X-Forwarded-Host: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 192.0.2.7\r\n"
            + "Authorization: Bearer \(Self.token)\r\n\r\n"
        let (one, list) = (try wait(asked), try rig.send(Self.post([Self.request("/private/a", Self.token)])))
        let other = try rig.send(asked)
        try rig.until { $0.pending.count == 3 }
        one.reset()
        list.reset()
        try rig.until { $0.pending.count == 1 }
        try rig.installKeys()
        #expect(try other.readMessage().values("X-Auth-Uid") == ["user-1"])
        let counts = try rig.onWorker { $0.counters.snapshot() }
        #expect(counts.requests(.clientClosed) == 2 && counts.requests(.ok) == 1)
    }
}
