import Authentication
import Forwarding
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import Revocation
@testable import SystemFixtures

/// H-06: long exchanges that are not streams by type end with their permission.
@Suite struct LastingExchangeTests {
    private var rig: RequestPathRig
    private static let chunked =
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let sized = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"

    init() throws { rig = try Self.rig() }

    private static func rig(_ adjust: (inout Configuration) -> Void = { _ in }) throws -> RequestPathRig {
        let rig = try RequestPathRig {
            $0.limits.idleTimeout = .seconds(86_400)
            $0.limits.bodyRate = 0
            $0.upstreams[0].responseTimeout = .seconds(86_400)
            adjust(&$0)
        }
        try rig.installKeys()
        return rig
    }

    private typealias Sides = (client: LoopbackSocket, server: LoopbackSocket)

    private func request(
        _ method: String = "GET", _ framing: String = "", path: String = "/private/x"
    ) throws -> Sides {
        let token = TokenDraft.idToken().signed()
        return try rig.exchange(
            "\(method) \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\(framing)\r\n")
    }

    private func download(_ head: String, path: String = "/private/x") throws -> Sides {
        let sides = try request(path: path)
        try sides.server.send(head)
        #expect(try sides.client.readHead().status == 200)
        return sides
    }

    private func revoke() throws {
        let entry = try TokenDraft.idToken().entry(IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: []))
        rig.view.setUser(
            entry.facts.userKey, to: RecordWord(time: UnixTime(clamping: ManualClock.start), flag: false))
    }

    private func expectEnded(_ sides: Sides, _ code: DecisionCode) throws {
        #expect(try sides.client.readToEnd().text.isEmpty)
        _ = try sides.server.readToEnd()
        #expect(try rig.onWorker { $0.counters.snapshot().requests(code) } == 1)
        #expect(try rig.onWorker { $0.counters.snapshot()[.streamsRefused] } == 1)
    }

    private func expectOpen(_ sides: Sides, _ bytes: String) throws {
        try sides.server.send(bytes)
        #expect(try sides.client.read(bytes.utf8.count) == bytes)
    }

    @Test(arguments: [LastingExchangeTests.chunked, LastingExchangeTests.sized])
    func `a response of ten seconds ends unfinished when its user is revoked`(head: String) throws {
        let sides = try download(head)
        try revoke()
        try rig.pass(seconds: 9)
        try expectOpen(sides, "1\r\n{\r\n")
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test func `a revocation ends a response of any age`() throws {
        let sides = try download(Self.chunked)
        try rig.pass(seconds: 100)
        try expectOpen(sides, "1\r\n{\r\n")
        try revoke()
        try rig.tick()
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test(arguments: [0, 60])
    mutating func `a response without a length ends with its token after stream_grace`(grace: Int) throws {
        rig = try Self.rig { $0.routes[1].streamGrace = .seconds(grace) }
        let sides = try download(Self.chunked)
        try rig.pass(seconds: Double(3499 + grace))
        try expectOpen(sides, "1\r\n{\r\n")
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenExpired)
    }

    @Test func `a response of known length completes`() throws {
        let sides = try download(Self.sized)
        try rig.pass(seconds: 7200)
        try expectOpen(sides, String(repeating: "a", count: 100))
        try rig.until { $0.counters.snapshot().requests(.ok) == 1 }
    }

    @Test mutating func `limits of streams do not end a response`() throws {
        rig = try Self.rig {
            $0.limits.maxStream = .seconds(30)
            $0.limits.streamIdleTimeout = .seconds(20)
        }
        let sides = try download(Self.chunked)
        try rig.pass(seconds: 60)
        try rig.pass(seconds: 60)
        try expectOpen(sides, "1\r\n{\r\n")
        #expect(try rig.onWorker { $0.counters.snapshot()[.streamsOpen] } == 0)
    }

    @Test func `an upload without a response is 401 when its user is revoked`() throws {
        let sides = try request("POST", "Transfer-Encoding: chunked\r\n")
        try sides.client.send("1\r\na\r\n")
        #expect(try sides.server.read(6) == "1\r\na\r\n")
        try revoke()
        try rig.pass(seconds: 9)
        #expect(sides.client.isQuiet)
        try rig.pass(seconds: 1)
        let answer = try sides.client.readMessage()
        #expect(answer.status == 401)
        #expect(answer.body.contains("auth/id-token-revoked"))
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test func `an upload without a length ends with its token and one with a length does not`() throws {
        let endless = try request("POST", "Transfer-Encoding: chunked\r\n")
        let sized = try request("POST", "Content-Length: 2\r\n")
        try rig.pass(seconds: 3500)
        #expect(try endless.client.readMessage().body.contains("auth/id-token-expired"))
        try expectEnded(endless, .idTokenExpired)
        try sized.client.send("ab")
        #expect(try sized.server.read(2) == "ab")
        try sized.server.send("HTTP/1.1 204 No Content\r\n\r\n")
        #expect(try sized.client.readHead().status == 204)
    }

    @Test func `an upload that continues after the response head ends too`() throws {
        let sides = try request("POST", "Transfer-Encoding: chunked\r\n")
        try rig.pass(seconds: 9)
        try sides.server.send(Self.sized)
        #expect(try sides.client.readHead().status == 200)
        try revoke()
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test mutating func `routes without revocation and without authentication continue`() throws {
        rig = try Self.rig { $0.routes[1].revocation = .off }
        let unasked = try download(Self.chunked)
        let open = try download(Self.chunked, path: "/open")
        try revoke()
        try rig.pass(seconds: 20)
        try expectOpen(unasked, "1\r\n{\r\n")
        try rig.pass(seconds: 3600)
        try expectOpen(open, "1\r\n{\r\n")
        try expectEnded(unasked, .idTokenExpired)
    }

    @Test func `the age starts anew with the next request`() throws {
        let sides = try download(Self.sized)
        try rig.pass(seconds: 60)
        try expectOpen(sides, String(repeating: "a", count: 100))
        try rig.until { $0.counters.snapshot().requests(.ok) == 1 }
        try sides.client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
        try sides.server.respond(Self.chunked)
        #expect(try sides.client.readHead().status == 200)
        try revoke()
        try rig.pass(seconds: 60)
        try expectOpen(sides, "1\r\n{\r\n")
    }
}
