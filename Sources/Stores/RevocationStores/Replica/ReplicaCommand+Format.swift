import Redis
import Revocation

extension ReplicaCommand {
    /// Matches the keys of users and sessions, and little else.
    static let pattern = "gatehouse:[us]*"

    /// The command as it is sent.
    ///
    /// - Parameter sliceSize: how many keys a slice is asked to hold.
    func formatted(sliceSize: Int) -> RedisCommand {
        switch self {
        case .identity: RedisCommand(["INFO"])
        case .information: RedisCommand(["XINFO", "STREAM", RedisKeys.changes])
        case .changes(let id, let count, let block):
            RedisCommand(
                ["XREAD", "COUNT", count] + (block.map { ["BLOCK", Int64(clamping: $0)] } ?? [])
                    + ["STREAMS", RedisKeys.changes, id.description])
        case .slice(let cursor):
            RedisCommand(["SCAN", String(cursor), "MATCH", Self.pattern, "COUNT", sliceSize])
        case .record(let key):
            RedisCommand(["HMGET", key.bytes] + (key.isSession ? StoredSession.redisFields : StoredUser.redisFields))
        }
    }
}
