import GatewayConfiguration
import GatewayCore
import Logging
import Redis
import RevocationStores
import Synchronization

@testable import RedisFixtures

/// Stores of gateways in a Redis Cluster, with a hash tag of their own.
struct RedisClusterStores: Sendable {
    let cluster: RedisCluster
    let tag: String
    /// The host of the configured nodes.
    var host = "127.0.0.1"
    /// The file of trusted authorities. `nil` without TLS.
    var ca: String?

    private static let shared = Task { try await RedisCluster() }
    private static let taken = Atomic<Int>(0)

    /// Creates a hash tag on the cluster that tests share. For tests that do not affect the servers.
    static func fresh() async throws -> RedisClusterStores {
        let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
        return RedisClusterStores(cluster: try await shared.value, tag: "test-\(number)")
    }

    /// The slot of all keys.
    var slot: Int { ClusterKeyspace(tag: tag).slot.number }

    var location: RedisLocation {
        let addresses = cluster.ports.map { RedisLocation.Address(host: host, port: $0) }
        var location = RedisLocation(servers: .cluster(addresses, tag: tag))
        if let ca {
            var tls = RedisLocation.TLS()
            tls.ca = ca
            location.tls = tls
        }
        location.timeouts = .patient
        return location
    }

    /// Creates a store that has not loaded its records.
    func store(
        now: Int64 = 1_700_000_000, as account: RedisLocation.Account? = nil, logger: Logger = .silent
    ) throws -> RedisStore {
        var location = location
        location.account = account
        let clock = GatewayClock(now: { now }, monotonic: GatewayClock.system.monotonic)
        let store = try RedisStore(location, loop: RedisDatabase.loop, clock: clock, logger: logger)
        OpenedStores.current?.add(store)
        return store
    }

    /// Creates a loaded store.
    func loadedStore(now: Int64 = 1_700_000_000) async throws -> RedisStore {
        let store = try store(now: now)
        try await store.load()
        return store
    }
}
