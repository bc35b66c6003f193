package import GatewayConfiguration
import Redis
package import Revocation

/// One attempt to use a store like a gateway, for diagnosis. It writes nothing.
package enum StoreProbe {
    /// The operations of a gateway that a configuration enables.
    package struct Needs: OptionSet, Sendable {
        package let rawValue: Int
        /// The admin API writes records.
        package static let writes = Needs(rawValue: 1)
        /// Accounts have links, nonces and settings in the store.
        package static let accounts = Needs(rawValue: 2)
        /// Changes of users are queued for Firebase, or messages about changes of accounts for other systems, or events
        /// name unknown users.
        package static let writeBack = Needs(rawValue: 4)

        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// Checks the store.
    ///
    /// - Parameter tokens: The tokens of the managed service, if the store has one.
    /// - Returns: The state of the store, for people.
    /// - Throws: The reason that a gateway cannot use it, and the remedy.
    package static func check(
        _ store: Configuration.StoreLocation, tokens: StoreTokenSource? = nil, for needs: Needs
    ) async throws(StoreError) -> String {
        switch store {
        case .sqliteMemory: return "in memory: empty after each start"
        case .sqlite(let path): return try check(file: path)
        case .redis(let location):
            try await RedisLookup.run(location, tokens) { client throws(StoreError) in
                try await RedisProbe(client: client).check(for: needs)
            }
            return "connected, with the required permissions"
        }
    }

    private static func check(file path: String) throws(StoreError) -> String {
        guard SQLiteFile.exists(path) else {
            try SQLiteFile.checkWritable(folderOf: path)
            return "absent; the first start creates it"
        }
        try SQLiteFile.checkWritable(path)
        do throws(StoreError) {
            _ = try SQLiteLookup.settings(path: path, [])
            return "readable and writable"
        } catch {
            guard error.code == .inUse else { throw error }
            return "in use by a running gateway"
        }
    }
}

/// The check of a Redis server's permissions and of its readiness for writes.
private struct RedisProbe {
    let client: RedisClient

    /// The key of no record: no uid is empty.
    private static let key = Array("gatehouse:user:{}".utf8)
    private static let stream = RedisKeys.changes
    /// A key of the queues. Their names differ from the names of records.
    private static let queue = RedisKeys.writeBackLease

    /// Reads are sent as they are: they return nothing.
    private static let reads: [(name: String, command: RedisCommand)] = [
        ("HMGET", RedisCommand(["HMGET", key, "valid_since"])),
        ("SCAN", RedisCommand(["SCAN", 0, "COUNT", 1])),
        ("XINFO STREAM", RedisCommand(["XINFO", "STREAM", stream])),
        ("XREAD", RedisCommand(["XREAD", "COUNT", 1, "STREAMS", stream, "$"])),
    ]

    /// The other commands, each with arguments of valid form. The server's ACL is asked about them; they are not run.
    /// The words `KEY`, `STREAM` and `QUEUE` represent keys.
    private static let writes: [[String]] = [
        ["XADD", "STREAM", "*", "uid", ""], ["HGET", "KEY", "f"], ["HSET", "KEY", "f", "v"], ["HDEL", "KEY", "f"],
        ["TYPE", "KEY"], ["DEL", "KEY"], ["PERSIST", "KEY"], ["EXPIRETIME", "KEY"], ["EXPIREAT", "KEY", "1"],
    ]
    private static let accounts: [[String]] = [
        ["SET", "KEY", "v"], ["GET", "KEY"], ["GETDEL", "KEY"], ["HGETALL", "KEY"], ["HKEYS", "KEY"],
        ["HSETNX", "KEY", "f", "v"],
    ]
    private static let writeBack: [[String]] = [
        ["TIME"], ["SET", "QUEUE", "v"], ["GET", "QUEUE"], ["DEL", "QUEUE"], ["ZADD", "QUEUE", "1", "m"],
        ["ZCARD", "QUEUE"], ["ZRANGE", "QUEUE", "0", "0"], ["ZRANGEBYSCORE", "QUEUE", "0", "1"],
        ["ZREM", "QUEUE", "m"], ["ZSCORE", "QUEUE", "m"],
    ]

    func check(for needs: StoreProbe.Needs) async throws(StoreError) {
        var missing: [String] = []
        let reads = Self.reads
        let replies = try await send(reads.dropFirst().reduce(reads[0].command) { $0 + $1.command })
        for (read, reply) in zip(reads, replies) {
            guard let refusal = reply.serverError else { continue }
            switch refusal.code {
            case "NOPERM": missing.append(read.name)
            // There is no stream before the first change.
            case "ERR" where read.name == "XINFO STREAM": break
            default: throw StoreError(refusal)
            }
        }
        if !needs.isEmpty { missing += try await missingWrites(needs) }
        guard missing.isEmpty else {
            throw StoreError(
                .cannotOpen,
                "the user lacks permission for \(missing.joined(separator: ", ")); grant the rights listed in the manual"
            )
        }
    }

    /// Returns the names of commands that the user may not run. A script that may write is also rejected by a server
    /// without memory, by a replica, and by a server that cannot save.
    private func missingWrites(_ needs: StoreProbe.Needs) async throws(StoreError) -> [String] {
        var asked = Self.writes
        if needs.contains(.accounts) { asked += Self.accounts }
        if needs.contains(.writeBack) { asked += Self.writeBack }
        let lines = asked.map { command in
            let keys = ["KEY": "KEYS[1]", "STREAM": "KEYS[2]", "QUEUE": "KEYS[3]"]
            let arguments = command.map { keys[$0] ?? "'\($0)'" }.joined(separator: ", ")
            return "if not redis.acl_check_cmd(\(arguments)) then table.insert(missing, '\(command[0])') end"
        }
        let script = "#!lua\nlocal missing = {}\n" + lines.joined(separator: "\n") + "\nreturn missing"
        let reply = try await send(RedisCommand(["EVAL", script, 3, Self.key, Self.stream, Self.queue])).first
        if let refusal = reply?.serverError {
            guard refusal.code == "NOPERM" else { throw StoreError(refusal) }
            return ["EVAL"]
        }
        guard case .array(let names)? = reply else { throw .unexpectedReply() }
        var unique: [String] = []
        for name in names.compactMap(\.text) where !unique.contains(name) { unique.append(name) }
        return unique
    }

    private func send(_ command: RedisCommand) async throws(StoreError) -> [RedisValue] {
        let replies: [RedisValue]
        do throws(RedisFailure) { replies = try await client.send(command) } catch { throw StoreError(error) }
        guard replies.count == command.count else { throw .unexpectedReply() }
        return replies
    }
}
