import Foundation
import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import RedisFixtures
@testable import StoreFixtures
@testable import SystemFixtures

/// A check of a store that writes nothing.
@Suite struct StoreProbeTests {
    private func account(_ rights: String, on database: RedisDatabase) throws -> RedisLocation {
        let name = "probe-\(database.number)"
        let words = rights.split(separator: " ").map(String.init)
        #expect(try database.server.cli(["ACL", "SETUSER", name, "reset", "on", ">pw"] + words) == "OK")
        var location = database.location
        location.account = RedisLocation.Account(username: name, password: Secret("pw"))
        return location
    }

    /// The permissions in the manual.
    private static let rights =
        "resetchannels ~gatehouse:* -@all +select +ping +echo +role +info +hmget +scan +xinfo|stream +xread +xadd +eval "
        + "+set +get +getdel +hget +hgetall +hkeys +hset +hsetnx +hdel +type +del +persist +expiretime +expireat "
        + "+time +zadd +zcard +zrange +zrangebyscore +zrem +zscore"
    private static let needs: StoreProbe.Needs = [.writes, .accounts, .writeBack]

    @Test func `the permissions in the manual are sufficient, and nothing is written`() async throws {
        let database = try await RedisDatabase.fresh()
        let location = try account(Self.rights, on: database)
        let text = try await StoreProbe.check(.redis(location), for: Self.needs)
        #expect(text == "connected, with the required permissions")
        #expect(try database.cli("DBSIZE") == "0")
    }

    @Test(arguments: [
        "hmget", "scan", "xinfo|stream", "xread", "xadd", "eval", "hget", "hset", "hdel", "type", "del", "persist",
        "expiretime", "expireat", "set", "get", "getdel", "hgetall", "hkeys", "hsetnx",
        "time", "zadd", "zcard", "zrange", "zrangebyscore", "zrem", "zscore",
    ])
    func `a missing permission is named`(command: String) async throws {
        let database = try await RedisDatabase.fresh()
        let kept = Self.rights.split(separator: " ").filter { $0 != "+\(command)" }.joined(separator: " ")
        let location = try account(kept, on: database)
        let error = await #expect(throws: StoreError.self) {
            try await StoreProbe.check(.redis(location), for: Self.needs)
        }
        let name = command.replacing("|", with: " ").uppercased()
        #expect(error?.message.hasPrefix("the user lacks permission for \(name); ") == true, "\(error?.message ?? "")")
    }

    @Test func `a gateway that only reads needs no write permission`() async throws {
        let database = try await RedisDatabase.fresh()
        let reading = "~gatehouse:* resetchannels -@all +select +ping +echo +role +hmget +scan +xinfo|stream +xread"
        let location = try account(reading, on: database)
        #expect(try await StoreProbe.check(.redis(location), for: []).hasPrefix("connected"))
        await #expect(throws: StoreError.self) { try await StoreProbe.check(.redis(location), for: .writes) }
    }

    @Test func `a server without memory cannot be used`() async throws {
        let database = try await RedisDatabase.onOwnServer()
        try database.cli("CONFIG", "SET", "maxmemory", "1")
        let error = await #expect(throws: StoreError.self) {
            try await StoreProbe.check(.redis(database.location), for: .writes)
        }
        #expect(error?.code == .full)
    }

    @Test func `an absent file needs a writable folder, and is not created`() async throws {
        let folder = try ScratchFolder()
        #expect(try await StoreProbe.check(.sqlite(path: folder.path("a.db")), for: .writes).hasPrefix("absent"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.db")))
        let error = await #expect(throws: StoreError.self) {
            try await StoreProbe.check(.sqlite(path: folder.path("absent/a.db")), for: .writes)
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test func `a file of a gateway is usable, also while it is in use`() async throws {
        let file = try SQLiteFile()
        let store = try file.open()
        #expect(try await StoreProbe.check(.sqlite(path: file.path), for: .writes) == "in use by a running gateway")
        try await store.close()
        #expect(try await StoreProbe.check(.sqlite(path: file.path), for: .writes) == "readable and writable")
    }

    @Test func `a file that is not a store is reported`() async throws {
        let folder = try ScratchFolder()
        try folder.write(String(repeating: "not a database ", count: 100), to: "a.db")
        let error = await #expect(throws: StoreError.self) {
            try await StoreProbe.check(.sqlite(path: folder.path("a.db")), for: .writes)
        }
        #expect(error?.code == .incompatible)
    }
}
