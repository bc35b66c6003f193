import Redis
import Revocation

/// A command to Redis.
enum ReplicaCommand: Sendable, Equatable {
    /// `INFO`: the identity of the server.
    case identity
    /// `XINFO STREAM`: the state of the change stream.
    case information
    /// `XREAD`: at most `count` entries after an id. `block` is the maximum wait for the first one in milliseconds;
    /// `nil` for none.
    case changes(after: ReplicaStreamID, count: Int, block: UInt64?)
    /// `SCAN`: the next slice of the keys.
    case slice(cursor: UInt64)
    /// `CLUSTER NODES`: whether the server stores all records, or the slot is being moved.
    case slot
    /// `HMGET`: one record.
    case record(ReplicaKey)
}

/// A reply of Redis whose form was checked.
enum ReplicaReply: Sendable, Equatable {
    /// `nil` if the server does not report it.
    case identity(ReplicaIdentity?)
    /// `nil` if there is no stream.
    case information(ReplicaStreamInformation?)
    case changes([ReplicaEntry])
    case slice(ReplicaSlice)
    /// Whether the server stored all records.
    case slot(isComplete: Bool)
    /// The record, which may be faulty.
    case record(RecordWord)
    /// An error, or a reply of the wrong form.
    case refused(ReplicaFault)
}

extension ReplicaReply {
    /// Returns whether this is a reply to `command`.
    func fits(_ command: ReplicaCommand) -> Bool {
        switch (command, self) {
        case (.identity, .identity), (.information, .information), (.changes, .changes), (.slice, .slice),
            (.slot, .slot), (.record, .record):
            true
        default: false
        }
    }
}

/// The identity of a server and of its data.
struct ReplicaIdentity: Sendable, Equatable {
    /// The ids of the process (`run_id`) and of the replication history (`master_replid`).
    var names: [[UInt8]]
    /// Whether the server is not a replica, which may lack acknowledged writes.
    var isMaster: Bool
}

/// The state of the change stream.
struct ReplicaStreamInformation: Sendable, Equatable {
    /// The last id, even if its entry was removed.
    var last: ReplicaStreamID
    /// The number of entries ever added. `nil` for Redis before version 7.
    var added: UInt64?
    /// The id of the first remaining entry.
    var first: ReplicaStreamID?
    /// The number of remaining entries. `nil` if the server does not report it.
    var length: UInt64?

    /// The state of an absent stream.
    static let absent = ReplicaStreamInformation(last: .zero, added: 0, first: nil, length: 0)

    /// Whether no entry was ever removed.
    var hasAllEntries: Bool { length != nil && length == added }
}

/// A slice of the keys of all records.
struct ReplicaSlice: Sendable, Equatable {
    /// The position of the next slice; 0 after the last.
    var cursor: UInt64
    var keys: [ReplicaKey] = []
    /// Keys in the namespace of records that are not in canonical form.
    var faultyKeys: [[UInt8]] = []
}

/// The reason that the replica cannot follow the store for a while.
struct ReplicaFault: Error, Sendable, Hashable {
    /// The command and the kind of error, such as `XREAD NOPERM`. Each kind is logged once.
    let kind: String
    /// The description for people.
    let message: String
}

extension ReplicaCommand {
    /// A pattern that matches the keys of users and sessions, and few others.
    static let pattern = "gatehouse:[us]*"

    /// Returns the encoded command.
    ///
    /// - Parameter sliceSize: The requested number of keys in a slice.
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
        case .slot: ClusterSlotState.query
        case .record(let key):
            RedisCommand(["HMGET", key.bytes] + (key.isSession ? StoredSession.redisFields : StoredUser.redisFields))
        }
    }
}

extension ReplicaFault {
    static func otherShape(_ command: ReplicaCommand) -> ReplicaFault {
        ReplicaFault(kind: "\(command.name) shape", message: "a reply of an unexpected form")
    }

    static let notMaster = ReplicaFault(
        kind: "INFO role", message: "the server is a replica, which may lack acknowledged writes; configure its master")

    static let noWait = ReplicaFault(
        kind: "XREAD BLOCK",
        message: "the server replied before the BLOCK time: it ignores BLOCK, or the wait was ended (CLIENT UNBLOCK)")

    static let slotMoves = ReplicaFault(
        kind: "slot", message: "the hash slot of the store is being moved; all records are read afterwards")

    static let otherOrder = ReplicaFault(
        kind: "XREAD order", message: "entries that do not follow the requested position")
}

extension ReplicaCommand {
    /// The command's name in Redis.
    var name: String {
        switch self {
        case .identity: "INFO"
        case .information: "XINFO"
        case .changes: "XREAD"
        case .slice: "SCAN"
        case .slot: "CLUSTER NODES"
        case .record: "HMGET"
        }
    }
}
