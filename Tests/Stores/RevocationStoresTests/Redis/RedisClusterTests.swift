import GatewayConfiguration
import GatewayCore
import Redis
import Revocation
import Synchronization
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// Gateways on a Redis Cluster of six nodes, whose master fails and whose slot is moved.
@Suite(.closingStores) struct RedisClusterTests {
    /// Revokes users until it is stopped, each until it is acknowledged.
    private final class Writer: Sendable {
        private let state = Mutex((isStopped: false, acknowledged: 0))

        var acknowledged: Int { state.withLock { $0.acknowledged } }

        func stop() { state.withLock { $0.isStopped = true } }

        func run(_ store: RedisStore) async throws {
            while !state.withLock({ $0.isStopped }) {
                let number = acknowledged
                try await eventually("an acknowledged revocation") { () async throws -> Bool? in
                    do throws(StoreError) {
                        _ = try await store.revoke(UserKey("u\(number)"), at: Int64(number + 1), .everything)
                        return true
                    } catch {
                        // The outcome is unknown, and the call is repeated.
                        return nil
                    }
                }
                state.withLock { $0.acknowledged += 1 }
            }
        }
    }

    /// Runs `body` while users are revoked, and expects all acknowledged revocations in the view of every gateway.
    private static func expectNothingLost(
        _ stores: [RedisStore], during body: (Writer) async throws -> Void
    ) async throws {
        let writer = Writer()
        let task = Task { try await writer.run(stores[0]) }
        do {
            try await eventually("revocations") { writer.acknowledged > 20 ? true : nil }
            try await body(writer)
            let before = writer.acknowledged
            try await eventually("revocations afterwards") { writer.acknowledged > before + 20 ? true : nil }
        } catch {
            writer.stop()
            throw error
        }
        writer.stop()
        try await task.value
        for store in stores { try await expect(writer.acknowledged, in: store) }
    }

    private static func expect(_ count: Int, in store: RedisStore) async throws {
        for number in 0..<count {
            try await eventually("user \(number) of \(count)") {
                try store.view.user("u\(number)") == .since(Int64(number + 1)) ? true : nil
            }
        }
    }

    private static func gateways() async throws -> (RedisClusterStores, [RedisStore]) {
        let stores = RedisClusterStores(cluster: try await RedisCluster(replicas: 1), tag: "gatehouse")
        return (stores, [try await stores.loadedStore(), try await stores.loadedStore()])
    }

    private static func awaitMove(of stores: [RedisStore], to server: RedisServer) async throws {
        try await eventually("all connections to move to the new master") {
            stores.flatMap { [$0.commands.client.status, $0.replica.linkStatus] }.allSatisfy {
                $0.state == .ready && $0.endpoint?.port == server.port
            } ? true : nil
        }
    }

