import Authentication
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Revocation
import Synchronization
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import SystemFixtures

@Suite struct AppCheckConsumptionTests {
    /// A consumer that consumes each token once, or responds when the test decides.
    private final class Consumer: AppTokenConsumer {
        private struct State {
            var tokens: [String] = []
            var held: [@Sendable (AppTokenUse) -> Void] = []
        }

        private struct Interest {
            weak var value: LookupInterest?

            init(_ value: LookupInterest?) { self.value = value }
        }

        private let state = Mutex(State())
        private let lastInterest = Mutex(Interest(nil))
        private let use: AppTokenUse?
        private let isHeld: Bool

        /// - Parameters:
        ///   - use: The result of each call. `nil` for `first` or `repeated`, depending on the earlier calls.
        ///   - isHeld: Whether calls have no result before `answer`.
        init(_ use: AppTokenUse? = nil, isHeld: Bool = false) {
            (self.use, self.isHeld) = (use, isHeld)
        }

        var tokens: [String] { state.withLock { $0.tokens } }
        /// Whether the last request still waits.
        var isNeeded: Bool { lastInterest.withLock { $0.value != nil } }

        func consume(
            _ token: [UInt8], expiringAt expiry: UnixTime, for network: PeerNetwork, while interest: LookupInterest,
            completion: @escaping @Sendable (AppTokenUse) -> Void
        ) {
            lastInterest.withLock { $0 = Interest(interest) }
            let text = String(decoding: token, as: UTF8.self)
            let isRepeated = state.withLock { state in
                defer { state.tokens.append(text) }
                if isHeld { state.held.append(completion) }
                return state.tokens.contains(text)
            }
            if !isHeld { completion(use ?? (isRepeated ? .repeated : .first)) }
        }

        func answer(_ place: Int, _ use: AppTokenUse) { state.withLock { $0.held }[place](use) }
    }

    private static let userField = "Authorization: Bearer \(TokenDraft.idToken().signed())"
    private static let appField = "X-Firebase-AppCheck: \(AppCheckSample.token)"

    private func rig(
        _ consumer: Consumer, _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> RequestPathRig {
        let rig = try RequestPathRig(lookups: RemoteLookups(appTokens: consumer)) { configuration in
            configuration.identity.firebase?.appCheck = AppCheckSample.configuration
            for index in configuration.routes.indices {
                configuration.routes[index].appCheck = .enforce
                configuration.routes[index].consumesAppToken = true
            }
            adjust(&configuration)
        }
        try rig.installKeys()
        return rig
    }

    private static func request(_ fields: String..., path: String = "/x") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n"
    }

    private func phases(_ rig: RequestPathRig) throws -> [DecisionPhase] {
        let counters = try rig.onWorker { $0.counters.snapshot() }
        return DecisionPhase.allCases.filter { counters.denials(in: $0) > 0 }
    }

    @Test func `a token permits one request`() throws {
        let consumer = Consumer()
        let rig = try rig(consumer)
        let client = try rig.send(Self.request(Self.appField))
        #expect(try rig.upstream.accept().readHead().values("X-Auth-App") == [AppCheckSample.webID])
        let response = try rig.send(Self.request(Self.appField)).expectProblem(
            401, "app-check/token-already-consumed")
        #expect(response.value("WWW-Authenticate") == "AppCheck error=\"invalid_token\"")
        #expect(consumer.tokens == [AppCheckSample.token, AppCheckSample.token])
        #expect(try phases(rig) == [.appCheck])
        withExtendedLifetime(client) {}
    }

    @Test func `a denied request consumes no token`() throws {
        let consumer = Consumer()
        let rig = try rig(consumer) { $0.routes[1].providers = ["apple.com"] }
        try rig.send(Self.request(Self.appField, path: "/private/x")).expectProblem(401, "auth/missing-credential")
        try rig.send(Self.request(Self.appField, Self.userField, path: "/private/x")).expectProblem(
            403, "auth/permission-denied")
        try rig.send(Self.request("X-Firebase-AppCheck: a.b.c")).expectProblem(401, "app-check/invalid-token")
        try rig.send(Self.request()).expectProblem(401, "app-check/missing-token")
        #expect(consumer.tokens.isEmpty)
    }

