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

/// Requests with session cookies of the gateway's own.
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

    @Test("H-12: a session passes, and its cookie goes no further")
    func passes() throws {
        let rig = try rig()
        try installSessionKeys(rig)
        let client = try rig.connect()
        try client.send(Self.request)
        let head = try rig.upstream.accept().readHead()
        #expect(head.values("X-Auth-Uid") == ["user-1"])
        #expect(head.values("Cookie") == ["a=1; b=2"])
    }

    @Test func aSessionWaitsForItsKeysWhichNobodyIsAskedFor() throws {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        #expect(rig.keyRequests.count == 0)
        try installSessionKeys(rig)
        #expect(try rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
        #expect(rig.keyRequests.count == 0)
    }

    @Test func keysThatDoNotComeAre503AfterFiveSeconds() throws {
        let rig = try rig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        let answer = try client.readMessage()
        #expect(answer.status == 503)
        #expect(answer.body.contains("auth/keys-unavailable"))
        #expect(rig.keyRequests.count == 0)
    }

    @Test func aSessionThatWasEndedIsRevoked() throws {
        let rig = try rig()
        try installSessionKeys(rig)
        let key = try #require(
            StoreKey(user: "user-1", session: SessionDraft.session, hasher: try SHA256Hasher.required()))
        rig.view.setSession(key, to: RecordWord(SessionRecord(revoked: true)))
        let client = try rig.connect()
        try client.send(Self.request)
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.body.contains("auth/session-cookie-revoked"))
    }

    @Test func withoutAccountsOurOwnTypeIsNobodys() throws {
        let rig = try RequestPathRig()
        try rig.installKeys()
        let client = try rig.connect()
        try client.send(Self.request)
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.body.contains("auth/invalid-session-cookie"))
    }
}
