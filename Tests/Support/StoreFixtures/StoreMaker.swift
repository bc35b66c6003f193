import Foundation
import GatewayCore
import JOSE
import Logging
import Revocation
import RevocationStores
import Testing

/// A way to create an empty, loaded store. The suite runs for each of `all`. New implementations are added there.
struct StoreMaker: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether the view contains sign-ins. Otherwise they are looked up in the store.
    var viewHasSignIns = true
    let make: @Sendable (GatewayClock) async throws -> any GatewayStore

    static let all = [sqliteFile, sqliteMemory, redis, redisCluster]
    /// The stores that expire records by their own clock, during a purge.
    static let embedded = [sqliteFile, sqliteMemory]

    static let sqliteFile = StoreMaker(testDescription: "SQLite file") { clock in
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path("gatehouse.db"), clock: clock, logger: .silent)
        try await store.load()
        return store
    }

    static let sqliteMemory = StoreMaker(testDescription: "SQLite in memory") { clock in
        let store = try SQLiteStore(path: nil, clock: clock, logger: .silent)
        try await store.load()
        return store
    }

    static let redis = StoreMaker(testDescription: "Redis", viewHasSignIns: false) { clock in
        try await RedisDatabase.fresh().loadedStore(now: clock.now())
    }

    static let redisCluster = StoreMaker(testDescription: "Redis Cluster", viewHasSignIns: false) { clock in
        try await RedisClusterStores.fresh().loadedStore(now: clock.now())
    }

    /// The lookup result for a session with this record.
    func lookup(_ record: SessionRecord) -> SessionLookup {
        if viewHasSignIns {
            return .record(
                revoked: record.revoked, signedInAt: record.signedInAt, isAuthenticated: record.isAuthenticated)
        }
        return record.revoked ? .record(revoked: true, signedInAt: nil) : .none
    }

    /// A loaded store with a fixed clock.
    func callAsFunction(now: Int64 = 1_700_000_000) async throws -> any GatewayStore {
        try await make(.facts(at: now))
    }
}

extension GatewayClock {
    static func facts(at now: Int64) -> GatewayClock { GatewayClock(now: { now }, monotonic: { 1 }) }
}

extension Logger {
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// A folder of the test. It is not removed by the tests, but by the system's cleaning of `/tmp`.
struct TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

extension StoreView {
    /// The lookup result for a uid.
    func user(_ uid: String) throws -> UserLookup {
        let hasher = try #require(SHA256Hasher())
        return user(try #require(StoreKey(user: uid, hasher: hasher)))
    }

    /// The lookup result for a session.
    func session(_ uid: String, _ session: String) throws -> SessionLookup {
        let hasher = try #require(SHA256Hasher())
        return self.session(try #require(StoreKey(user: uid, session: session, hasher: hasher)))
    }
}

/// Expects `body` to throw a `StoreError` with `code`, and returns it.
@discardableResult
func expectStoreError(
    _ code: StoreError.Code, sourceLocation: Testing.SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> StoreError? {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    return error
}

/// The number of concurrent tasks that succeed.
func winners(of count: Int, _ attempt: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<count { group.addTask { try await attempt(number) } }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
}
