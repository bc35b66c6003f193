import Accounts
import GatewayConfiguration
import JOSE
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Requests with session cookies of the gateway.
@Suite struct OwnSessionTests {
    private static let request =
        "GET /private/x HTTP/1.1\r\nHost: a\r\nCookie: a=1; __session=\(SessionDraft.signed()); b=2\r\n\r\n"

    private func rig() throws -> RequestPathRig {
        let rig = try RequestPathRig { $0.accounts = Configuration.Accounts() }
        try rig.installKeys()
        return rig
    }

    private func installSessionKeys(_ rig: RequestPathRig) throws {
        let view = try SessionDraft.keys().view
        try rig.onWorker { worker in worker.snapshot.sessionSet.map { worker.install(view, set: $0) } }
    }

    @Test func `H-12: a session passes, and its cookie is not forwarded`() throws {
        let rig = try rig()
        try installSessionKeys(rig)
        let client = try rig.connect()
        try client.send(Self.request)
        let head = try rig.upstream.accept().readHead()
        #expect(head.values("X-Auth-Uid") == ["user-1"])
        #expect(head.values("Cookie") == ["a=1; b=2"])
    }

    @Test func `a session waits for its keys, which are not fetched`() throws {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        #expect(rig.keyRequests.count == 0)
        try installSessionKeys(rig)
        #expect(try rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(rig.keyRequests.count == 0)
    }

    @Test func `missing keys are 503 after five seconds`() throws {
        let rig = try rig()
        let client = try rig.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        try client.expectProblem(503, "auth/keys-unavailable")
        #expect(rig.keyRequests.count == 0)
    }

    @Test func `without accounts a session cookie of the gateway is rejected`() throws {
        let rig = try RequestPathRig()
        try rig.installKeys()
        let client = try rig.send(Self.request)
        try client.expectProblem(401, "auth/invalid-session-cookie")
    }
}
