import GatewayConfiguration
import GatewayCore
import Logging
import Redis
import Revocation
import Synchronization
import Testing

@testable import CoreFixtures
@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// A store at a managed service whose tokens expire after 15 minutes, and which closes connections 12 hours after their
/// last authentication. Its time is the test's.
@Suite(.closingStores) struct IssuedTokenTests {
    /// The issuer of tokens, which can fail.
    private final class Issuer: Sendable {
        private let state = Mutex((failure: String?.none, running: 0, most: 0))
        let service: ManagedRedis

        init(_ service: ManagedRedis) { self.service = service }

        /// The greatest number of fetches at once.
        var most: Int { state.withLock { $0.most } }

        func fail(_ reason: String?) { state.withLock { $0.failure = reason } }

        var source: StoreTokenSource {
            StoreTokenSource { [self] in
                let failure = state.withLock { state in
                    state.running += 1
                    state.most = max(state.most, state.running)
                    return state.failure
                }
                await Task.yield()
                defer { state.withLock { $0.running -= 1 } }
                if let failure { return .failure(StoreTokenSource.Failure(failure)) }
                let token = service.issue()
                return .success(StoreToken(Secret(token.value), expires: UnixTime(clamping: token.expires)))
            }
        }
    }

    private static func location(_ service: ManagedRedis) -> RedisLocation {
        var location = RedisLocation(servers: .server(.init(host: "127.0.0.1", port: service.port)))
        location.timeouts = .patient
        // Renewals do not wait for the time of the test.
        location.timeouts.token = .milliseconds(10)
        location.account = .init(
            username: ManagedRedis.user, password: .issued(by: .aws(.init(.replicationGroup, name: "cache"))))
        return location
    }

    private static func store(_ issuer: Issuer, logger: Logger = .silent) throws -> RedisStore {
        let service = issuer.service
        let clock = GatewayClock(now: { service.now }, monotonic: GatewayClock.system.monotonic)
        let store = try RedisStore(
            location(service), tokens: issuer.source, maxStaleness: .seconds(60), loop: RedisDatabase.loop,
            clock: clock, logger: logger)
        OpenedStores.current?.add(store)
        return store
    }

    @Test func `no write and no connection is lost in 13 hours of renewals`() async throws {
        let service = try await ManagedRedis()
        let issuer = Issuer(service)
        let store = try Self.store(issuer)
        try await store.load()
        let opened = service.opened
        let writer = Task {
            var written = 0
            while !Task.isCancelled {
                try await store.revoke("user-\(written)", at: 7)
                written += 1
            }
            return written
        }
        for _ in 0..<117 {
            service.advance(by: 400)
            try await eventually("all connections to authenticate again") { service.isFresh ? true : nil }
        }
        writer.cancel()
        let written = try await writer.value
        #expect(written > 0)
        #expect(try (0..<written).allSatisfy { try store.view.user("user-\($0)") == .since(7) })
        #expect(service.now - ManagedRedis.start > ManagedRedis.connectionLifetime)
        #expect(service.opened == opened && service.cuts == 0 && service.rejections == 0)
        #expect(issuer.most == 1)
        let status = try #require(store.health?.credentials)
        #expect(status.renewals >= 117 && status.failures == 0 && status.failing == nil)
        #expect(status.expires.map { $0 > UnixTime(clamping: service.now) } == true)
    }

    @Test func `while the issuer fails, open connections work, and it is reported`() async throws {
        let service = try await ManagedRedis()
        let issuer = Issuer(service)
        let log = LogLines()
        let store = try Self.store(issuer, logger: log.logger)
        try await store.load()
        issuer.fail("the metadata service of AWS: timed_out")
        try await eventually("the failure") { store.trouble }
        #expect(store.trouble?.contains("could not be renewed: the metadata service of AWS: timed_out") == true)
        #expect(store.health?.credentials?.failing == "the metadata service of AWS: timed_out")
        service.advance(by: 1_000)
        try await store.revoke("ada", at: 7)
        try await eventually("the expiry") { store.configuration.renewal?.current == nil ? true : nil }
        #expect(service.rejections == 0)

        // The service closes the connections, and new ones need a valid token.
        service.advance(by: ManagedRedis.connectionLifetime)
        await #expect(throws: StoreError.self) { try await store.revoke("bob", at: 7) }
        try await eventually("the problem of new connections") {
            store.trouble?.contains("no valid password") == true ? true : nil
        }
        #expect(store.trouble?.contains("the metadata service of AWS: timed_out") == true)
        #expect(service.cuts > 0 && service.rejections == 0)

        issuer.fail(nil)
        try await eventually("the connection") { store.trouble == nil ? true : nil }
        try await eventually("a connection for writes") { try? await store.revoke("bob", at: 7) }
        #expect(try store.view.user("ada") == .since(7))
        for line in log.all {
            for token in service.tokens { #expect(!line.text.contains(token)) }
        }
        #expect(log.all.contains { $0.level == .error && $0.text.contains("could not be renewed") })
        #expect(log.all.contains { $0.text.contains("are renewed again") })
    }

    @Test func `a token that expired before a connection opened is replaced`() async throws {
        let service = try await ManagedRedis()
        var location = Self.location(service)
        location.timeouts.token = .seconds(1)
        let issuer = Issuer(service)
        let stale = Mutex(true)
        let source = StoreTokenSource {
            let isStale = stale.withLock { stale in
                defer { stale = false }
                return stale
            }
            let result = await issuer.source.fetch()
            if isStale { service.advance(by: 901) }
            return result
        }
        let store = try RedisStore(
            location, tokens: source, loop: RedisDatabase.loop,
            clock: GatewayClock(now: { service.now }, monotonic: GatewayClock.system.monotonic), logger: .silent)
        OpenedStores.current?.add(store)
        try await store.load()
        let status = try #require(store.health?.credentials)
        #expect(status.renewals >= 2 && status.failing == nil)
    }

    @Test func `a diagnosis uses a token, and reports why there is none`() async throws {
        let service = try await ManagedRedis()
        let issuer = Issuer(service)
        let location = Self.location(service)
        let records = try await RedisLookup.records(location, tokens: issuer.source, of: UserKey("ada"), session: nil)
        #expect(records.user == .none)
        issuer.fail("no role")
        let failure = await #expect(throws: StoreError.self) {
            try await RedisLookup.records(location, tokens: issuer.source, of: UserKey("ada"), session: nil)
        }
        #expect(failure?.message.contains("no role") == true)
        let without = await #expect(throws: StoreError.self) {
            try await RedisLookup.records(location, of: UserKey("ada"), session: nil)
        }
        #expect(without?.message.contains("no issuer of tokens") == true)
    }
}
