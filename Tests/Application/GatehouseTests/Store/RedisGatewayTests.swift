import Diagnostics
import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import Revocation
import Testing

@testable import Gatehouse
@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// Two gateways with the same Redis.
@Suite struct RedisGatewayTests {
    private func start(_ database: RedisDatabase) async throws -> Gateway {
        let text = """
            listen: [{ address: "127.0.0.1:0" }]
            workers: 1
            drain: { delay: 0s, timeout: 1s }
            admin: { address: "127.0.0.1:0", token: 0123456789abcdef }
            log: { access: "off" }
            upstreams: { api: { servers: ["http://127.0.0.1:1"] } }
            routes: [{ path: /, auth: none, upstream: api }]
            """
        var configuration = try Configuration.load(bytes: Array(text.utf8), file: "test.yaml", environment: [:])
        var location = database.location
        location.timeouts = .patient
        configuration.store = .redis(location)
        return try await Gateway.start(configuration, logger: .silent)
    }

    private func client(_ gateway: Gateway) throws -> AdminClient {
        var admin = Configuration.Admin()
        admin.address = ListenAddress(host: "127.0.0.1", port: try #require(gateway.adminListenAddress?.port))
        admin.token = Secret("0123456789abcdef")
        return try AdminClient(admin)
    }

    @Test func `a revocation reaches the other gateway`() async throws {
        let database = try await RedisDatabase.fresh()
        let (one, other) = (try await start(database), try await start(database))
        for gateway in [one, other] {
            try await eventually("the records to be read") { gateway.store.state == .ready ? true : nil }
        }
        #expect(try await client(one).revoke("ann", at: 7).record == UserRecord(validSince: 7))
        #expect(try one.store.view.user("ann") == .record(validSince: 7, disabled: false))
        try await eventually("the revocation in the other gateway") {
            try other.store.view.user("ann") == .record(validSince: 7, disabled: false) ? true : nil
        }
        #expect(try await client(other).user("ann").record == UserRecord(validSince: 7))
        await one.stop()
        #expect(try await client(other).revoke("ann", at: 9).record == UserRecord(validSince: 9))
        await other.stop()
    }

    @Test func `without Redis a gateway starts and is not ready`() async throws {
        let database = try await RedisDatabase.onOwnServer()
        database.server.kill()
        let gateway = try await start(database)
        #expect(gateway.store.view.age(monotonicNow: GatewayClock.system.monotonic()) == nil)
        let error = await #expect(throws: AdminClientError.self) { try await client(gateway).revoke("ann", at: 7) }
        #expect(error?.description.hasPrefix("the gateway could not respond:") == true)
        await gateway.stop()
    }
}