    @Test func `a planned failover loses no acknowledged revocation`() async throws {
        let (setting, stores) = try await Self.gateways()
        let former = try await setting.cluster.master(of: setting.slot)
        let id = try former.cli("CLUSTER", "MYID")
        try await Self.expectNothingLost(stores) { _ in
            let next = try #require(
                try setting.cluster.servers.first { server in
                    try RedisCluster.nodes(at: server).contains { $0.isSelf && $0.master == id }
                })
            #expect(try next.cli("CLUSTER", "FAILOVER") == "OK")
            try await Self.awaitMove(of: stores, to: next)
        }
        let late = try await setting.loadedStore()
        #expect(late.view.usage.users == stores[0].view.usage.users)
    }

    @Test func `a master that is killed is replaced, and no replicated revocation is lost`() async throws {
        let (setting, stores) = try await Self.gateways()
        for number in 0..<20 { try await stores[0].revoke(UserKey("u\(number)"), at: Int64(number + 1), .everything) }
        let former = try await setting.cluster.master(of: setting.slot)
        let next = try await setting.cluster.replica(of: former)
        former.kill()
        try await Self.awaitMove(of: stores, to: next)
        try await stores[1].revoke("u20", at: 21, .everything)
        for store in stores { try await Self.expect(21, in: store) }
        // The former master returns as a replica, and is not used.
        try await former.start()
        try await eventually("a replica") { try former.cli("ROLE").hasPrefix("slave") ? true : nil }
        try await stores[0].revoke("u21", at: 22, .everything)
        for store in stores { try await Self.expect(22, in: store) }
    }

    @Test func `moving the slot under load loses no acknowledged revocation`() async throws {
        let (setting, stores) = try await Self.gateways()
        let (cluster, slot) = (setting.cluster, setting.slot)
        let source = try await cluster.master(of: slot)
        let target = try cluster.otherMaster(than: source)
        try await Self.expectNothingLost(stores) { writer in
            try cluster.beginMove(of: slot, from: source, to: target)
            // Both nodes have keys, and the stream moves at some time.
            for _ in 0..<10 {
                let count = writer.acknowledged
                _ = try cluster.moveKeys(of: slot, from: source, to: target, atMost: 5)
                try await eventually("revocations meanwhile") { writer.acknowledged > count + 3 ? true : nil }
            }
            while try cluster.moveKeys(of: slot, from: source, to: target, atMost: 100) {}
            try cluster.endMove(of: slot, from: source, to: target)
            try await Self.awaitMove(of: stores, to: target)
        }
        let redirects = stores[0].health?.cluster?.redirects ?? []
        #expect(redirects.contains { $0.reason == "ask" && $0.count > 0 })
        let late = try await setting.loadedStore()
        #expect(late.view.usage.users == stores[0].view.usage.users)
    }

    @Test func `a slot that moves to another node and back loses no acknowledged revocation`() async throws {
        let (setting, stores) = try await Self.gateways()
        let (cluster, slot) = (setting.cluster, setting.slot)
        let source = try await cluster.master(of: slot)
        let target = try cluster.otherMaster(than: source)
        try await Self.expectNothingLost(stores) { _ in
            for (former, next) in [(source, target), (target, source)] {
                try cluster.beginMove(of: slot, from: former, to: next)
                while try cluster.moveKeys(of: slot, from: former, to: next, atMost: 100) {}
                try cluster.endMove(of: slot, from: former, to: next)
            }
            try await Self.awaitMove(of: stores, to: source)
        }
    }

    @Test func `a gateway that starts while the slot is being moved is not ready before it has all records`()
        async throws
    {
        let setting = RedisClusterStores(cluster: try await RedisCluster(), tag: "gatehouse")
        let (cluster, slot) = (setting.cluster, setting.slot)
        let first = try await setting.loadedStore()
        for number in 0..<20 { try await first.revoke(UserKey("u\(number)"), at: Int64(number + 1), .everything) }
        let source = try await cluster.master(of: slot)
        let target = try cluster.otherMaster(than: source)
        try cluster.beginMove(of: slot, from: source, to: target)
        #expect(try cluster.moveKeys(of: slot, from: source, to: target, atMost: 10))
        let second = try setting.store()
        try await eventually("the slot to be found incomplete") {
            second.replica.status.lastFault == .slotMoves ? true : nil
        }
        #expect(!second.replica.status.isLoaded)
        while try cluster.moveKeys(of: slot, from: source, to: target, atMost: 100) {}
        try cluster.endMove(of: slot, from: source, to: target)
        try await second.load()
        try await Self.expect(20, in: second)
    }

    @Test func `a script on keys of both nodes waits for the end of the move`() async throws {
        let setting = RedisClusterStores(cluster: try await RedisCluster(), tag: "gatehouse")
        let (cluster, slot) = (setting.cluster, setting.slot)
        let store = try await setting.loadedStore()
        let sessions = "{gatehouse}gatehouse:sessions:{ann}"
        let source = try await cluster.master(of: slot)
        let target = try cluster.otherMaster(than: source)
        for key in [sessions, "{gatehouse}gatehouse:x"] { try source.cli("HSET", key, "f", "v") }
        try cluster.beginMove(of: slot, from: source, to: target)
        #expect(try source.cli("MIGRATE", "127.0.0.1", "\(target.port)", sessions, "0", "5000") == "OK")
        let command = RedisCommand(["EVAL", "return #KEYS", 2, "gatehouse:x", "gatehouse:sessions:{ann}"])
        async let reply = store.commands.client.send(command)
        try await eventually("a retry") {
            store.health?.cluster?.redirects.contains { $0.reason == "try_again" && $0.count > 1 } == true ? true : nil
        }
        while try cluster.moveKeys(of: slot, from: source, to: target, atMost: 100) {}
        try cluster.endMove(of: slot, from: source, to: target)
        let values = try await reply
        #expect(values == [.integer(2)])
    }

    @Test func `each key of a store has its hash tag, and the probe finds it usable`() async throws {
        let setting = try await RedisClusterStores.fresh()
        let store = try await setting.loadedStore()
        try await store.revoke("ann", at: 5, .everything)
        let master = try await setting.cluster.master(of: setting.slot)
        #expect(try master.cli("HGET", "{\(setting.tag)}gatehouse:user:{ann}", "valid_since") == "5")
        #expect(try master.cli("XLEN", "{\(setting.tag)}gatehouse:changes") == "1")
        let state = try await StoreProbe.check(.redis(setting.location), for: [.writes, .accounts, .writeBack])
        #expect(state == "connected, with the required permissions")
        #expect(try await RedisLookup.records(setting.location, of: "ann", session: nil).user.user == .since(5))
    }
}
