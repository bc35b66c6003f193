import GatewayCore
import Redis
import Revocation
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// Gateways on a Redis Cluster whose nodes have certificates of an authority of their own.
@Suite(.closingStores) struct RedisClusterTLSTests {
    /// The nodes announce their name instead of their address.
    private static let announcement = [
        "cluster-announce-hostname localhost", "cluster-preferred-endpoint-type hostname",
    ]

    @Test func `certificates with the names of the nodes are trusted, also after a failover`() async throws {
        let authority = try TestAuthority(names: "DNS:localhost")
        let cluster = try await RedisCluster(replicas: 1, Self.announcement, tls: authority)
        let setting = RedisClusterStores(
            cluster: cluster, tag: "gatehouse", host: "localhost", ca: authority.authority)
        let stores = [try await setting.loadedStore(), try await setting.loadedStore()]
        try await Self.revoke("ann", at: 5, stores)
        let former = try await cluster.master(of: setting.slot)
        #expect(try former.cli("HGET", "{gatehouse}gatehouse:user:{ann}", "valid_since") == "5")
        let replica = try await cluster.replica(of: former)
        former.kill()
        try await eventually("the promotion of the replica") {
            try replica.cli("ROLE").hasPrefix("master") ? true : nil
        }
        try await eventually("connections to the new master") {
            stores.flatMap { [$0.commands.client.status, $0.replica.linkStatus] }.allSatisfy {
                $0.state == .ready && $0.endpoint == RedisEndpoint(host: "localhost", port: replica.port)
            } ? true : nil
        }
        try await Self.revoke("bob", at: 6, stores)
        for store in stores { #expect(try store.view.user("ann") == .since(5)) }
    }

    @Test func `a node whose certificate lacks the host that it announces is not used`() async throws {
        let authority = try TestAuthority(names: "IP:127.0.0.1")
        let announcement = [
            "bind 127.0.0.1 127.0.0.2", "cluster-announce-hostname 127.0.0.2",
            "cluster-preferred-endpoint-type hostname",
        ]
        let cluster = try await RedisCluster(announcement, tls: authority)
        let store = try RedisClusterStores(cluster: cluster, tag: "gatehouse", ca: authority.authority).store()
        try await eventually("the reason, it is \(store.commands.client.status)") {
            let problem = store.commands.client.status.problem
            return problem?.code == .certificateName && problem?.endpoint?.host == "127.0.0.2" ? true : nil
        }
    }

    private static func revoke(_ user: UserKey, at time: Int64, _ stores: [RedisStore]) async throws {
        try await eventually("an acknowledged revocation") { () async throws -> Bool? in
            do throws(StoreError) {
                _ = try await stores[0].revoke(user, at: time, .everything)
                return true
            } catch {
                return nil
            }
        }
        for store in stores {
            try await eventually("the revocation") {
                try store.view.user(user.uid) == .since(time) ? true : nil
            }
        }
    }
}
