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

/// H-06: exchanges that last, but are no streams by their type, end with their permission.
@Suite struct LastingExchangeTests {
    private let rig: RequestPathRig
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
        _ method: String = "GET", _ framing: String = "", path: String = "/private/x", on other: RequestPathRig? = nil
    ) throws -> Sides {
        let rig = other ?? rig
        let client = try rig.connect()
        let token = TokenDraft.idToken().signed()
        try client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\(framing)\r\n")
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        return (client, server)
    }

    private func download(_ head: String, path: String = "/private/x", on other: RequestPathRig? = nil) throws -> Sides
    {
        let sides = try request(path: path, on: other)
        try sides.server.send(head)
        #expect(try sides.client.readHead().status == 200)
        return sides
    }

    private func revoke(on other: RequestPathRig? = nil) throws {
        let entry = try TokenDraft.idToken().entry(IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: []))
        (other ?? rig).view.setUser(
            entry.standing.userKey, to: RecordWord(time: UnixTime(clamping: ManualClock.start), flag: false))
    }

    private func expectEnded(_ sides: Sides, _ code: DecisionCode, on other: RequestPathRig? = nil) throws {
        #expect(try sides.client.readToEnd().text.isEmpty)
        _ = try sides.server.readToEnd()
        #expect(try (other ?? rig).onWorker { $0.counters.snapshot().requests(code) } == 1)
        #expect(try (other ?? rig).onWorker { $0.counters.snapshot()[.streamsRefused] } == 1)
    }

    private func expectOpen(_ sides: Sides, _ bytes: String) throws {
        try sides.server.send(bytes)
        #expect(try sides.client.read(bytes.utf8.count) == bytes)
    }

    @Test(arguments: [LastingExchangeTests.chunked, LastingExchangeTests.sized])
    func anAnswerOfTenSecondsEndsUnfinishedWhenItsUserIsRevoked(head: String) throws {
        let sides = try download(head)
        try revoke()
        try rig.pass(seconds: 9)
        try expectOpen(sides, "1\r\n{\r\n")
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test func aRevocationEndsItWhateverItsAge() throws {
        let sides = try download(Self.chunked)
        try rig.pass(seconds: 100)
        try expectOpen(sides, "1\r\n{\r\n")
        try revoke()
        try rig.tick()
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test func anAnswerWithoutALengthEndsWithItsToken() throws {
        let sides = try download(Self.chunked)
        try rig.pass(seconds: 3499)
        try expectOpen(sides, "1\r\n{\r\n")
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenExpired)
    }

    @Test func theGraceProlongsIt() throws {
        let rig = try Self.rig { $0.routes[1].streamGrace = .seconds(60) }
        let sides = try download(Self.chunked, on: rig)
        try rig.pass(seconds: 3559)
        try expectOpen(sides, "1\r\n{\r\n")
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenExpired, on: rig)
    }

    @Test func aDownloadOfKnownLengthIsFinished() throws {
        let sides = try download(Self.sized)
        try rig.pass(seconds: 7200)
        try expectOpen(sides, String(repeating: "a", count: 100))
        try rig.until { $0.counters.snapshot().requests(.ok) == 1 }
    }

    @Test func neitherTheTimeOfAStreamNorItsSilenceEndsIt() throws {
        let rig = try Self.rig {
            $0.limits.maxStream = .seconds(30)
            $0.limits.streamIdleTimeout = .seconds(20)
        }
        let sides = try download(Self.chunked, on: rig)
        try rig.pass(seconds: 60)
        try rig.pass(seconds: 60)
        try expectOpen(sides, "1\r\n{\r\n")
        #expect(try rig.onWorker { $0.counters.snapshot()[.streamsOpen] } == 0)
    }

    @Test func anUploadWithoutAnAnswerIs401WhenItsUserIsRevoked() throws {
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

    @Test func anUploadWithoutALengthEndsWithItsTokenAndOneWithALengthDoesNot() throws {
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

    @Test func anUploadThatGoesOnBehindItsAnswersHeadEndsToo() throws {
        let sides = try request("POST", "Transfer-Encoding: chunked\r\n")
        try rig.pass(seconds: 9)
        try sides.server.send(Self.sized)
        #expect(try sides.client.readHead().status == 200)
        try revoke()
        try rig.pass(seconds: 1)
        try expectEnded(sides, .idTokenRevoked)
    }

    @Test func routesThatDoNotAskAndThoseWithoutASignInGoOn() throws {
        let rig = try Self.rig { $0.routes[1].revocation = .off }
        let unasked = try download(Self.chunked, on: rig)
        let open = try download(Self.chunked, path: "/open", on: rig)
        try revoke(on: rig)
        try rig.pass(seconds: 20)
        try expectOpen(unasked, "1\r\n{\r\n")
        try rig.pass(seconds: 3600)
        try expectOpen(open, "1\r\n{\r\n")
        try expectEnded(unasked, .idTokenExpired, on: rig)
    }

    @Test func theNextRequestOfTheConnectionIsYoung() throws {
        let sides = try download(Self.sized)
        try rig.pass(seconds: 60)
        try expectOpen(sides, String(repeating: "a", count: 100))
        try rig.until { $0.counters.snapshot().requests(.ok) == 1 }
        try sides.client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try sides.server.readHead()
        try sides.server.send(Self.chunked)
        #expect(try sides.client.readHead().status == 200)
        try revoke()
        try rig.pass(seconds: 60)
        try expectOpen(sides, "1\r\n{\r\n")
    }
}
