import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import Diagnostics
@testable import RedisFixtures
@testable import StoreFixtures

/// The records that `gatehouse explain` finds for a user in Redis.
@Suite struct RedisLookTests {
    private func configuration(_ location: RedisLocation) -> Configuration {
        var configuration = Configuration()
        configuration.store = .redis(location)
        configuration.admin.address = nil
        return configuration
    }

    @Test func `records are read as the view keeps them`() async throws {
        let database = try await RedisDatabase.fresh()
        try database.cli("HSET", "gatehouse:user:{a%3Ab}", "valid_since", "5", "disabled", "1")
        try database.cli("HSET", "gatehouse:session:{a%3Ab}:17", "signed_in_at", "20")
        let evidence = await RecordSource.live(configuration(database.location)).lookUp("a:b", "17")
        guard case .known(let user, let session, _, let source) = evidence else {
            Issue.record("\(evidence.source)")
            return
        }
        #expect(user == RecordWord(UserRecord(validSince: 5, disabled: true)))
        #expect(session == RecordWord(SessionRecord(signedInAt: 20)))
        #expect(source == "read from redis://127.0.0.1:\(database.server.port)/\(database.number)")
    }

    @Test func `an unknown user has no records`() async throws {
        let records = try await RedisLookup.records(try await RedisDatabase.fresh().location, of: "ann", session: "1")
        #expect(records.user == .none && records.session == .none)
    }

    @Test func `without a session none is looked up`() async throws {
        let database = try await RedisDatabase.fresh()
        try database.cli("HSET", "gatehouse:user:{ann}", "valid_since", "5")
        try database.cli("HSET", "gatehouse:session:{ann}:none", "revoked", "1")
        let records = try await RedisLookup.records(database.location, of: "ann", session: nil)
        #expect(records.user == RecordWord(UserRecord(validSince: 5)) && records.session == .none)
    }

    @Test func `a key of the wrong type is a faulty record`() async throws {
        let database = try await RedisDatabase.fresh()
        try database.cli("SET", "gatehouse:user:{ann}", "x")
        try database.cli("HSET", "gatehouse:session:{ann}:1", "revoked", "x")
        let records = try await RedisLookup.records(database.location, of: "ann", session: "1")
        #expect(records.user == .faulty && records.session == .faulty)
    }

    @Test func `a failed read is reported without the password`() async throws {
        let database = try await RedisDatabase.onOwnServer(["requirepass right"])
        var location = database.location
        location.account = .init(username: "gate", password: Secret("hunter2"))
        let evidence = await RecordSource.live(configuration(location)).lookUp("ann", "1")
        #expect(!evidence.isKnown && evidence.source.contains("the server rejected the user or password"))
        #expect(evidence.source.contains("the admin API could not be called: the admin listener is disabled"))
        #expect(evidence.source.contains("redis://gate:[redacted]@127.0.0.1") && !evidence.source.contains("hunter2"))
    }

    @Test func `a user with read permissions suffices`() async throws {
        let database = try await RedisDatabase.fresh()
        let name = "looker-\(database.number)"
        try database.cli("ACL", "SETUSER", name, "on", ">pw", "~gatehouse:*", "+hmget", "+select", "+role", "+echo")
        try database.cli("HSET", "gatehouse:user:{ann}", "valid_since", "5")
        var location = database.location
        location.account = .init(username: name, password: Secret("pw"))
        let records = try await RedisLookup.records(location, of: "ann", session: "1")
        #expect(records.user == RecordWord(UserRecord(validSince: 5)))
    }
}
