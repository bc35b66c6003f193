import GatewayConfiguration
import GatewayCore
import Redis
import Revocation
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// Acknowledged writes whose entries of the stream do not reach the gateway.
@Suite(.closingStores) struct UnseenWriteTests {
    @Test func `an acknowledged revocation applies although its entry does not arrive`() async throws {
        let database = try await RedisDatabase.onOwnServer(["user gateway on >secret ~* &* +@all"])
        var timeouts = RedisLocation.Timeouts.patient
        timeouts.visibility = .milliseconds(20)
        let store = try database.store(
            as: .init(username: "gateway", password: Secret("secret")), maxStaleness: .seconds(1), timeouts: timeouts)
        try await store.load()
        try await store.revoke("eve", at: 7)
        try database.server.cli("ACL", "SETUSER", "gateway", "-xread")
        try await eventually("the replica to fail") { store.replica.status.lastFault == nil ? nil : true }

        try await store.revoke("ada", at: 9)
        #expect(try store.view.user("ada") == .since(9))
        try await store.setDisabled("ada", true)
        #expect(try store.view.user("ada") == .record(validSince: 9, disabled: true))
        try await store.revokeSession("bob", "5")
        #expect(try store.view.session("bob", "5") == .record(revoked: true, signedInAt: nil))
        try await store.recordSignIn("bob", "6", at: 8, expires: nil)
        #expect(try store.view.session("bob", "6") == .none)
        // A withdrawal waits for its entry.
        try await store.unrevoke("eve")
        #expect(try store.view.user("eve") == .since(7))

        try database.server.cli("ACL", "SETUSER", "gateway", "+xread")
        try await eventually("the withdrawal") { try store.view.user("eve") == .none ? true : nil }
        #expect(try store.view.user("ada") == .record(validSince: 9, disabled: true))
        #expect(store.view.kept.users + store.view.kept.sessions == 0)
    }

    /// The former master stays a master, as while it is isolated, and its stream is ahead.
    @Test func `a gateway leaves a former master, and its writes apply on the new one`() async throws {
        let former = try await RedisServer()
        let new = try await RedisServer(["replicaof 127.0.0.1 \(former.port)"])
        let sentinel = try FakeRedis { _ in
            let role = try? new.cli("role")
            let port = role?.hasPrefix("master") == true ? new.port : former.port
            return .text("*2\r\n$9\r\n127.0.0.1\r\n$\(String(port).count)\r\n\(port)\r\n")
        }
        var location = RedisLocation(
            servers: .sentinels([.init(host: "127.0.0.1", port: sentinel.port)], master: "truth"))
        location.timeouts = .patient
        let store = try RedisStore(location, loop: RedisDatabase.loop, logger: .silent)
        OpenedStores.current?.add(store)
        try await store.load()
        try await store.revoke("ada", at: 7)
        try await eventually("the copy") { try new.cli("XLEN", "gatehouse:changes") == "1" ? true : nil }
        try new.cli("REPLICAOF", "NO", "ONE")
        try former.cli("XADD", "gatehouse:changes", "9999999999999-1", "uid", "x", "valid_since", "1")

        try await eventually("both connections to move") {
            [store.commands.client.status, store.replica.linkStatus].allSatisfy {
                $0.state == .ready && $0.endpoint?.port == new.port
            } ? true : nil
        }
        try await store.revoke("bob", at: 8)
        #expect(try store.view.user("bob") == .since(8))
        #expect(try store.view.user("ada") == .since(7))
        #expect(try new.cli("HGET", "gatehouse:user:{bob}", "valid_since") == "8")
        try new.cli("HSET", "gatehouse:user:{cid}", "valid_since", "9")
        try new.cli("XADD", "gatehouse:changes", "*", "uid", "cid", "valid_since", "9")
        try await eventually("a change of another backend") { try store.view.user("cid") == .since(9) ? true : nil }
    }
}
