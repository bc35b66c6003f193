import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

@Suite struct WaitingForKeysTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let request =
        "GET /private/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(TokenDraft.idToken().signed())\r\n\r\n"

    @Test func f06ARequestWaitsForItsKeysAndThenPasses() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        #expect(rig.keyRequests.count == 1)
        try rig.installKeys()
        let server = try rig.upstream.accept()
        let head = try server.readHead()
        #expect(head.values("X-Auth-Uid") == ["user-1"])
        #expect(head.value("Authorization") == nil)
        try server.send(Self.ok)
        #expect(try client.readMessage().body == "ok")
    }

    @Test func aBodyWaitsWithItsRequest() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(
            Self.request.replacing("GET", with: "POST").replacing("Host: a", with: "Host: a\r\nContent-Length: 4"))
        try client.send("body")
        try rig.until { $0.pending.count == 1 }
        try rig.installKeys()
        #expect(try rig.upstream.accept().readMessage().body == "body")
    }

    @Test func f08KeysThatDoNotComeAre503AfterFiveSeconds() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 4.9)
        #expect(client.isQuiet)
        try rig.pass(seconds: 0.2)
        let answer = try client.readMessage()
        #expect(answer.status == 503)
        #expect(answer.value("Retry-After") != nil)
        #expect(answer.body.contains("auth/keys-unavailable"))
        #expect(!rig.upstream.hasConnection)
    }

    @Test func f21AClientThatLeavesWhileItWaitsIsForgotten() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        client.reset()
        try rig.until { $0.pending.isEmpty }
        try rig.installKeys()
        #expect(!rig.upstream.hasConnection)
    }

    @Test func aKeyThatTheFreshSetLacksIs401() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.installKeys(TokenDraft.keySet([TokenDraft.secondKey]))
        #expect(try client.readMessage().status == 401)
    }

    @Test func requestsBehindAWaitingOneWaitTheirTurn() throws {
        let rig = try RequestPathRig()
        let client = try rig.connect()
        try client.send(Self.request + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        try rig.until { $0.pending.count == 1 }
        try rig.installKeys()
        let server = try rig.upstream.accept()
        #expect(try server.readHead().start == "GET /private/x HTTP/1.1")
        try server.send(Self.ok)
        #expect(try server.readHead().start == "GET /2 HTTP/1.1")
    }

    @Test func aStoreThatDoesNotLoadIs503AfterFiveSeconds() throws {
        let rig = try RequestPathRig()
        rig.view.setStale()
        try rig.installKeys()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        try rig.pass(seconds: 5.1)
        let answer = try client.readMessage()
        #expect(answer.status == 503)
        #expect(answer.body.contains("auth/store-unavailable"))
    }

    @Test func aStoreThatLoadsLetsTheRequestPass() throws {
        let rig = try RequestPathRig()
        rig.view.setStale()
        try rig.installKeys()
        let client = try rig.connect()
        try client.send(Self.request)
        try rig.until { $0.pending.count == 1 }
        rig.view.setAlwaysFresh()
        try rig.onWorker { $0.storeLoaded() }
        #expect(try rig.upstream.accept().readHead().values("X-Auth-Uid") == ["user-1"])
    }

    @Test func onStoreFailureAllowPassesAndIsCounted() throws {
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

    @Test func aDecisionIsMadeAnewForEachRequestOfAConnection() throws {
        let rig = try RequestPathRig()
        try rig.installKeys()
        let client = try rig.connect()
        try client.send(Self.request)
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send(Self.ok)
        _ = try client.readMessage()
        rig.clock.advance(seconds: 3500)
        try client.send(Self.request)
        let answer = try client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.body.contains("auth/id-token-expired"))
    }
}