    @Test func `a route without consumption consumes no token`() throws {
        let consumer = Consumer()
        let rig = try rig(consumer) { $0.routes[0].consumesAppToken = false }
        let client = try rig.send(Self.request(Self.appField))
        _ = try rig.upstream.accept().readHead()
        #expect(consumer.tokens.isEmpty)
        withExtendedLifetime(client) {}
    }

    @Test func `a request that is sent again to another server consumes its token once`() throws {
        let consumer = Consumer()
        let second = try LoopbackListener()
        let rig = try rig(consumer) {
            $0.upstreams[0].servers.append(Configuration.UpstreamServer(host: "127.0.0.1", port: second.port))
            $0.upstreams[0].retry?.conditions = [.status503]
        }
        let client = try rig.send(Self.request(Self.appField))
        let server = try rig.upstream.accept()
        _ = try server.readHead()
        try server.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
        try second.accept().respond()
        #expect(try client.readMessage().status == 200)
        #expect(consumer.tokens.count == 1)
    }

    @Test func `the next request of a connection consumes its own token`() throws {
        let consumer = Consumer()
        let rig = try rig(consumer)
        let client = try rig.send(Self.request(Self.appField))
        let server = try rig.upstream.accept()
        try server.respond()
        #expect(try client.readMessage().status == 200)
        try client.send(Self.request(Self.appField))
        try client.expectProblem(401, "app-check/token-already-consumed")
    }

    @Test func `concurrent requests with one token have a call each`() throws {
        let consumer = Consumer(isHeld: true)
        let rig = try rig(consumer)
        let clients = [try rig.send(Self.request(Self.appField)), try rig.send(Self.request(Self.appField))]
        try rig.until { $0.pending.count == 2 }
        #expect(consumer.tokens.count == 2)
        consumer.answer(0, .first)
        consumer.answer(1, .repeated)
        try rig.upstream.accept().respond()
        let statuses = try clients.map { try $0.readMessage().status }
        #expect(statuses.sorted() == [200, 401])
    }

    static let failures: [(use: AppTokenUse, status: Int, code: String, retryAfter: String?)] = [
        (.repeated, 401, "app-check/token-already-consumed", nil), (.refused, 401, "app-check/invalid-token", nil),
        (.unavailable(reason: "status", retryAfter: nil), 503, "app-check/consumption-unavailable", "1"),
        (.unavailable(reason: "throttled", retryAfter: 7), 503, "app-check/consumption-unavailable", "7"),
    ]

    @Test(arguments: failures.indices)
    func `every other result is a denial`(place: Int) throws {
        let (use, status, code, retryAfter) = Self.failures[place]
        let rig = try rig(Consumer(use))
        let response = try rig.send(Self.request(Self.appField)).expectProblem(status, code)
        #expect(response.value("Retry-After") == retryAfter)
        #expect(try phases(rig) == [.appCheck] && !rig.upstream.hasConnection)
    }

    @Test func `a call without a result is 503 after five seconds`() throws {
        let consumer = Consumer(isHeld: true)
        let rig = try rig(consumer)
        let client = try rig.send(Self.request(Self.appField))
        try rig.until { $0.pending.count == 1 }
        #expect(consumer.isNeeded)
        try rig.pass(seconds: 5.1)
        try client.expectProblem(503, "app-check/consumption-unavailable")
        #expect(!consumer.isNeeded, "a call that has not started is dropped")
        // A late result permits nothing.
        consumer.answer(0, .first)
        #expect(try rig.pool() == [0, 0, 0])
        #expect(consumer.tokens.count == 1)
    }

    @Test func `a client that disconnects no longer needs its call`() throws {
        let consumer = Consumer(isHeld: true)
        let rig = try rig(consumer)
        do {
            let client = try rig.send(Self.request(Self.appField))
            try rig.until { $0.pending.count == 1 }
            #expect(consumer.isNeeded)
            client.reset()
        }
        try rig.until { $0.pending.isEmpty }
        #expect(!consumer.isNeeded)
    }

    @Test func `a user who is disabled during the call is refused`() throws {
        let consumer = Consumer(isHeld: true)
        let rig = try rig(consumer)
        let client = try rig.send(Self.request(Self.appField, Self.userField, path: "/private/x"))
        try rig.until { $0.pending.count == 1 }
        rig.view.setUser(try TokenDraft.idToken().principal().userKey, to: RecordWord(UserRecord(disabled: true)))
        consumer.answer(0, .first)
        try client.expectProblem(401, "auth/user-disabled")
    }
}
