import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

@Suite struct WaitingForKeysTests {
    private static let request =
        "GET /private/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(TokenDraft.idToken().signed())\r\n\r\n"
    private let rig: RequestPathRig

    init() throws { rig = try RequestPathRig() }

    /// A client with a waiting request.
    private func wait(_ request: String = request) throws -> LoopbackSocket {
        let client = try rig.send(request)
        try rig.until { $0.pending.count == 1 }
        return client
    }

    @Test func `F-06: a request waits for its keys and then passes`() throws {
        let client = try wait()
        #expect(rig.keyRequests.count == 1)
        try rig.installKeys()
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        #expect(head.values("X-Auth-Uid") == ["user-1"])
        #expect(head.value("Authorization") == nil)
        try server.send(.okResponse)
        #expect(try client.readMessage().body == "ok")
    }

    @Test func `a body waits with its request`() throws {
        let client = try wait(
            Self.request.replacing("GET", with: "POST").replacing("Host: a", with: "Host: a\r\nContent-Length: 4"))
        try client.send("body")
        try rig.installKeys()
        #expect(try rig.upstream.accept().readMessage().body == "body")
    }

    @Test func `F-08: missing keys are 503 after five seconds`() throws {
        let client = try wait()
        try rig.pass(seconds: 4.9)
        #expect(client.isQuiet)
        try rig.pass(seconds: 0.2)
        let response = try client.expectProblem(503, "auth/keys-unavailable")
        #expect(response.value("Retry-After") != nil)
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `F-21: a client that leaves while it waits is removed`() throws {
        let client = try wait()
        client.reset()
        try rig.until { $0.pending.isEmpty }
        try rig.installKeys()
        #expect(!rig.upstream.hasConnection)
    }

    @Test func `a key that the fresh set lacks is 401`() throws {
        let client = try wait()
        try rig.installKeys(TokenDraft.keySet([TokenDraft.secondKey]))
        #expect(try client.readMessage().status == 401)
    }

    @Test func `requests behind a waiting one wait for it`() throws {
        let client = try wait(Self.request + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.installKeys()
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET /private/x HTTP/1.1")
        try server.send(.okResponse)
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
        #expect(try client.readMessage().body == "ok")
    }

    @Test func `a store that does not load is 503 after five seconds`() throws {
        rig.view.setStale()
        try rig.installKeys()
        let client = try wait()
        try rig.pass(seconds: 5.1)
        try client.expectProblem(503, "auth/store-unavailable")
    }

    @Test func `a request passes once the store has loaded`() throws {
        rig.view.setStale()
        try rig.installKeys()
        let client = try wait()
        rig.view.setAlwaysFresh()
        try rig.onWorker { $0.storeLoaded() }
        #expect(try rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        withExtendedLifetime(client) {}
    }

    @Test func `on_store_failure: allow passes and is counted`() throws {
        let rig = try RequestPathRig { $0.routes[1].onStoreFailure = .allow }
        rig.view.setStale()
        try rig.installKeys()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        #expect(try rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(try rig.onWorker { $0.counters.snapshot()[.storeFailuresAllowed] } == 1)
    }

    @Test func `a store failure is not counted as allowed if the request is denied`() throws {
        let log = LogLines()
        let rig = try RequestPathRig(log: log) {
            $0.routes[1].onStoreFailure = .allow
            $0.routes[1].scopes = ["none"]
        }
        rig.view.setStale()
        try rig.installKeys()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        try client.expectProblem(403, "auth/insufficient-scope")
        #expect(try rig.onWorker { $0.counters.snapshot()[.storeFailuresAllowed] } == 0)
        #expect(try rig.onWorker { $0.counters.snapshot()[.storeReadFailures] } == 1)
        #expect(log.all.isEmpty)
    }

    @Test func `each request of a connection is decided`() throws {
        try rig.installKeys()
        let (client, server) = try rig.exchange(Self.request)
        try server.send(.okResponse)
        _ = try client.readMessage()
        rig.clock.advance(seconds: 3500)
        try client.send(Self.request)
        try client.expectProblem(401, "auth/id-token-expired")
    }
}
